package oracle_test

import (
	"strings"

	"geodeck/ui/uitest/sweep/oracle"
)

// leaves sets the reports of the site.
func (d *day) leaves(ids ...string) {
	var runs []string
	for _, id := range ids {
		runs = append(runs, `{"id":"`+id+`","name":"nightly `+id+`","result":"pass","state":"completed"}`)
	}
	d.site["/healthCheck/reports/query?start=1&num=10000"] = `{"runs":[` + strings.Join(runs, ",") + `]}`
}

// deletes judges a command that deletes two reports of three.
func deletes(code int, out, said string, left ...string) func(*day) {
	return func(d *day) {
		d.leaves("aaaa", "bbbb", "cccc")
		form := map[bool]string{true: "json", false: "table"}[strings.HasPrefix(out, "{")]
		l := d.Deletes("program-1", form, []string{"bbbb", "aaaa", "bbbb"}, false)
		d.leaves(left...)
		l.Ended(oracle.Printed{Code: code, Out: out, Err: said, Calm: true})
	}
}

// chosen sends a deletion of some reports, of which two were chosen.
func chosen(ids string) func(*day) {
	return func(d *day) {
		d.Arrives(&oracle.Write{Program: "program-1", Path: "/healthCheck/reports/delete", Fields: map[string][]string{"runIds": {ids}}, Intent: &oracle.Intent{Goes: []string{"bbbb", "aaaa"}}}, nil)
	}
}

// imported sends a manifest, and imports one of a patch and a release.
func imported(sends string) func(*day) {
	return func(d *day) {
		d.Arrives(&oracle.Write{Program: "program-1", Path: "/system/upgrades/importManifest", Files: map[string]string{"manifestFile": sends}, Intent: &oracle.Intent{Manifest: manifest}}, nil)
	}
}

func imports(code int, out string) func(*day) {
	return func(d *day) {
		form := map[bool]string{true: "json", false: "table"}[strings.HasPrefix(out, "{")]
		d.Imports(oracle.Importing{Program: "program-1", Form: form, Code: code, Out: out, Text: manifest})
	}
}

const (
	bothGone = `{"reports":[{"id":"bbbb","name":"nightly bbbb"},{"id":"aaaa","name":"nightly aaaa"}],"sent":true,"deleted":true,"outcome":"done","verdict":"succeeded"}`
	gone     = "bbbb  passed  completed  nightly bbbb\naaaa  passed  completed  nightly aaaa\ndone: deleted bbbb, aaaa\n"
	manifest = `{"versions":[{"id":"p","type":"patch"},{"id":"r","type":"release"}],"signature":"x"}`
	asTold   = `{"outcome":"done","verdict":"succeeded","patchCount":1,"releaseCount":1}`
)

var (
	deletionTold  = "a deletion is told as it is"
	deletionAbout = "the reports that a deletion is about are shown"
	importTold    = "an import is told as it is"
)

var deletionDays = []ruleDay{
	{"only the reports that were chosen are deleted", chosen("bbbb,aaaa"), chosen("bbbb,aaaa,cccc")},
	{deletionTold, deletes(0, bothGone, "", "cccc"), deletes(0, bothGone, "", "aaaa", "cccc")},
	{deletionTold, deletes(0, gone, "", "cccc"), deletes(0, strings.Replace(gone, "bbbb, ", "", 1), "", "cccc")},
	{deletionTold, deletes(0, bothGone, "", "cccc"), deletes(6, bothGone, "", "cccc")},
	{deletionTold, deletes(0, bothGone, "", "cccc"), deletes(0, strings.Replace(bothGone, `"sent":true`, `"sent":false`, 1), "", "cccc")},
	{deletionAbout, deletes(0, bothGone, "", "cccc"), deletes(0, strings.ReplaceAll(bothGone, "bbbb", "cccc"), "", "cccc")},
	{deletionAbout, deletes(0, gone, "", "cccc"), deletes(0, strings.Replace(gone, "nightly bbbb", "nightly cccc", 1), "", "cccc")},
	{"an id of no report stops a deletion", deletes(2, "", "the site has no report bbbb; nothing was sent", "aaaa", "cccc"), deletes(2, "", "the site has no report aaaa; nothing was sent", "aaaa", "cccc")},
	{"what is left of a deletion is counted", deletes(6, "", "the site still has 1 of 2 reports", "aaaa", "cccc"), deletes(6, "", "the site still has 2 of 2 reports", "aaaa", "cccc")},
	{"reports that nobody has chosen stay", func(d *day) { d.leaves("aaaa"); d.Stay([]string{"aaaa"}) }, func(d *day) { d.leaves("aaaa"); d.Stay([]string{"aaaa", "bbbb"}) }},
	{"a manifest is sent as its file is", imported(manifest), imported(manifest + "\n")},
	{importTold, imports(0, asTold), imports(0, strings.Replace(asTold, `"patchCount":1`, `"patchCount":2`, 1))},
	{importTold, imports(0, "imported: 1 release and 1 patch; see: geodeck upgrade available\n"), imports(0, "imported: 1 patch and 1 release; see\n")},
	{importTold, imports(6, strings.NewReplacer("done", "unknown", `"succeeded"`, "null").Replace(asTold)), imports(6, asTold)},
}
