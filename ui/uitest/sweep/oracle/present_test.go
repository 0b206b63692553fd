package oracle_test

import (
	"time"

	"geodeck/ui/uitest/sweep/oracle"
)

// A frame's first lines, by what they say of the site.
func (d *day) shows(head string) {
	text := " geodeck  city · 127.0.0.1:7443  " + head + " · admin\n Health  [Services]\n────\n"
	d.Said(oracle.Saying{Program: "program-1", Where: "the screen", At: d.now, Clock: d.now, Text: text, Frame: true, Width: 120})
}

// follows is a day on which the site is looked at; reached says whether anybody is at its address.
func (d *day) follows(readOnly, reached bool) {
	d.site["/mode"], d.site["/"] = `{"isReadOnly":false}`, `{"fullVersion":"11.5.0.6745"}`
	if readOnly {
		d.site["/mode"] = `{"isReadOnly":true}`
	}
	d.Followed = &oracle.Followed{Reached: func(_, _ time.Time) bool { return reached }}
}

func (d *day) goes(more string) {
	d.follows(false, true)
	d.Visits = oracle.NewVisits("city", "city", "harbour")
	d.Names("program-1", "city")
	d.shows("11.5.0.6745")
	text := " geodeck  harbour · 127.0.0.1:7444  " + more + "\n Health  [Services]\n────\n"
	d.Said(oracle.Saying{Program: "program-1", Where: "the screen", At: d.now, Clock: d.now, Text: text, Frame: true, Width: 120})
	d.WantsAt("harbour", "907")
}

func (d *day) lands(text string, named bool) {
	d.goes("")
	if named {
		d.Names("program-1", "harbour")
	}
	d.Lands(oracle.Landed{Program: "program-1", Site: "harbour", Path: edit, Text: text})
}

func init() {
	silent := func(head string) func(*day) {
		return func(d *day) {
			d.follows(false, false)
			d.shows(head)
			d.now = d.now.Add(10 * time.Minute)
			d.shows(head)
		}
	}
	kept := func(head string) func(*day) {
		return func(d *day) { d.follows(true, false); d.shows(head) }
	}
	told := func(head string) func(*day) {
		return func(d *day) {
			d.follows(true, true)
			d.Read("program-1", "/mode", d.site["/mode"], d.now)
			d.now = d.now.Add(2 * time.Minute)
			d.shows(head)
		}
	}
	for rule, of := range map[string][2]func(*day){
		"what stands for the present is so":                    {func(d *day) { d.follows(true, true); d.shows("▲ READ-ONLY") }, func(d *day) { d.follows(false, true); d.shows("▲ READ-ONLY") }},
		"what has an age was so then":                          {kept("▲ was read-only 5 min ago"), silent("▲ was read-only 5 min ago")},
		"what was kept says all of its time":                   {func(d *day) { d.follows(false, false); d.shows("11.5.0.6745 5 min ago") }, kept("11.5.0.6745 5 min ago")},
		"what the site tells is on the screen":                 {told("▲ READ-ONLY"), told("")},
		"a silent site is called so":                           {silent("▲ site not reachable"), silent("")},
		"a site that was come to is locked anew":               {func(d *day) { d.goes("read-only") }, func(d *day) { d.goes("UNLOCKED") }},
		"one site shows nothing of another":                    {func(d *day) { d.goes("") }, func(d *day) { d.goes("▲ READ-ONLY") }},
		"a site that was come to gets nothing before its name": {func(d *day) { d.lands("907", true) }, func(d *day) { d.lands("907", false) }},
		"a write reaches the site that it is meant for":        {func(d *day) { d.lands("907", true) }, func(d *day) { d.lands("800", true) }},
	} {
		days = append(days, struct {
			rule      string
			good, bad func(*day)
		}{rule, of[0], of[1]})
	}
}
