package oracle_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"testing"

	"geodeck/ui/uitest/sweep/oracle"
)

const site = "https://gis.example.org/geodeck"

// recordOf is a record of some lines whose head counts some of them, with the backup of the first write.
func recordOf(lines, counts int) map[string][]byte {
	var log strings.Builder
	for n := range lines {
		fmt.Fprintf(&log, `{"hash":"h%d","previous":"h%d","event":"before","id":"ID-%d","head":%d}`+"\n", n+1, n, n+1, n)
	}
	return map[string][]byte{
		"/state/actions.jsonl": []byte(log.String()), "/state/actions.head": fmt.Appendf(nil, `{"lines":%d,"last":"h%d"}`+"\n", counts, counts),
		"/state/backups/a/b/1.json":      []byte(before),
		"/state/backups/a/b/index.jsonl": []byte(`{"id":"1","sha256":"` + sum(before) + `"}` + "\n" + `{"backup":"1","record":"ID-1"}` + "\n"),
	}
}

// lacking is a record without one of its lines, from 1.
func lacking(files map[string][]byte, line int) map[string][]byte {
	lines := strings.SplitAfter(string(files["/state/actions.jsonl"]), "\n")
	other := maps.Clone(files)
	other["/state/actions.jsonl"] = []byte(strings.Join(append(lines[:line-1:line-1], lines[line:]...), ""))
	return other
}

// changed is a record with another content of a file; empty removes it.
func changed(files map[string][]byte, name, old, text string) map[string][]byte {
	other := maps.Clone(files)
	if other["/state/"+name] = []byte(strings.Replace(string(files["/state/"+name]), old, text, 1)); text == "" {
		delete(other, "/state/"+name)
	}
	return other
}

func anchorOf(line int, checksum string) string {
	text, _ := json.Marshal(map[string]any{"address": site, "lines": line, "checksum": checksum})
	return string(text) + "\n"
}

