package sweep

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/journal/memdisk"
	"geodeck/ui/cli"
	"geodeck/ui/uitest/sweep/oracle"
)

// copied is a copy of what the machine has kept of its site, to which something happens at the end of a day.
type copied struct {
	m      *machine
	r      *rand.Rand
	folder string
	is     map[string][]byte
	what   string // has happened to it; empty for nothing
	older  bool   // its head is an earlier one
	forged bool   // its log went on from an earlier copy
}

// verifies lets the record be checked as the day has left it, with anchors of it, and with one drawn damage.
func (m *machine) verifies() {
	c := m.copies("damage")
	if c == nil {
		return
	}
	anchors := c.anchored()
	if c.r.IntN(3) > 0 {
		c.checked(anchors, c.r.IntN(3) > 0, false)
	} else {
		c.checked("", true, false)
	}
	if len(c.lines()) == 0 {
		return
	}
	c.damaged()
	if c.what == "" {
		return
	}
	if c.r.IntN(2) == 0 {
		anchors = ""
	}
	c.checked(anchors, c.r.IntN(4) > 0, !c.forged && c.r.IntN(3) == 0)
}

// copies makes a copy; nil where nothing was kept.
func (m *machine) copies(purpose string) *copied {
	j, err := m.kept()
	if err != nil {
		return nil
	}
	c := &copied{m: m, r: m.day.random(purpose), folder: j.Folder()}
	c.is = c.of(m.disk.Files())
	_ = j.Close()
	return c
}

// of are those of some files that are about the site.
func (c *copied) of(files map[string][]byte) map[string][]byte {
	own := maps.Clone(files)
	maps.DeleteFunc(own, func(name string, _ []byte) bool { return !strings.HasPrefix(name, c.folder+"/") })
	return own
}

func (c *copied) path(name string) string { return path.Join(c.folder, name) }

// lines are the whole lines of the log.
func (c *copied) lines() []string {
	all := strings.SplitAfter(string(c.is[c.path(journal.LogName)]), "\n")
	return all[:len(all)-1]
}

// writes replaces the whole lines of the log.
func (c *copied) writes(lines []string) {
	log := c.is[c.path(journal.LogName)]
	tail := log[bytes.LastIndexByte(log, '\n')+1:]
	c.is[c.path(journal.LogName)] = append([]byte(strings.Join(lines, "")), tail...)
}

// anchored asks for anchors of the record: as it is, and as it was when the first change came to the site. What comes back is a file
// of them, at times one that is damaged itself, or with those of another site.
func (c *copied) anchored() string {
	if c.r.IntN(3) == 0 {
		return ""
	}
	var made []string
	for _, files := range []map[string][]byte{c.of(c.m.early), c.is} {
		if log := files[c.path(journal.LogName)]; len(log) == 0 || len(made) == 0 && c.r.IntN(3) == 0 {
			continue
		}
		_, code, out, _ := c.log(diskWith(files), "", "--anchor", "-")
		c.m.day.oracle.Anchors(oracle.Anchored{Is: files, Code: code, Out: out})
		if made = append(made, strings.TrimSuffix(out, "\n")); code != codeDone {
			return ""
		}
	}
	if len(made) == 0 {
		return ""
	}
	c.m.day.meet("anchors of the record are made")
	c.r.Shuffle(len(made), func(i, j int) { made[i], made[j] = made[j], made[i] })
	if at := c.r.IntN(len(made)); c.r.IntN(3) == 0 {
		made[at] = c.otherAnchor(made[at])
		c.m.day.meet("a file of anchors is damaged")
	}
	return strings.Join(made, "\n") + "\n"
}

