package sweep

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/simulator"
	"geodeck/ui/uitest/sweep/oracle"
)

// deletion is the play of an administrator who deletes reports of health checks: those that were chosen go, and no others.
const deletion = "deletion"

// deleting is a day of it.
type deleting struct {
	m      *machine
	intent *oracle.Intent
	chosen []listedReport
	others []listedReport // that nobody wants to go
}

// listedReport is a report in the list of the site.
type listedReport struct{ ID, Name string }

// playDeletion deletes reports: one on the screen, and up to four by a command.
func playDeletion(m *machine) {
	r := m.day.random("reports to delete")
	d := &deleting{m: m, intent: &oracle.Intent{}, others: m.listedReports()}
	r.Shuffle(len(d.others), func(i, j int) { d.others[i], d.others[j] = d.others[j], d.others[i] })
	n, try := 1+r.IntN(4), d.byCommand
	if m.day.Face == dashboard {
		n, try = 1, d.onScreen
	}
	if n = min(n, len(d.others)); n == 0 { // of a week that has deleted them all
		return
	}
	d.chosen, d.others = d.others[:n], d.others[n:]
	m.deleting = d
	m.insist(wish{name: deletion, is: isDeletion, intent: d.intent, try: try, has: func() bool { return len(d.left(m.listedReports())) == 0 }})
	m.day.oracle.Stay(idsOf(d.others))
}

// isDeletion reports whether a post deletes reports.
func isDeletion(p *post) bool {
	return strings.HasPrefix(p.path, "/healthCheck/reports/") && strings.HasSuffix(p.path, "/delete")
}

// listedReports are those of the site, the newest first.
func (m *machine) listedReports() []listedReport {
	var told struct{ Runs []listedReport }
	m.asks(&told, "/healthCheck/reports/query", url.Values{"start": {"1"}, "num": {"500"}})
	return told.Runs
}

func idsOf(list []listedReport) (ids []string) {
	for _, one := range list {
		ids = append(ids, one.ID)
	}
	return ids
}

// left are the chosen ones that are in a list.
func (d *deleting) left(list []listedReport) (left []listedReport) {
	for _, one := range d.chosen {
		if slices.ContainsFunc(list, func(l listedReport) bool { return l.ID == one.ID }) {
			left = append(left, one)
		}
	}
	return left
}

// byCommand deletes what a list still has of them, at times after a dry run, after an id that the site does not have, or with an
// id that is given twice.
func (d *deleting) byCommand(r *run) told {
	m, hand := d.m, d.m.day.random(r.name+" deletes")
	text, ok := m.read("health", "reports", "-o", "json")
	if !ok {
		return notSent("the reports cannot be read")
	}
	ids := slices.DeleteFunc(idsOf(d.chosen), func(id string) bool { return !strings.Contains(text, `"`+id+`"`) })
	if len(ids) == 0 {
		return told{outcome: adminapi.OutcomeDone, ended: true, text: "they are gone"}
	}
	if hand.IntN(4) == 0 {
		other := pick(hand, []string{"zzzzzzzzz9", ids[0][:9], strings.ToUpper(ids[0]), strings.Fields(d.chosen[0].Name)[0]})
		d.runs(r, append(slices.Clone(ids), other), "with the id of no report")
	}
	if hand.IntN(4) == 0 {
		d.runs(r, ids, "with --dry-run", "--dry-run")
	}
	if d.intent.Goes = ids; hand.IntN(4) == 0 {
		ids = append(slices.Clone(ids), ids[0])
	}
	return d.runs(r, ids, "").told()
}

// runs runs a command that deletes reports, and has what it says judged. why is why it has to send nothing; empty where it may.
func (d *deleting) runs(r *run, ids []string, why string, flags ...string) printed {
	day, form := d.m.day, pick(d.m.day.random(r.name+why+" form"), []string{"json", "table"})
	args := append(append([]string{"health", "delete"}, ids...), append(flags, "-o", form)...)
	deleting := day.oracle.Deletes(r.name, form, ids, len(flags) > 0)
	p := r.changeUnless(why, args...)
	if r.dead.Load() {
		return p
	}
	deleting.Ended(oracle.Printed{Code: p.code, Out: p.out, Err: p.err, Calm: day.calm(), Hostile: day.plan.scenario.HostileText})
	return p
}