func TestAVerificationIsJudgedByWhatWasDone(t *testing.T) {
	t.Parallel()
	const whole = `{"intact":true,"fault":null,"faults":[],"lines":4,"records":4,"backups":1`
	found := func(faults, more string) string {
		first, _, _ := strings.Cut(faults, "},")
		return `{"intact":false,"fault":` + strings.TrimSuffix(first, "}") + `},"faults":[` + faults + `]` + more + "}"
	}
	was := recordOf(4, 4)
	for _, c := range []struct {
		rule string // that is broken; empty for none
		of   oracle.Checked
	}{
		{"", oracle.Checked{Is: was, Out: whole + "}"}},
		{"told so", oracle.Checked{Is: was, Code: 1, Out: found(`{"kind":"order","line":2}`, "")}},
		{"told so", oracle.Checked{Is: was, Out: strings.Replace(whole, `"records":4`, `"records":3`, 1) + "}"}},
		{"", oracle.Checked{Was: recordOf(4, 3), Is: recordOf(4, 3), Out: whole + `,"uncounted":1}`}},
		{"told so", oracle.Checked{Was: recordOf(4, 3), Is: recordOf(4, 3), Code: 1, Out: found(`{"kind":"headOlder"}`, "")}},
		{"", oracle.Checked{Is: lacking(was, 2), Code: 1, Out: found(`{"kind":"order","line":2}`, `,"lines":1`)}},
		{"first line named", oracle.Checked{Is: lacking(was, 2), Code: 1, Out: found(`{"kind":"order","line":3}`, `,"lines":2`)}},
		{"first line named", oracle.Checked{Is: lacking(was, 2), Code: 1, Out: found(`{"kind":"changed","line":2}`, `,"lines":1`)}},
		{"first line named", oracle.Checked{Is: lacking(was, 2), Out: whole + "}"}},
		{"", oracle.Checked{Is: lacking(was, 4), Code: 1, Out: found(`{"kind":"ending","line":4,"left":3}`, `,"lines":3`)}},
		{"first line named", oracle.Checked{Is: lacking(was, 4), Code: 1, Out: found(`{"kind":"ending","line":4,"left":2}`, `,"lines":3`)}},
		{"", oracle.Checked{Is: changed(was, "actions.jsonl", "ID-2", "ID-7"), Code: 1, Out: found(`{"kind":"changed","line":2}`, `,"lines":1`)}},
		{"", oracle.Checked{Is: changed(was, "actions.head", "{", ""), Code: 1, Out: found(`{"kind":"headMissing"}`, "")}},
		{"", oracle.Checked{Is: changed(was, "actions.head", "{", ""), Went: true, Code: 1, Out: found(`{"kind":"headMissing","line":5}`, "")}},
		{"first line named", oracle.Checked{Is: changed(was, "actions.head", "h4", "h5"), Code: 1, Out: found(`{"kind":"headMissing"}`, "")}},
		{"", oracle.Checked{Is: changed(was, "actions.head", "4", "2"), Older: true, Code: 1, Out: found(`{"kind":"headOlder"}`, "")}},
		{"", oracle.Checked{Is: changed(was, "backups/a/b/1.json", "{", ""), Code: 1, Out: found(`{"kind":"backup"}`, "")}},
		{"beside a record", oracle.Checked{Is: changed(was, "backups/a/b/1.json", "{", ""), Out: whole + "}"}},
		{"", oracle.Checked{Is: lacking(was, 1), Code: 1, Out: found(`{"kind":"order","line":1},{"kind":"record","record":"ID-1"}`, `,"lines":0`)}},
		{"beside a record", oracle.Checked{Is: lacking(was, 1), Code: 1, Out: found(`{"kind":"order","line":1}`, `,"lines":0`)}},
		{"beside a record", oracle.Checked{Is: lacking(was, 2), Code: 1, Out: found(`{"kind":"order","line":2},{"kind":"record","record":"ID-1"}`, `,"lines":1`)}},
		{"", oracle.Checked{Is: was, Anchors: anchorOf(2, "h2") + anchorOf(4, "h4"), Out: whole + `,"anchors":2,"anchored":4}`}},
		{"anchors prove", oracle.Checked{Is: was, Anchors: anchorOf(2, "h2") + anchorOf(4, "h4"), Out: whole + `,"anchors":2,"anchored":2}`}},
		{"", oracle.Checked{Is: was, Anchors: anchorOf(2, "h9"), Code: 1, Out: found(`{"kind":"anchor","line":2,"left":4,"anchor":1}`, "")}},
		{"anchors prove", oracle.Checked{Is: was, Anchors: anchorOf(2, "h9"), Out: whole + "}"}},
		{"anchors prove", oracle.Checked{Is: was, Anchors: strings.Replace(anchorOf(2, "h2"), "gis", "else", 1), Out: whole + "}"}},
		{"", oracle.Checked{Is: was, Anchors: strings.Replace(anchorOf(2, "h2"), "gis", "else", 1), Code: 2}},
		{"", oracle.Checked{Is: was, Anchors: "note\n" + anchorOf(4, "h4"), Code: 1, Out: found(`{"kind":"anchor","anchor":1}`, `,"anchors":1,"anchored":4`)}},
		{"", oracle.Checked{Is: lacking(was, 2), Code: 1, Out: found(`{"kind":"order","line":2}`, `,"lines":1`), Listed: true, Noted: "warning: the record is not as it was written: geodeck log --verify"}},
		{"says so", oracle.Checked{Is: lacking(was, 2), Code: 1, Out: found(`{"kind":"order","line":2}`, `,"lines":1`), Listed: true}},
	} {
		d := newDay()
		c.of.JSON, c.of.Address, c.of.What = true, site, "a damage"
		if c.of.Was == nil {
			c.of.Was = was
		}
		d.Verified(c.of)
		if (len(d.wrong) > 0) != (c.rule != "") || !strings.Contains(strings.Join(d.wrong, "\n"), c.rule) {
			t.Errorf("%s (anchors %q, code %d): %q, and it should be %q", c.of.Out, c.of.Anchors, c.of.Code, d.wrong, c.rule)
		}
	}
	d := newDay()
	d.Verified(oracle.Checked{Was: was, Is: lacking(was, 2), Code: 1, Err: "geodeck: line 2 of the record does not follow the one before it"})
	d.Anchors(oracle.Anchored{Is: was, Out: anchorOf(4, "h4")})
	d.Anchors(oracle.Anchored{Is: changed(was, "backups/a/b/1.json", "{", ""), Code: 1})
	if len(d.wrong) > 0 {
		t.Errorf("%q", d.wrong)
	}
	d.Verified(oracle.Checked{Was: was, Is: lacking(was, 2), Code: 1, Err: "geodeck: line 3 of the record does not follow the one before it"})
	d.Anchors(oracle.Anchored{Is: was, Out: anchorOf(3, "h3")})
	d.Anchors(oracle.Anchored{Is: changed(was, "backups/a/b/1.json", "{", ""), Out: anchorOf(4, "h4")})
	if len(d.wrong) != 3 {
		t.Errorf("%q", d.wrong)
	}
}