// otherAnchor is the line of an anchor that somebody has changed, or that of another site.
func (c *copied) otherAnchor(line string) string {
	var a struct {
		Lines    int
		Checksum string
	}
	_ = json.Unmarshal([]byte(line), &a)
	switch c.r.IntN(5) {
	case 0:
		return line[:c.r.IntN(len(line)-1)+1]
	case 1:
		return strings.Replace(line, a.Checksum, otherByte(a.Checksum, c.r.IntN(len(a.Checksum))), 1)
	case 2:
		return strings.Replace(line, fmt.Sprintf(`"lines":%d`, a.Lines), fmt.Sprintf(`"lines":%d`, a.Lines+1+c.r.IntN(3)), 1)
	case 3:
		return "\n" + strings.Replace(line, `"address":"`, `"address":"https://else.example.org`, 1)
	}
	return "remember: " + line
}

// otherByte is a text with another character in one place.
func otherByte(text string, at int) string {
	other := "7"
	if text[at] == '7' {
		other = "8"
	}
	return text[:at] + other + text[at+1:]
}

// damaged lets one drawn thing happen to the copy.
func (c *copied) damaged() {
	lines := c.lines()
	at := c.r.IntN(len(lines))
	log, head := c.path(journal.LogName), c.path(journal.HeadName)
	early := c.of(c.m.early)
	was := maps.Clone(c.is)
	c.m.day.meet("the record is damaged")
	switch c.r.IntN(14) {
	case 0, 1:
		lines[at] = otherByte(lines[at], c.r.IntN(len(lines[at])-1))
		c.does(lines, "a character of line %d was changed", at+1)
	case 2:
		if changed, did := c.m.withAnotherOutcome(c.is); did {
			c.m.day.meet("a changed outcome is looked for in the log")
			c.is, c.what = changed, "the outcome in a line was changed"
		}
	case 3:
		lines[at] = lines[at][:c.r.IntN(len(lines[at])-1)] + "\n"
		c.does(lines, "line %d was cut", at+1)
	case 4, 5:
		c.does(slices.Delete(lines, at, at+1), "line %d was removed", at+1)
	case 6:
		other := c.r.IntN(len(lines))
		lines[at], lines[other] = lines[other], lines[at]
		c.does(lines, "lines %d and %d were exchanged", at+1, other+1)
	case 7:
		c.does(slices.Insert(lines, at+1+c.r.IntN(len(lines)-at), lines[at]), "line %d is there twice", at+1)
	case 8:
		c.does(lines[:at], "the lines from %d on are gone", at+1)
	case 9: // the log as it was, at times with its head
		if back := early[log]; len(back) > 0 {
			c.is[log], c.what = back, "the log was put back as it was once"
			if c.r.IntN(2) == 0 && len(early[head]) > 0 {
				c.is[head], c.older, c.what = early[head], true, "the log and its head were put back as they were once"
			}
		}
	case 10:
		if back := early[head]; len(back) > 0 {
			c.is[head], c.older, c.what = back, true, "the head was put back as it was once"
		}
	case 11:
		switch text := string(c.is[head]); {
		case c.r.IntN(2) == 0 || len(text) < 2:
			c.what = "the head is gone"
			if delete(c.is, head); c.r.IntN(2) == 0 {
				c.what = "the log and its head are gone"
				delete(c.is, log)
			}
		default:
			c.is[head], c.what = []byte(otherByte(text, c.r.IntN(len(text)-1))), "a character of the head was changed"
		}
	case 12:
		c.losesBackup()
	case 13:
		if other, did := c.wentOn(early); did {
			c.m.day.meet("an earlier copy is looked for in the log")
			c.is, c.what, c.forged = other, "the log was put back as it was once, and went on", true
		}
	}
	if maps.EqualFunc(was, c.is, bytes.Equal) {
		c.what = ""
	}
}

// does replaces the lines of the log, and says why.
func (c *copied) does(lines []string, format string, args ...any) {
	c.writes(lines)
	c.what = fmt.Sprintf(format, args...)
}

// losesBackup lets a backup be gone, cut or changed.
func (c *copied) losesBackup() {
	for _, name := range slices.Sorted(maps.Keys(c.is)) {
		if !strings.Contains(name, "/backups/") || path.Ext(name) != ".json" || len(c.is[name]) == 0 || c.r.IntN(2) == 0 {
			continue
		}
		c.what = "a backup is another one"
		c.is[name] = spoiltBytes(c.r, c.is[name])
		if c.is[name] == nil {
			delete(c.is, name)
		}
		return
	}
}