// deletedEnds are what the screen says at the end of a deletion.
var deletedEnds = []ending{
	{"Deleted ", told{outcome: adminapi.OutcomeDone, ended: true}},
	{"The site refused to delete", told{outcome: adminapi.OutcomeRefused}},
	{"It is not known whether the site accepted", told{}},
	{"Nothing was sent", told{outcome: adminapi.OutcomeNotSent}},
}

// onScreen deletes a report from the list of the dashboard, found by its name, which is like no other.
func (d *deleting) onScreen(r *run) told {
	s, err := r.entered()
	if err != nil {
		return notSent(errorText(err))
	}
	defer s.close()
	s.wait(5 * time.Second)
	s.clear()
	one := d.chosen[0]
	asks := "Delete the report " + one.Name + "?"
	d.intent.Goes = []string{one.ID}
	for range 8 {
		if s.clear(); s.dead() {
			return told{}
		}
		s.resize(sizes[1])
		s.press("view.health R")
		s.wait(20 * time.Second)
		s.press("rows.filter ctrl+u")
		s.enters(one.Name)
		s.press("enter")
		s.wait(time.Second)
		switch {
		case strings.Contains(s.read(), "No report matches") && !strings.Contains(s.shown, "stale"):
			s.press("esc")
			if len(d.left(d.m.listedReports())) == 0 {
				return told{outcome: adminapi.OutcomeDone, ended: true, text: "it is gone"}
			}
			continue
		case !reportUnder(one.Name).MatchString(s.shown):
			s.story("the report is not listed")
			s.press("esc")
			continue
		}
		s.press("health.delete")
		s.sees(10*time.Second, "Delete the report", unknownTitle, "Unlock ")
		if said, over := s.deletes(asks); over {
			return said
		}
		if r.keys.Yes > 0 {
			return told{text: "no end is seen"}
		}
	}
	s.story("no report is deleted")
	return notSent("the report is not seen")
}

// reportUnder is the row of a report.
func reportUnder(name string) *regexp.Regexp {
	return regexp.MustCompile(`[✓✗!●?] .{0,60}` + regexp.QuoteMeta(name))
}

// deletes answers the question whether a report is deleted, and reads what becomes of it.
func (s *screen) deletes(asks string) (said told, over bool) {
	for range 6 {
		saw := s.sees(4*time.Minute, append(textsOf(deletedEnds, "Delete the report", unknownTitle, signInTitle), sessionExpired)...)
		if s.dead() {
			return told{}, true
		}
		if said, is := s.ended(deletedEnds, "deletion", saw); is {
			return said, true
		}
		if saw != "Delete the report" || s.run.keys.Yes > 0 {
			if !s.clear() {
				return told{}, false
			}
			continue
		}
		s.wait(2 * time.Second)
		asked := word.FindStringSubmatch(s.read())
		if asked == nil || !strings.Contains(s.shown, asks) {
			if s.wrong("another report than the one under the cursor is to be deleted"); asked == nil {
				return told{}, false
			}
		}
		s.answers(asked[1], func(shown string) bool { return strings.Contains(shown, "Delete the report") }, func() { s.run.keys.Yes++ })
		s.until(10*time.Second, func(shown string) bool { return !strings.Contains(shown, "Delete the report") })
	}
	return told{}, false
}

// readOnlyFirst is a site that takes no writes for a while.
var readOnlyFirst = oddity{"it takes no writes at first", func(p *plan) {
	p.scenario.ReadOnly = true
	off := simulator.Event{ReadOnly: new(bool)}
	off.At.Duration = 7 * time.Minute
	p.scenario.Events = append(p.scenario.Events, off)
}}

// othersDelete are what a second administrator does to reports meanwhile.
var othersDelete = []happening{
	{name: "another deletes a report that is to go", at: "POST /healthCheck/reports/delete", do: func(m *machine, _ *run) { m.deleting.goes(m.deleting.chosen) }},
	{name: "another deletes a report that is to stay", at: "POST /healthCheck/reports/delete", do: func(m *machine, _ *run) {
		m.deleting.others = m.deleting.others[m.deleting.goes(m.deleting.others[:1]):]
	}},
	{name: "another runs a check meanwhile", do: func(m *machine, _ *run) { m.site.checks() }},
}

// goes lets a second administrator delete the first of some reports, and returns how many that were.
func (d *deleting) goes(some []listedReport) int {
	answer := d.m.site.ask("POST", "/healthCheck/reports/"+some[0].ID+"/delete", nil)
	d.m.day.log("the second administrator deletes %s: %.100s", some[0].ID, answer)
	if answer != "" {
		return 0
	}
	return 1
}
