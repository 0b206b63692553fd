package oracle_test

import (
	"net/url"
	"strings"

	"geodeck/ui/uitest/sweep/oracle"
)

// atKeys lets an edit arrive that was made at the keys of a program.
func (d *day) atKeys(sends string, keys oracle.Keys) {
	d.reads("program-1", sends)
	d.records("A-1", sends)
	d.Arrives(&oracle.Write{Program: "program-1", Path: edit, Fields: url.Values{"service": {sends}}, At: d.now, Intent: d.wants, Keys: &keys}, d.disk)
}

// overwrites sends an edit over one of others, after a question was answered.
func (d *day) overwrites(asked string) {
	d.wants.Began = before
	d.site[where] = strings.Replace(before, "1800", "777", 1)
	d.atKeys(after, oracle.Keys{Yes: 1, Accepted: []string{asked}})
}

// sendsBeside sends an edit of one value, where another was edited before.
func (d *day) sendsBeside(sends string) {
	d.wants.Besides = []oracle.Beside{{Key: "x-note", Raw: `"\u00e9"`, Added: true, Sure: true}}
	d.atKeys(sends, oracle.Keys{Yes: 1})
}

// hides has a secret in a definition, and something that is said.
func (d *day) hides(s oracle.Saying) {
	d.Hides("token", hidden)
	s.Program, s.At, s.Clock = "program-1", d.now, d.now
	d.Said(s)
}

const hidden = "s3cr3t-of-a-store"

// keyDays are those of the rules about what is done at keys, in editors and with the secrets of definitions.
var keyDays = []struct {
	rule      string
	good, bad func(*day)
}{
	{"a screen sends what was confirmed, once",
		func(d *day) { d.atKeys(after, oracle.Keys{Yes: 1}) },
		func(d *day) { d.atKeys(after, oracle.Keys{}) }},
	{"what is overwritten of others was accepted",
		func(d *day) { d.overwrites("you overwrite it: 1800 to 777. Type drift and enter to accept it:") },
		func(d *day) { d.overwrites("you overwrite it: 1800 to 776. Type drift and enter to accept it:") }},
	{"what was edited before goes out, too",
		func(d *day) { d.sendsBeside(strings.Replace(after, "{", `{"x-note":"\u00e9",`, 1)) },
		func(d *day) { d.sendsBeside(after) }},
	{"an editor is given what was kept",
		func(d *day) {
			d.Opens(oracle.Opening{Text: "{\n \"a\": 1.0}", Kept: "{\"a\":1.0}\r\n"})
			d.Opens(oracle.Opening{Text: "{\"a\": \n", Kept: "{\"a\": \n", Broken: true})
		},
		func(d *day) { d.Opens(oracle.Opening{Text: "{\"a\":\n", Kept: "{\"a\": \n", Broken: true}) }},
	{"a secret of a definition is masked where its change is shown",
		func(d *day) {
			d.hides(oracle.Saying{Where: "the output of geodeck diff", Text: "token [secret]"})
			d.hides(oracle.Saying{Where: "the output of geodeck service", Text: hidden, Definition: true})
		},
		func(d *day) {
			d.hides(oracle.Saying{Where: "the screen", Frame: true, Width: 80, Text: "── Roads › definition › review ──\ntoken " + hidden})
		}},
	{"a secret of a definition is kept with definitions alone",
		func(d *day) {
			d.Hides("token", hidden)
			d.Files(map[string][]byte{"/state/drafts/a.json": []byte(hidden), "/state/batch-1.json": []byte(hidden)})
		},
		func(d *day) {
			d.Hides("token", hidden)
			d.Files(map[string][]byte{"/state/actions.jsonl": []byte(hidden)})
		}},
}