// spoiltBytes is what is left of a file; nil where it is gone.
func spoiltBytes(r *rand.Rand, content []byte) []byte {
	switch r.IntN(4) {
	case 0:
		return nil
	case 1:
		return []byte{}
	case 2:
		return content[:len(content)/2]
	}
	return []byte(otherByte(string(content), r.IntN(len(content)))) // as long as before
}

// diskWith is a disk of its own with some files.
func diskWith(files map[string][]byte) *memdisk.Disk {
	disk := memdisk.New(time.Now, "/home/ada", "/tmp")
	program := disk.Program()
	for _, name := range slices.Sorted(maps.Keys(files)) {
		err := program.MkdirAll(path.Dir(name), 0o700)
		if err == nil {
			var f journal.File
			if f, err = program.Open(name, os.O_CREATE|os.O_WRONLY, 0o600); err == nil {
				_, _ = f.Write(files[name])
				_ = f.Close()
			}
		}
	}
	return disk
}

// kept opens what the machine has kept of its site, which nobody writes to.
func (m *machine) kept() (*journal.Journal, error) {
	return journal.OpenExisting(stateFolder, strings.TrimSuffix(m.site.root, "/admin"), journal.WithFiles(m.disk.Program()), journal.WithClock(m.clock))
}

// journalOn opens the journal on a disk, as one more program.
func (m *machine) journalOn(disk *memdisk.Disk, more ...journal.Option) (*journal.Journal, error) {
	options := append([]journal.Option{journal.WithFiles(disk.Program()), journal.WithClock(m.clock)}, more...)
	return journal.Open(stateFolder, strings.TrimSuffix(m.site.root, "/admin"), options...)
}

// records lets another program open the journal on a disk, and record some writes.
func (c *copied) records(disk *memdisk.Disk, number int) error {
	m := c.m
	j, err := m.journalOn(disk, journal.WithRand(&chance{next: m.day.random("goes on").Uint64}), journal.WithProgram(journal.Program{User: "ada", Host: "adm1", PID: 9}))
	if err != nil {
		return err
	}
	for n := 0; n < number && err == nil; n++ {
		err = j.BeforeWrite(adminapi.Write{ID: uint64(n + 1), Operation: "delete a report", Kind: adminapi.WriteReportDeletion, Sent: m.clock.Now()})
	}
	return errors.Join(err, j.Close())
}

// wentOn are files whose log is an earlier copy of itself that went on without it, such as that of a machine that was set back
// to its first write: it is as long as the log that it replaces, or longer. Its head may be put there, too.
func (c *copied) wentOn(early map[string][]byte) (replaced map[string][]byte, did bool) {
	log, head := c.path(journal.LogName), c.path(journal.HeadName)
	more := len(c.lines()) - bytes.Count(early[log], []byte("\n"))
	if len(early[log]) == 0 || more <= 0 {
		return nil, false
	}
	disk := diskWith(early)
	if c.records(disk, more+1) != nil {
		return nil, false
	}
	replaced = maps.Clone(c.is)
	replaced[log] = disk.Files()[log]
	if c.r.IntN(2) == 0 {
		replaced[head] = disk.Files()[head]
	}
	return replaced, true
}

