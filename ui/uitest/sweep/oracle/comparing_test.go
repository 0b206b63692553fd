package oracle_test

import (
	"strings"
	"sync"

	"geodeck/ui/uitest/sweep/oracle"
)

const cities = "SampleWorldCities.MapServer"

// reviewed is what a dry run prints of a description that is changed, and of a key that is added.
const reviewed = `{"items":[{"service":"` + cities + `","part":"definition","changes":[{"path":"description","kind":"changed","old":"Cities.","new":"Described anew."},
{"path":"zzqv7","kind":"added","new":{"a":[1,{"b":null}],"c":{},"0 d":[]}}],"risks":[{"path":"zzqv7","label":"unknown key","severity":"caution","accept":"unknown-key",
"text":"No known MapServer definition has this key."}],"lost":[],"findings":[],"outcome":"refused","sent":false}]}`

const reviewLines = cities + `
2 changes: 1 added, 1 changed
unknown-key, to accept  zzqv7  No known MapServer definition has this key.
changed  description
  - "Cities."
  + "Described anew."
added  zzqv7
  + {
  +   "a": [
  +     1,
  +     {
  +       "b": null
  +     }
  +   ],
  +   "c": {},
  +   "0 d": []
  + }
  caution, unknown key: No known MapServer definition has this key.
`

// says lets a command say something of a change, where it prints another thing than it should in place of was.
func says(form string, code int, was, is string) func(*day) {
	return func(d *day) {
		const before = `{"description":"Cities."}`
		out := strings.Replace(map[string]string{"json": reviewed, "table": reviewLines}[form], was, is, 1)
		d.Compares(oracle.Comparison{Service: cities, Altered: twice(), Now: before, Form: form, Code: code, Out: out})
	}
}

const (
	changesRule  = "each change is shown with what it was and what it is"
	findingsRule = "what an edit may do is found before it is sent"
	dryRunRule   = "an edit that is not sent says why"
)

// comparisonDays are days of what is said of a change.
var comparisonDays = []struct {
	rule      string
	good, bad func(*day)
}{
	{changesRule, says("json", 4, "", ""), says("json", 4, `"old":"Cities."`, `"old":"Towns."`)},
	{changesRule, says("json", 4, "", ""), says("json", 4, `"kind":"added"`, `"kind":"changed"`)},
	{changesRule, says("table", 4, "", ""), says("table", 4, "1 added, 1 changed", "2 changed")},
	{changesRule, says("table", 4, "", ""), says("table", 4, `  + "Described anew."`+"\n", "")},
	{changesRule, says("table", 4, "", ""), says("table", 4, `"b": null`, `"b": 0`)},
	{findingsRule, says("json", 4, "", ""), says("json", 4, `"severity":"caution"`, `"severity":"note"`)},
	{findingsRule, says("json", 4, "", ""), says("json", 4, `"lost":[]`, `"lost":["description"]`)},
	{findingsRule, says("table", 4, "", ""), says("table", 4, "zzqv7  No", "zzqv8  No")},
	{dryRunRule, says("json", 4, "", ""), says("json", 4, "refused", "planned")},
	{dryRunRule, says("json", 4, "", ""), says("json", 0, "", "")},
}

// twice is the change of a description, and of a key that is added.
var twice = sync.OnceValue(func() *oracle.Altered {
	for n := range 1 << 20 {
		a := oracle.Alters(`{"description":"Cities."}`, func(below int) int {
			drawn := n % below
			n /= below
			return drawn
		})
		if strings.Contains(a.After, `"Described anew."`) && strings.Contains(a.After, `"zzqv7":`) {
			return a
		}
	}
	panic("no change has it")
})
