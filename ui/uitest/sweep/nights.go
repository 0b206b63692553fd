package sweep

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"os"
	"path"
	"regexp"
	"strings"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/journal/memdisk"
	"geodeck/ui/uitest/sweep/oracle"
)

// A night is from one evening to the next morning, and some more.
const night = 26 * time.Hour

// goesHome is an administrator who goes home after the first attempt, and another program that
// looks a day after the last.
func goesHome(nights int) oddity {
	name := map[int]string{1: "the administrator goes home", 2: "the administrator goes home for two days"}[nights]
	return oddity{name, func(p *plan) { p.nights = nights }}
}

// pause is how long an administrator waits after an attempt, the first one of the day or not.
func (m *machine) pause(first bool) time.Duration {
	if n := m.day.plan.nights; n > 0 && first {
		m.day.meet("the next program comes a day later")
		return time.Duration(n) * night
	}
	return patience
}

// looksAfterANight lets the first program of the next day look at what was left open, and checks that it
// finds what the site shows: a day does not make an upgrade unknown for good.
func (m *machine) looksAfterANight() {
	if m.day.plan.nights == 0 {
		return
	}
	time.Sleep(time.Duration(m.day.plan.nights) * night)
	r := m.begin()
	defer r.end()
	open := m.openUpgrades()
	if r.open() != nil {
		return
	}
	if _, err := r.site.ResolveWrites(r.ctx); err != nil || len(open) == 0 || m.day.plan.foreign {
		return
	}
	m.day.meet("an open upgrade is looked for a day later")
	if l := m.day.plan.late; l != nil && !l.ran {
		return // the site has not begun it
	}
	for _, k := range m.openUpgrades() {
		if len(m.site.sent(func(p *post) bool { return isUpgrade(p) && p.accepted })) == 1 && m.acceptedOf(k) {
			m.day.fail("POST %s was accepted, the site shows it, and a day later the log says nothing", below(k.Path))
		}
	}
}

// openUpgrades are the upgrades in the log whose outcome is not known.
func (m *machine) openUpgrades() (open []*oracle.Record) {
	for _, k := range m.records() {
		if isUpgrade(&post{path: below(k.Path)}) && k.Outcome == "unknown" {
			open = append(open, k)
		}
	}
	return open
}

// acceptedOf reports whether the site has accepted the write of a record.
func (m *machine) acceptedOf(k *oracle.Record) bool {
	return len(m.site.sent(func(p *post) bool { return p.write.Record == k.ID && p.accepted })) > 0
}

// verifies checks that the log is told as it was written, whatever the day has done to it, and that
// another outcome in one of its lines is found.
func (m *machine) verifies() {
	files := m.disk.Files()
	if found, err := m.verified(files); err != nil || found > 0 {
		m.day.fail("the log as it was written has %d faults: %s", found, errorText(err))
		return
	}
	if other, did := m.withEarlierCopy(files); did {
		m.day.meet("an earlier copy is looked for in the log")
		if found, err := m.verified(other); err == nil && found == 0 {
			m.day.fail("the log was replaced by an earlier copy of itself, which went on, and nothing is found")
		}
	}
	changed, did := m.withAnotherOutcome(files)
	if !did {
		return
	}
	m.day.meet("a changed outcome is looked for in the log")
	if found, err := m.verified(changed); err == nil && found == 0 {
		m.day.fail("an outcome in the log was changed, and nothing is found")
	}
}

// journalIn opens the journal on a disk of its own with some files.
func (m *machine) journalIn(files map[string][]byte) (*journal.Journal, *memdisk.Disk, error) {
	disk := memdisk.New(time.Now, "/home/ada", "/tmp")
	program := disk.Program()
	for name, content := range files {
		if err := program.MkdirAll(path.Dir(name), 0o700); err != nil {
			return nil, nil, err
		}
		f, err := program.Open(name, os.O_CREATE|os.O_WRONLY, 0o600)
		if err == nil {
			_, err = f.Write(content)
		}
		if err != nil {
			return nil, nil, err
		}
		_ = f.Close()
	}
	j, err := journal.Open(stateFolder, strings.TrimSuffix(m.site.root, "/admin"), journal.WithFiles(program), journal.WithClock(m.clock))
	return j, disk, err
}

// verified returns how many faults the log of a machine with these files has.
func (m *machine) verified(files map[string][]byte) (faults int, err error) {
	j, _, err := m.journalIn(files)
	if err != nil {
		return 0, err
	}
	defer j.Close()
	v, err := j.Verify()
	if err != nil {
		return 0, err
	}
	for _, f := range v.Faults {
		m.day.log("the log has a fault: line %d, %s", f.Line, f.Kind)
		if m.spoiled && f.Kind == journal.FaultBackup {
			continue
		}
		faults++
	}
	return faults, nil
}

// withEarlierCopy returns files whose log is an earlier copy of itself that went on without it, such as that of a
// machine that was set back to its first write: it is as long as the log that it replaces, or longer.
func (m *machine) withEarlierCopy(files map[string][]byte) (replaced map[string][]byte, did bool) {
	for name, content := range m.early {
		var head struct{ Lines int }
		_ = json.Unmarshal(files[path.Join(path.Dir(name), journal.HeadName)], &head)
		count := bytes.Count(content, []byte("\n"))
		if path.Base(name) != journal.LogName || head.Lines <= count {
			continue
		}
		j, disk, err := m.journalIn(m.early)
		if err != nil {
			break
		}
		for ; count <= head.Lines && err == nil; count++ {
			err = j.BeforeWrite(adminapi.Write{ID: uint64(count), Operation: "delete a report", Kind: adminapi.WriteReportDeletion})
		}
		replaced, did = maps.Clone(files), j.Close() == nil && err == nil
		replaced[name] = disk.Files()[name]
	}
	return replaced, did
}

// withAnotherOutcome returns files with another outcome or verdict in one line of the log.
func (m *machine) withAnotherOutcome(files map[string][]byte) (changed map[string][]byte, did bool) {
	changed = map[string][]byte{}
	r := m.day.random("forger")
	for name, content := range files {
		changed[name] = content
		if path.Base(name) != "actions.jsonl" || ofBranch(name) {
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

func readable(text []byte) io.ReadCloser { return io.NopCloser(bytes.NewReader(text)) }