// checked verifies the copy by a command, and lets the oracle judge what that says. At times a program writes to it before.
func (c *copied) checked(anchors string, asJSON, goesOn bool) {
	m := c.m
	disk := diskWith(c.is)
	said := oracle.Checked{Was: c.of(m.disk.Files()), Is: c.is, What: c.what, Older: c.older, Forged: c.forged, Anchors: anchors, JSON: asJSON,
		Address: strings.TrimSuffix(m.site.root, "/admin")}
	if goesOn {
		said.Went = c.records(disk, 1+c.r.IntN(2)) == nil
		m.day.meet("a damaged record goes on")
	}
	args := []string{"--verify"}
	if asJSON {
		args = append(args, "-o", "json")
	}
	if anchors != "" {
		args = append(args, "--anchor", "-")
	}
	line, code, out, text := c.log(disk, anchors, args...)
	said.Code, said.Out, said.Err = code, out, text
	if c.r.IntN(3) == 0 && len(c.lines()) > 0 {
		said.Listed = true
		_, _, _, said.Noted = c.log(disk, "", "--limit", "1")
	}
	m.day.log("%s: geodeck %s: exit %d %.300s", c.what, line, code, strings.ReplaceAll(text, "\n", " "))
	m.day.oracle.Verified(said)
	if c.forged && code == codeDone && len(said.Is) > 0 && !bytes.Equal(said.Is[c.path(journal.HeadName)], said.Was[c.path(journal.HeadName)]) {
		m.day.meet("a forged record that fits is not found without anchors")
	} else if c.forged && code == codeDone {
		m.day.fail("the log was replaced by an earlier copy of itself, which went on, and nothing is found")
	}
}

// log runs geodeck log on a disk. It needs neither the site nor a token.
func (c *copied) log(disk *memdisk.Disk, in string, args ...string) (line string, code int, out, text string) {
	env := map[string]string{"GEODECK_URL": c.m.site.root, "GEODECK_CONFIG": "/home/ada/.config/geodeck/config.yaml", "HOME": "/home/ada", "XDG_STATE_HOME": "/home/ada/.local/state"}
	var printed, errors bytes.Buffer
	args = append([]string{"log"}, args...)
	code = cli.Run(context.Background(), args, cli.Process{
		In: strings.NewReader(in), Out: &printed, Err: &errors, Env: func(name string) string { return env[name] },
		Clock: c.m.clock, Rand: &chance{next: c.m.day.random("log").Uint64}, Disk: disk.Program(),
		Dial: func(context.Context, string, string) (net.Conn, error) {
			c.m.day.fail("geodeck %s asks the site", strings.Join(args, " "))
			return nil, net.ErrClosed
		},
	})
	return strings.Join(args, " "), code, printed.String(), errors.String()
}

// withAnotherOutcome returns files with another outcome or verdict in one line of the log.
func (m *machine) withAnotherOutcome(files map[string][]byte) (changed map[string][]byte, did bool) {
	changed = map[string][]byte{}
	r := m.day.random("forger")
	for name, content := range files {
		changed[name] = content
		if path.Base(name) != journal.LogName {
			continue
		}
		lines := bytes.SplitAfter(content, []byte("\n"))
		var others []int // lines that can say another outcome
		for i, line := range lines {
			if !bytes.Equal(anotherOutcome(line), line) {
				others = append(others, i)
			}
		}
		if len(others) > 0 {
			at := others[r.IntN(len(others))]
			lines[at] = anotherOutcome(lines[at])
			changed[name], did = bytes.Join(lines, nil), true
		}
	}
	return changed, did
}

// outcomes are what a line of the log can say, and what a forger makes of it.
var outcomes = regexp.MustCompile(`"(outcome|verdict)":"(?:done|refused|unknown|not sent|succeeded|failed|cancelled)"`)

// anotherOutcome is a line of the log with another outcome or verdict; the same where it has none.
func anotherOutcome(line []byte) []byte {
	return outcomes.ReplaceAllFunc(line, func(said []byte) []byte {
		key, _, _ := bytes.Cut(said, []byte(":"))
		other := `:"done"`
		switch {
		case bytes.HasSuffix(said, []byte(other)):
			other = `:"refused"`
		case string(key) == `"verdict"` && !bytes.HasSuffix(said, []byte(`"failed"`)):
			other = `:"failed"`
		case string(key) == `"verdict"`:
			other = `:"succeeded"`
		}
		return append(bytes.Clone(key), other...)
	})
}