// checks judges a verification of a record of four lines.
func (d *day) checks(c oracle.Checked) {
	c.JSON, c.Address, c.What, c.Was = true, site, "a damage", recordOf(4, 4)
	if c.Is == nil {
		c.Is = c.Was
	}
	d.Verified(c)
}

// restores judges what the history has after an edit.
func (d *day) restores(versions ...string) {
	d.reads("program-1", after)
	d.records("ID-1", after)
	d.Arrives(&oracle.Write{Program: "program-1", Path: edit, At: noon, Fields: map[string][]string{"service": {after}}}, d.disk)
	d.Restores(oracle.Restorable{Has: map[string][]string{where: versions}, Spoilt: map[string]bool{"half": true}})
}

const (
	toldWhole = `{"intact":true,"faults":[],"lines":4,"records":4,"backups":1`
	toldOrder = `{"intact":false,"lines":1,"fault":{"kind":"order","line":2},"faults":[{"kind":"order","line":2}]}`
)

// diskDays are days of what is on the disk, a good and a bad one for each rule.
var diskDays = []struct {
	rule      string
	good, bad func(*day)
}{
	{"a record as it was written is told so",
		func(d *day) { d.checks(oracle.Checked{Out: toldWhole + "}"}) },
		func(d *day) { d.checks(oracle.Checked{Code: 1, Out: toldOrder}) }},
	{"what was done to a record is found, and its first line named",
		func(d *day) { d.checks(oracle.Checked{Is: lacking(recordOf(4, 4), 2), Code: 1, Out: toldOrder}) },
		func(d *day) { d.checks(oracle.Checked{Is: lacking(recordOf(4, 4), 3), Code: 1, Out: toldOrder}) }},
	{"what is missing beside a record is found",
		func(d *day) { d.checks(oracle.Checked{Out: toldWhole + "}"}) },
		func(d *day) {
			d.checks(oracle.Checked{Is: changed(recordOf(4, 4), "backups/a/b/1.json", "{", ""), Out: toldWhole + "}"})
		}},
	{"anchors prove the lines that they count",
		func(d *day) {
			d.checks(oracle.Checked{Anchors: anchorOf(4, "h4"), Out: toldWhole + `,"anchors":1,"anchored":4}`})
		},
		func(d *day) {
			d.checks(oracle.Checked{Anchors: anchorOf(4, "h5"), Out: toldWhole + `,"anchors":1,"anchored":4}`})
		}},
	{"a list of a record that does not fit says so",
		func(d *day) { d.checks(oracle.Checked{Out: toldWhole + "}", Listed: true}) },
		func(d *day) {
			d.checks(oracle.Checked{Is: lacking(recordOf(4, 4), 2), Code: 1, Out: toldOrder, Listed: true})
		}},
	{"an anchor is that of the last line",
		func(d *day) { d.Anchors(oracle.Anchored{Is: recordOf(4, 4), Out: anchorOf(4, "h4")}) },
		func(d *day) { d.Anchors(oracle.Anchored{Is: recordOf(4, 4), Out: anchorOf(3, "h3")}) }},
	{"what an edit has replaced can be restored", func(d *day) { d.restores(before) }, func(d *day) { d.restores(after) }},
	{"what the disk has made of a backup is not restored", func(d *day) { d.restores(before) }, func(d *day) { d.restores(before, "half") }},
}
