package oracle_test

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"geodeck/ui/uitest/sweep/oracle"
)

const (
	where    = "/services/Roads.MapServer"
	edit     = where + "/edit"
	upgrade  = "/system/upgrades/upgrade"
	before   = `{"serviceName":"Roads", "maxIdleTime":1800, "unknown": 1.50}`
	after    = `{"serviceName":"Roads", "maxIdleTime":900, "unknown": 1.50}`
	job      = "j11111111-1111-4111-8111-111111111111"
	idle     = `{"status":{"state":"no_upgrade","messages":[]}}`
	jobReply = `{"jobID":"` + job + `"}`
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// day is one made by hand: what the site has, and what the machine has on disk.
type day struct {
	*oracle.Day
	site  map[string]string
	disk  map[string][]byte
	lines []string
	wants *oracle.Intent
	now   time.Time
	wrong []string
	met   []string
}

func newDay() *day {
	d := &day{site: map[string]string{where: before, "/system/upgrades": idle}, disk: map[string][]byte{}, now: noon}
	d.Day = oracle.New(func(path string) string { return d.site[path] }, func(text string) { d.wrong = append(d.wrong, text) }, func(text string) { d.met = append(d.met, text) })
	d.wants = &oracle.Intent{Name: "edit", Key: "maxIdleTime", Has: func() bool { return strings.Contains(d.site[where], ":900") }}
	d.Wants(d.wants)
	return d
}

func sum(text string) string {
	s := sha256.Sum256([]byte(text))
	return hex.EncodeToString(s[:])
}

// line adds a line to the record.
func (d *day) line(event, id, path, more string) {
	d.lines = append(d.lines, fmt.Sprintf(`{"event":%q,"id":%q,"path":%q,"time":%q%s}`, event, id, "/geodeck/admin"+path, d.now.Format(time.RFC3339), more))
	d.disk["/state/actions.jsonl"] = []byte(strings.Join(d.lines, "\n") + "\n")
}

// left judges a file of the definition after a command that has read that.
func (d *day) left(command string, code int, said string, f oracle.File) {
	d.Read("program-1", where, d.site[where], d.now)
	f.Name, f.Document = "Roads.MapServer.json", where
	d.Left(oracle.Folder{Program: "program-1", Command: command, Code: code, Said: said, Files: []oracle.File{f}})
}

// reads lets a program read the definition, back it up, and keep what it is about to send.
func (d *day) reads(program, sends string) {
	d.Read(program, where, d.site[where], d.now)
	d.disk["/state/backups/a/1.json"] = []byte(d.site[where])
	d.disk["/state/backups/a/index.jsonl"] = []byte(`{"id":"1","sha256":"` + sum(d.site[where]) + `"}` + "\n")
	text, _ := json.Marshal(map[string]string{"edited": sends})
	d.disk["/state/drafts/sent.json"] = text
}

// records adds the record of an edit.
func (d *day) records(id, sends string) {
	d.line("before", id, edit, `,"fields":{"service":["sha256:`+sum(sends)+` (1 bytes)"]}`)
}

// posts lets an edit arrive.
func (d *day) posts(program, sends string) *oracle.Write {
	w := &oracle.Write{Program: program, Path: edit, Fields: url.Values{"service": {sends}}, At: d.now, Intent: d.wants}
	d.Arrives(w, d.disk)
	return w
}

// edits is a whole edit, as it should be.
func (d *day) edits(program, id string) *oracle.Write {
	d.reads(program, after)
	d.records(id, after)
	w := d.posts(program, after)
	d.site[where] = after
	d.site["/jobs/"+job] = `{"status":"COMPLETED"}`
	d.Answered(w, jobReply, true)
	return w
}

// stops is a stop of the service, whose name was given.
func (d *day) stops(more string) {
	d.line("before", "A-1", where+"/stop", more)
	d.Arrives(&oracle.Write{Program: "program-1", Path: where + "/stop", At: d.now, Intent: &oracle.Intent{Accepted: "Roads"}}, d.disk)
}

// prepares reads the settings of an upgrade.
func (d *day) prepares() {
	d.Arrives(&oracle.Write{Program: "program-1", Path: "/system/upgrades/getUpgradeSettings", At: d.now}, d.disk)
}

// upgrades is the start of an upgrade with the time of the newest message.
func (d *day) upgrades(state string, last ...time.Time) {
	w := &oracle.Write{Program: "program-1", Path: upgrade, At: d.now, Intent: d.wants}
	d.line("before", "U-1", upgrade, "")
	d.Arrives(w, d.disk)
	d.Answered(w, `{"status":"success"}`, true)
	d.status(state, last...)
}

// ends lets a program end that has recorded the end of the edit.
func (d *day) ends(verdict string) {
	d.line("after", "A-1", edit, `,"outcome":"done"`)
	d.line("settled", "A-1", edit, verdict)
	d.Day.Ends(d.disk)
}

// fills sends an upgrade with these inputs, where the latest patch was wanted and a licence was uploaded.
func (d *day) fills(inputs string) {
	d.Uploaded("u-1", "a licence")
	d.line("before", "U-1", upgrade, "")
	d.Arrives(&oracle.Write{
		Program: "program-1", Path: upgrade, At: d.now, Fields: url.Values{"upgradeSettings": {`{"userInputs":[` + inputs + `]}`}},
		Intent: &oracle.Intent{Filled: map[string]string{"updateToLatestPatch": "true"}, Licence: "a licence"},
	}, d.disk)
}

// looksAtTheEnd is a look after the request was answered.
func (d *day) looksAtTheEnd() {
	d.line("after", "U-1", upgrade, `,"outcome":"done"`)
	d.Looked(oracle.Look{Files: d.disk, Ends: true})
}

// status lets the site tell of an upgrade, and a program read it.
func (d *day) status(state string, times ...time.Time) {
	var messages []string
	for _, at := range times {
		messages = append(messages, fmt.Sprintf(`{"when":%d}`, at.UnixMilli()))
	}
	d.site["/system/upgrades"] = fmt.Sprintf(`{"status":{"state":%q,"messages":[%s]}}`, state, strings.Join(messages, ","))
	d.Read("program-1", "/system/upgrades", d.site["/system/upgrades"], d.now)
}

// rereads lets a program read at noon, then half an hour later this answer, empty for that of noon, and then a message of a minute past noon.
func (d *day) rereads(answer string) {
	d.upgrades("in_progress", noon)
	d.now = noon.Add(30 * time.Minute)
	d.Read("program-1", "/system/upgrades", cmp.Or(answer, d.site["/system/upgrades"]), d.now)
	d.now = noon.Add(32 * time.Minute)
	d.status("in_progress", noon, noon.Add(time.Minute))
}

// mode lets a program read the mode, as it is one time after the other.
func (d *day) mode(all ...bool) {
	for _, readOnly := range all {
		d.site["/mode"] = fmt.Sprintf(`{"isReadOnly":%v}`, readOnly)
		d.Read("program-1", "/mode", d.site["/mode"], d.now)
	}
}

// watches lets a watch tell of the answer before, as of a time of the site.
func (d *day) watches(at time.Time, w oracle.Watched) {
	w.Program, w.At, w.Site, w.Answered = "program-1", d.now, at, true
	d.Watched(w)
}

const nothingNow = "! The site reports nothing now. Retrying: Cannot read the state of a service: the connection was refused; nothing"

func (d *day) says(text string) {
	d.Said(oracle.Saying{Program: "program-1", Where: "the screen", At: d.now, Text: text, Frame: true})
}

func (d *day) looks(log string) {
	d.Looked(oracle.Look{Files: d.disk, Read: true, At: d.now, Log: log})
}

func (d *day) looksAtActivity(rows string) {
	d.Looked(oracle.Look{Files: d.disk, Read: true, At: d.now, Activity: rows})
}

func (d *day) told(program, outcome string) {
	d.Told(oracle.Attempt{Intent: d.wants, Program: program, Outcome: outcome, Ended: outcome == "done"})
}

// days are a good and a bad one for each rule.
var days = []struct {
	rule      string
	good, bad func(*day)
}{
	{"a write is recorded before it is sent",
		func(d *day) { d.edits("program-1", "A-1") },
		func(d *day) { d.reads("program-1", after); d.posts("program-1", after) }},
	{"the record says what was sent",
		func(d *day) { d.edits("program-1", "A-1") },
		func(d *day) { d.reads("program-1", after); d.records("A-1", before); d.posts("program-1", after) }},
	{"the record says what was sent",
		func(d *day) { d.stops(`,"accepted":[{"word":"Roads"}]`) },
		func(d *day) { d.stops(``) }},
	{"what is replaced is kept before",
		func(d *day) { d.edits("program-1", "A-1") },
		func(d *day) {
			d.reads("program-1", after)
			d.records("A-1", after)
			d.disk["/state/backups/a/1.json"] = []byte(before[:20])
			d.posts("program-1", after)
		}},
	{"what is replaced is kept before",
		func(d *day) { d.edits("program-1", "A-1"); d.edits("program-2", "B-1") },
		func(d *day) { // its backup is an earlier one than that of something else
			d.reads("program-1", after)
			d.records("A-1", after)
			list := "/state/backups/a/index.jsonl"
			d.disk[list] = append(d.disk[list], `{"id":"2","sha256":"`+sum(after)+`"}`...)
			d.posts("program-1", after)
		}},
	{"what is sent is kept before",
		func(d *day) { d.edits("program-1", "A-1") },
		func(d *day) { d.reads("program-1", before); d.records("A-1", after); d.posts("program-1", after) }},
	{"a locked site gets nothing before its name",
		func(d *day) {
			d.Arrives(&oracle.Write{Path: "/services/Roads.MapServer/stop", Locked: true, Named: true}, d.disk)
		},
		func(d *day) { d.Arrives(&oracle.Write{Path: "/services/Roads.MapServer/stop", Locked: true}, d.disk) }},
	{"nothing is sent while an earlier one goes on",
		func(d *day) { d.edits("program-1", "A-1"); d.edits("program-2", "B-1") },
		func(d *day) {
			d.edits("program-1", "A-1")
			d.site["/jobs/"+job] = `{"status":"EXECUTING"}`
			d.edits("program-2", "B-1")
		}},
	{"whether an upgrade runs is looked at after all that precedes one",
		func(d *day) {
			d.prepares()
			d.Read("program-1", "/system/upgrades", idle, d.now)
			d.upgrades("no_upgrade")
		},
		func(d *day) {
			d.Read("program-1", "/system/upgrades", idle, d.now)
			d.prepares()
			d.upgrades("no_upgrade")
		}},
	{"one post for one intent",
		func(d *day) { d.edits("program-1", "A-1"); d.site[where] = before; d.edits("program-2", "B-1") },
		func(d *day) { d.edits("program-1", "A-1"); d.edits("program-2", "B-1") }},
	{"one post for one intent",
		func(d *day) { d.upgrades("failed", noon); d.upgrades("in_progress", noon) },
		func(d *day) { d.upgrades("no_upgrade"); d.upgrades("in_progress", noon) }}, // accepted, and to be shown later
	{"what was not edited is sent as it was",
		func(d *day) { d.edits("program-1", "A-1") },
		func(d *day) {
			rounded := strings.Replace(after, "1.50", "1.5", 1)
			d.reads("program-1", rounded)
			d.records("A-1", rounded)
			d.posts("program-1", rounded)
		}},
	{"an edit is brought together with those of others",
		func(d *day) {
			d.wants.From, d.wants.Mine = strings.Replace(before, "1.50", "1.51", 1), strings.Replace(after, "1.50", "1.51", 1)
			d.edits("program-1", "A-1")
		},
		func(d *day) { // others have changed the same
			d.wants.From, d.wants.Mine = strings.Replace(before, "1800", "60", 1), after
			d.edits("program-1", "A-1")
		}},
	{"an edit is brought together with those of others", func(*day) {},
		func(d *day) { // a key is removed that nobody has agreed to
			d.wants.From, d.wants.Mine, d.wants.Removes = strings.Replace(before, "{", `{"extra": {"a": 1},`, 1), after, []string{"extra.b"}
			d.site[where] = d.wants.From
			d.edits("program-1", "A-1")
		}},
	{"a silence is as long as is said",
		func(d *day) {
			d.upgrades("in_progress", noon)
			d.now = noon.Add(32 * time.Minute)
			d.status("in_progress", noon)
			d.says("the upgrade has been silent for 31 min in Components")
		},
		func(d *day) {
			d.upgrades("in_progress", noon)
			d.now = noon.Add(32 * time.Minute)
			d.status("in_progress", noon, noon.Add(20*time.Minute))
			d.says("the upgrade has been silent for 31 min in Components")
		}},
	{"a silence is as long as is said",
		func(d *day) {},
		func(d *day) { // the site was away: nobody knows
			d.upgrades("in_progress", noon)
			d.now = noon.Add(32 * time.Minute)
			d.says("the upgrade has been silent for 31 min in Components")
		}},
	{"a silence is as long as is said",
		func(d *day) { // the token was refused right before the message was read
			d.rereads(`{"error":{"code":498}}`)
			d.says("the upgrade has been silent for 31 min in Components")
		},
		func(d *day) { // the message is told late, by the answer before
			d.rereads("")
			d.says("the upgrade has been silent for 31 min in Components")
		}},
	{"a mode is as the site says",
		func(d *day) { d.mode(false, true, true); d.says(" ! READ-ONLY ") },
		func(d *day) { d.mode(true, false, false); d.says(" ! READ-ONLY ") }},
	{"the longest silence is as long as is said",
		func(d *day) {
			d.upgrades("success", noon)
			d.status("success", noon, noon.Add(6*time.Minute))
			d.now = noon.Add(7 * time.Minute)
			d.says("Silence  longest 6 min 00 s in Components")
		},
		func(d *day) {
			d.upgrades("success", noon)
			d.status("success", noon, noon.Add(6*time.Minute))
			d.now = noon.Add(7 * time.Minute)
			d.says("Silence  longest 9 min 00 s in Components")
		}},
	{"a claim is true when it is made",
		func(d *day) {
			d.edits("program-1", "A-1")
			d.says("✓ The site has the new definition of Roads.MapServer")
		},
		func(d *day) { d.says("✓ The site has the new definition of Roads.MapServer") }},
	{"a claim is true when it is made", func(*day) {},
		func(d *day) { d.edits("program-1", "A-1"); d.says("✗ Nothing was sent") }},
	{"a claim is true when it is made", func(*day) {},
		func(d *day) {
			d.edits("program-1", "A-1")
			d.says("✗ The site refused the definition of Roads.MapServer; it is unchanged")
		}},
	{"a claim is true when it is made",
		func(d *day) { // of a later one, which never reached the site
			d.edits("program-1", "A-1")
			d.says("! Your draft of this definition was sent at 2026-11-20 12:01: refused")
		},
		func(d *day) {
			d.edits("program-1", "A-1")
			d.says("! Your draft of this definition was sent at 2026-11-20 12:00: refused")
		}},
	{"a claim is true when it is made", func(*day) {},
		func(d *day) { d.edits("program-1", "A-1"); d.says("Job " + job + " ended as FAILED") }},
	{"a claim is true when it is made", func(*day) {},
		func(d *day) { d.upgrades("in_progress", noon); d.says("✓ upgrade succeeded") }},
	{"a claim is true when it is made", func(*day) {},
		func(d *day) {
			d.upgrades("in_progress", noon)
			d.says("Another upgrade is running")
		}},
	{"a claim is true when it is made",
		func(d *day) { d.upgrades("failed", noon); d.says("Upgrade failed") },
		func(d *day) { d.upgrades("in_progress", noon); d.says("Upgrade failed") }},
	{"a claim is true when it is made",
		func(d *day) { d.TurnedAway("program-1", d.now); d.says(nothingNow) },
		func(d *day) { d.TurnedAway("program-2", d.now); d.says(nothingNow) }},
	{"a claim is true when it is made", func(*day) {},
		func(d *day) { d.says("✓ It was accepted in a way that nobody has heard of") }},
	{"a claim is true when it is made", func(*day) {},
		func(d *day) {
			d.edits("program-1", "A-1")
			d.site["/jobs/"+job] = `{"status":"EXECUTING"}`
			d.says("A-1  2026-11-20 12:00:00Z  done  edit the service  Roads.MapServer")
		}},
	{"one attempt posts once",
		func(d *day) { d.edits("program-1", "A-1"); d.told("program-1", "done") },
		func(d *day) { d.edits("program-1", "A-1"); d.edits("program-1", "A-2"); d.told("program-1", "done") }},
	{"not sent is not sent",
		func(d *day) { d.told("program-1", "not sent") },
		func(d *day) { d.edits("program-1", "A-1"); d.told("program-1", "not sent") }},
	{"refused is refused",
		func(d *day) {
			d.Answered(d.posts("program-1", after), `{"error":{}}`, false)
			d.told("program-1", "refused")
		},
		func(d *day) { d.edits("program-1", "A-1"); d.told("program-1", "refused") }},
	{"done is accepted",
		func(d *day) { d.edits("program-1", "A-1"); d.told("program-1", "done") },
		func(d *day) { d.told("program-1", "done") }},
	{"done is there",
		func(d *day) { d.edits("program-1", "A-1"); d.told("program-1", "done") },
		func(d *day) { d.edits("program-1", "A-1"); d.site[where] = before; d.told("program-1", "done") }},
	{"the record only grows",
		func(d *day) {
			d.edits("program-1", "A-1")
			d.Synced(d.disk)
			d.line("after", "A-1", edit, `,"outcome":"done"`)
			d.looks("")
		},
		func(d *day) {
			d.edits("program-1", "A-1")
			d.Synced(d.disk)
			d.lines = nil
			d.line("after", "A-1", edit, `,"outcome":"done"`)
			d.looks("")
		}},
	{"a known outcome stays",
		func(d *day) {
			d.edits("program-1", "A-1")
			d.line("after", "A-1", edit, `,"outcome":"unknown"`)
			d.line("resolved", "A-1", edit, `,"outcome":"done"`)
			d.looks("")
		},
		func(d *day) {
			d.edits("program-1", "A-1")
			d.line("after", "A-1", edit, `,"outcome":"refused"`)
			d.line("resolved", "A-1", edit, `,"outcome":"done"`)
			d.looks("")
		}},
	{"the record agrees with the site",
		func(d *day) {
			d.edits("program-1", "A-1")
			d.line("after", "A-1", edit, `,"outcome":"done"`)
			d.looks("")
		},
		func(d *day) {
			d.edits("program-1", "A-1")
			d.line("after", "A-1", edit, `,"outcome":"refused"`)
			d.looks("")
		}},
	{"what the site tells is closed",
		func(d *day) {
			d.edits("program-1", "A-1")
			d.line("after", "A-1", edit, `,"outcome":"done"`)
			d.looks("")
		},
		func(d *day) {
			d.edits("program-1", "A-1")
			d.line("after", "A-1", edit, `,"outcome":"unknown"`)
			d.looks("")
		}},
	{"the record says how it ended",
		func(d *day) {
			d.edits("program-1", "A-1")
			d.line("after", "A-1", edit, `,"outcome":"done"`)
			d.line("settled", "A-1", edit, `,"verdict":"succeeded"`)
			d.looks("")
		},
		func(d *day) {
			d.edits("program-1", "A-1")
			d.line("after", "A-1", edit, `,"outcome":"done"`)
			d.line("settled", "A-1", edit, `,"verdict":"failed"`)
			d.looks("")
		}},
	{"the record says how it ended", func(*day) {},
		func(d *day) {
			d.line("before", "A-1", edit, "")
			d.line("settled", "A-1", edit, `,"verdict":"failed"`)
			d.looks("")
		}},
	{"the record says how it ended",
		func(d *day) { d.upgrades("in_progress", noon); d.looksAtTheEnd() },
		func(d *day) { d.upgrades("success", noon); d.looksAtTheEnd() }},
	{"the record says no end before it has come",
		func(d *day) { d.edits("program-1", "A-1"); d.ends(`,"verdict":"succeeded"`) },
		func(d *day) {
			d.edits("program-1", "A-1")
			d.site["/jobs/"+job] = `{"status":"EXECUTING"}`
			d.ends(`,"verdict":"succeeded"`)
		}},
	{"what was overridden made way for a write",
		func(d *day) {
			d.line("before", "A-1", edit, "")
			d.line("overridden", "A-1", edit, "")
			d.line("before", "A-2", edit, "")
			d.looks("")
		},
		func(d *day) {
			d.line("before", "A-1", edit, "")
			d.line("overridden", "A-1", edit, "")
			d.looks("")
		}},
	{"records are in the order of the writes",
		func(d *day) {
			d.edits("program-1", "A-1")
			d.site[where] = before
			d.edits("program-2", "B-1")
			d.looks("")
		},
		func(d *day) {
			d.edits("program-1", "A-1")
			d.site[where] = before
			d.edits("program-2", "B-1")
			slices.Reverse(d.lines)
			d.line("after", "A-1", edit, `,"outcome":"done"`)
			d.looks("")
		}},
	{"the log says what the record has",
		func(d *day) {
			d.edits("program-1", "A-1")
			d.line("after", "A-1", edit, `,"outcome":"done"`)
			d.looks(`{"items":[{"id":"A-1","outcome":"done"}]}`)
		},
		func(d *day) {
			d.edits("program-1", "A-1")
			d.line("after", "A-1", edit, `,"outcome":"done"`)
			d.looks(`{"items":[{"id":"A-1","outcome":"unknown"}]}`)
		}},
	{"Activity says what the record has",
		func(d *day) {
			d.edits("program-1", "A-1")
			d.line("after", "A-1", edit, `,"outcome":"done"`)
			d.looksAtActivity("   Outcome        Sent          Operation\n › ● accepted     01-01 00:00   edit the service: Roads.MapServer\n")
		},
		func(d *day) {
			d.edits("program-1", "A-1")
			d.line("after", "A-1", edit, `,"outcome":"done"`)
			d.looksAtActivity(" › ✓ done         01-01 00:00   edit the service: Roads.MapServer\n")
		}},
	{"evidence has no request for the upgrade of somebody else",
		func(d *day) {
			d.Looked(oracle.Look{Files: d.disk, Evidence: map[string]string{"messages.jsonl": ""}})
		},
		func(d *day) {
			d.Looked(oracle.Look{Files: d.disk, Evidence: map[string]string{"request.json": "{}"}})
		}},
	{"what a dry run shows is what is sent",
		func(d *day) { d.wants.Shown, d.wants.ShownOn = after, before; d.edits("program-1", "A-1") },
		func(d *day) { d.wants.Shown, d.wants.ShownOn = before, before; d.edits("program-1", "A-1") }},
	{"no secret is written or shown",
		func(d *day) { d.Secrets.Add("password", "a long password"); d.Free("a file", "[secret]") },
		func(d *day) { d.Secrets.Add("password", "a long password"); d.Free("a file", "a long password") }},
	{"an upgrade is sent with what was filled in",
		func(d *day) {
			d.fills(`{"id":"updateToLatestPatch","value":true},{"id":"licenseUpload","value":"u-1"}`)
		},
		func(d *day) {
			d.fills(`{"id":"updateToLatestPatch","value":true},{"id":"licenseUpload","value":"u-2"}`)
		}},
	{"what was saved in a file is kept until the site has it",
		func(d *day) {
			d.left("pull", 4, "", oracle.File{Is: after, Edited: after})
			d.site[where] = after
			d.left("pull", 0, "", oracle.File{Is: before, Edited: after})
		},
		func(d *day) { d.left("pull", 0, "", oracle.File{Is: before, Edited: after}) }},
	{"a pull writes what the site has",
		func(d *day) {
			d.left("pull", 0, `{"files":[{"file":"Roads.MapServer.json","outcome":"written"}]}`, oracle.File{Is: `{"unknown":1.5,"maxIdleTime":1800,"serviceName":"Roads"}`})
		},
		func(d *day) {
			d.left("pull", 0, `{"files":[{"file":"Roads.MapServer.json","outcome":"written"}]}`, oracle.File{Is: after})
		}},
	{"a comparison names what differs",
		func(d *day) {
			d.left("diff", 1, `{"files":[{"file":"Roads.MapServer.json","state":"different","changes":[{"path":"maxIdleTime"}]}]}`, oracle.File{Is: after})
		},
		func(d *day) { d.left("diff", 0, `{"files":[]}`, oracle.File{Is: after}) }},
	{"a command on files changes what it is about",
		func(d *day) { d.left("apply", 0, "", oracle.File{Before: after, Is: after}) },
		func(d *day) { d.left("apply", 0, "", oracle.File{Before: after, Is: before}) }},
	{"an answer has the time of the site",
		func(d *day) { d.Ahead = time.Hour; d.watches(noon.Add(time.Hour), oracle.Watched{}) },
		func(d *day) { d.Ahead = time.Hour; d.watches(noon, oracle.Watched{}) }},
	{"a watch ends for what it has read",
		func(d *day) { d.status("success", noon); d.watches(noon, oracle.Watched{NothingRuns: true}) },
		func(d *day) { d.status("waiting", noon); d.watches(noon, oracle.Watched{NothingRuns: true}) }},
	{"what is no secret stays as the site says it",
		func(d *day) { d.quotes("message", "[secret] is said.") },
		func(d *day) { d.quotes("message", "[secret] is [secret].") }},
	{"what is cut has a sign",
		func(d *day) { d.quotes("record", "[secret] is said."+strings.Repeat("x", 4000)+"…") },
		func(d *day) { d.quotes("record", "[secret] is") }},
	{"a debug file has every exchange, or says that it is full",
		func(d *day) { d.Traces(oracle.Traced{Exchanges: 1, Lines: []string{"{}"}}) },
		func(d *day) { d.Traces(oracle.Traced{Exchanges: 2, Lines: []string{"{}"}}) }},
	{"what several programs keep is there once",
		func(d *day) { d.shares(kept("record", "mark-1", 0, 0, nil)) },
		func(d *day) { d.shares(kept("record", "mark-2", 0, 0, nil)) }},
	{"nothing is written under the lock of another program",
		func(d *day) { d.shares(kept("record", "mark-1", 0, 2, under(2, "went on", ""))) },
		func(d *day) { d.shares(kept("record", "mark-1", 0, 1, under(2, "went on", ""))) }},
	{"who waits for a lock says so in time",
		func(d *day) { d.shares(kept("record", "mark-1", 0, 2, under(2, "went on", ""))) },
		func(d *day) { d.shares(kept("record", "mark-1", 0, 60, under(60, "went on", ""))) }},
	{"a lock that its program has left is taken over at once",
		func(d *day) { d.shares(kept("record", "mark-1", 0, 0, under(1, "killed", ""))) },
		func(d *day) { d.shares(kept("record", "mark-1", 0, 5, under(1, "killed", ""))) }},
	{"one program alone has the right to a change",
		func(d *day) { d.Shares(oracle.Shared{Claims: []oracle.Claiming{{Got: true}}}) },
		func(d *day) {
			d.Shares(oracle.Shared{Claims: []oracle.Claiming{{Got: true, Holders: []string{"(process 1)"}}}})
		}},
	{"a disk without locks is told",
		func(d *day) { d.Shares(oracle.Shared{NoLocks: true, Warned: []bool{true}}) },
		func(d *day) { d.Shares(oracle.Shared{NoLocks: true, Warned: []bool{false}}) }},
	{"files that several programs write are whole",
		func(d *day) { d.shares(kept("record", "mark-1", 0, 0, nil)) },
		func(d *day) { d.Shares(oracle.Shared{Files: map[string][]byte{"/state/a.jsonl": []byte("{\n{}\n")}}) }},
}

// shares judges what a program has kept beside others: the record has mark-1.
func (d *day) shares(k oracle.Deed) {
	d.Shares(oracle.Shared{Deeds: []oracle.Deed{k}, Files: map[string][]byte{"/state/actions.jsonl": []byte(`{"a":"mark-1"}` + "\n")}})
}

// quotes judges what a program says of a text of the site.
func (d *day) quotes(as, text string) {
	mark := oracle.MarkOf(1)
	d.Says(oracle.Quote{Mark: mark, Parts: []oracle.Part{{Text: "hunter-2", Secret: true}, {Text: " is said."}, {Text: map[bool]string{true: strings.Repeat("x", 9000)}[as == "record"]}}})
	d.Repeats(oracle.Quoted{As: as, Text: mark + text})
}

// Of each rule a bad day is wrong, and a good one is judged and is not.
func TestEachRuleFires(t *testing.T) {
	t.Parallel()
	missing := oracle.Rules()
	for _, row := range slices.Concat(days, listingDays, keyDays, diskDays, fleetDays, writesDays, comparisonDays, resultDays, upgradeDays, reportDays, misreadDays, schedulingDays, explainingDays, deletionDays, formDays, handDays, signingDays) {
		good, bad := newDay(), newDay()
		row.good(good)
		row.bad(bad)
		missing = slices.DeleteFunc(missing, func(name string) bool { return name == "oracle: "+row.rule })
		of := func(text string) bool { return strings.HasPrefix(text, row.rule+": ") }
		if slices.ContainsFunc(good.wrong, of) {
			t.Errorf("%s fires on a good day: %q", row.rule, good.wrong)
		}
		if !slices.ContainsFunc(bad.wrong, of) || !slices.Contains(bad.met, "oracle: "+row.rule) {
			t.Errorf("%s does not fire on a bad day: %q %q", row.rule, bad.wrong, bad.met)
		}
	}
	if len(missing) > 0 {
		t.Errorf("no day for %q", missing)
	}
}

// A secret is found in each spelling, whole and cut off, and nothing else is.
func TestASecretIsFoundInEachSpelling(t *testing.T) {
	t.Parallel()
	const secret = `Ke𝔎lp+meadow/4&2=é`
	escape := func(format string) string {
		var b strings.Builder
		for _, c := range []byte(secret) {
			fmt.Fprintf(&b, format, c)
		}
		return b.String()
	}
	quoted, _ := json.Marshal(secret)
	for _, text := range []string{
		secret, secret[:8], secret[len(secret)-8:], url.QueryEscape(secret), url.QueryEscape(url.QueryEscape(secret)), escape("%%%02x"), escape(`\u%04x`), escape(`\\u%04X`), string(quoted), oracle.JSON(secret),
		escape("&#%d;"), hex.EncodeToString([]byte(secret)), strings.ToUpper(hex.EncodeToString([]byte(secret))),
		base64.StdEncoding.EncodeToString([]byte(secret)), base64.StdEncoding.EncodeToString([]byte("ada:" + secret)), base64.URLEncoding.EncodeToString([]byte("admin:" + secret)),
		"Ke𝔎l │\n│ p+me ",
	} {
		d := newDay()
		d.Secrets.Add("password", secret)
		d.Free("a file", `{"note":"`+text+`"}`)
		if len(d.wrong) != 1 || strings.Contains(d.wrong[0], secret) {
			t.Errorf("%q: %q", text, d.wrong)
		}
	}
	d := newDay()
	d.Secrets.Add("password", secret)
	d.Free("a file", "Kelp and meadow, 42 times: adow/4 and Kelp+me")
	if len(d.wrong) > 0 {
		t.Errorf("%q", d.wrong)
	}
}
