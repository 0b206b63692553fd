package oracle

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Estimate is what a program has said of the time that an upgrade still takes.
type Estimate struct {
	LeftSeconds int
	Late        bool
	Text, Basis string

	at     time.Time // by the clock of the site
	of     int64     // the first message of its run
	runs   int       // earlier ones of its kind that the record has seen succeed
	usual  time.Duration
	passed time.Duration // since the first message
}

// Estimates judges what "upgrade status" has printed, and keeps what only the end of the upgrade can show. at is the time of its answer,
// and files are those of the machine.
func (a *Asking) Estimates(p Printed, at time.Time, files map[string][]byte) {
	a.after = a.day.whyTruth(a.args)
	var told struct{ Estimate *Estimate }
	if json.Unmarshal([]byte(p.Out), &told) != nil || len(a.before.messages) == 0 {
		return
	}
	e := estimated{Asking: a, Printed: p, said: told.Estimate}
	if e.said != nil {
		r := runOf(a.before.messages, a.before.state)
		began, _ := r.ends()
		e.said.at, e.said.of = at.Add(a.day.Ahead), began
		e.said.passed = e.said.at.Sub(time.UnixMilli(began))
		e.said.runs, e.said.usual = earlierRuns(files, r.kind, began)
	}
	judge(a.day, atEstimate, e)
}

type estimated struct {
	*Asking
	Printed
	said *Estimate
}

var atEstimate = []rule[estimated]{
	{"an estimate is told of a run that goes on", goesOnAsEstimated},
	{"an estimate says what it is made of", basisIsSo},
}

// earlierRuns is how many runs of a kind the transcripts have as succeeded that began before a time, and how long the middle one of them took.
func earlierRuns(files map[string][]byte, kind string, before int64) (n int, usual time.Duration) {
	var all []int64
	for name, content := range files {
		if !strings.Contains(name, "/transcripts/") {
			continue
		}
		var messages []message
		ended, meaning := false, ""
		for line := range strings.Lines(string(content)) {
			var one struct {
				Meaning  string
				Ended    bool
				Messages []struct{ Message message }
			}
			if json.Unmarshal([]byte(line), &one) != nil {
				continue
			}
			ended, meaning = ended || one.Ended, cmp.Or(one.Meaning, meaning)
			for _, m := range one.Messages {
				if m.Message.When > 0 { // one without a time is of no moment
					messages = append(messages, m.Message)
				}
			}
		}
		slices.SortStableFunc(messages, func(a, b message) int { return cmp.Compare(a.When, b.When) })
		if !ended || meaning != "succeeded" || len(messages) == 0 || messages[0].When >= before {
			continue
		}
		if r := runOf(messages, meaning); r.kind == kind && r.phases[0].messages > 0 {
			began, last := r.ends()
			all = append(all, last-began)
		}
	}
	if len(all) == 0 {
		return 0, 0
	}
	slices.Sort(all)
	return len(all), time.Duration(all[len(all)/2]) * time.Millisecond
}

// goesOnAsEstimated wants none of a run that does not go on, or that goes back.
func goesOnAsEstimated(e estimated) (int, []string) {
	if e.said == nil {
		return 0, nil
	}
	if e.before.state != inProgress && e.after.state != inProgress || runOf(e.before.messages, e.before.state).back && runOf(e.after.messages, e.after.state).back {
		return 1, []string{fmt.Sprintf("geodeck upgrade status says %q, and no upgrade goes on", e.said.Text)}
	}
	return 1, nil
}

var (
	likeRuns  = regexp.MustCompile(`^like the last (?:run|(\d+) runs)$`)
	countSaid = regexp.MustCompile(`^(\d+) of (\d+) deployments(, first run here)?$`)
	timeSaid  = regexp.MustCompile(`^about (?:(\d+) h )?(\d+) min left$`)
)

// basisIsSo judges the runs and the deployments that an estimate is made of, and its words by its number.
func basisIsSo(e estimated) (int, []string) {
	if e.said == nil {
		return 0, nil
	}
	wrong := func(what string, args ...any) (int, []string) {
		return 1, []string{fmt.Sprintf("geodeck upgrade status says %q (%s): ", e.said.Text, e.said.Basis) + fmt.Sprintf(what, args...)}
	}
	first := strings.HasSuffix(e.said.Basis, "first run here")
	if first != (e.said.runs == 0) {
		return wrong("the record has %d runs of its kind", e.said.runs)
	}
	if said := likeRuns.FindStringSubmatch(e.said.Basis); said != nil && cmp.Or(said[1], "1") != fmt.Sprint(e.said.runs) {
		return wrong("the record has %d runs of its kind", e.said.runs)
	}
	if said := countSaid.FindStringSubmatch(e.said.Basis); said != nil {
		was, is := runOf(e.before.messages, e.before.state), runOf(e.after.messages, e.after.state)
		done, _ := strconv.Atoi(said[1])
		if done < was.done || done > is.done || said[2] != fmt.Sprint(is.total) {
			return wrong("%d to %d of %d are done", was.done, is.done, is.total)
		}
	}
	left := time.Duration(e.said.LeftSeconds) * time.Second
	if said := timeSaid.FindStringSubmatch(e.said.Text); said != nil {
		hours, _ := strconv.Atoi(cmp.Or(said[1], "0"))
		minutes, _ := strconv.Atoi(said[2])
		if in := time.Duration(60*hours+minutes) * time.Minute; e.said.Late || (left-in).Abs() > 31*time.Second {
			return wrong("its number is %s", left)
		}
	} else if e.said.Late != strings.HasPrefix(e.said.Text, "longer than ") || !e.said.Late && left >= time.Minute {
		return wrong("its number is %s", left)
	}
	a := e.day
	a.mu.Lock()
	defer a.mu.Unlock()
	a.estimates = append(a.estimates, *e.said)
	return 1, nil
}

// Lasted judges all estimates of a run that has succeeded without a stall, by how long it has lasted.
func (d *Day) Lasted() {
	state, messages := statusTold(d.Ask("/system/upgrades"))
	d.mu.Lock()
	all := d.estimates
	d.mu.Unlock()
	if state != "succeeded" || len(messages) == 0 {
		return
	}
	r := runOf(messages, state)
	began, last := r.ends()
	for _, e := range all {
		if e.of == began {
			judge(d, atLast, lasted{e, time.Duration(last-began) * time.Millisecond, time.UnixMilli(last).Sub(e.at)})
		}
	}
}

// lasted is an estimate beside the truth.
type lasted struct {
	Estimate
	took, left time.Duration
}

var atLast = []rule[lasted]{{"an estimate is near the truth", nearTruth}}

func nearTruth(e lasted) (int, []string) {
	said := time.Duration(e.LeftSeconds) * time.Second
	byRuns := e.usual - e.passed // what the middle one of the earlier runs makes it
	switch off := (said - e.left).Abs(); {
	case e.Late && e.runs > 0 && e.passed < e.usual*3/4:
		return 1, []string{fmt.Sprintf("%q is said after %s of an upgrade, and the last ones took %s", e.Text, e.passed, e.usual)}
	case e.Late, off <= e.took/6:
	case likeRuns.MatchString(e.Basis) && (said-byRuns).Abs() <= e.usual/3:
	case e.runs > 0 && min(e.left, byRuns) <= said && said <= max(e.left, byRuns): // the earlier runs were longer, or shorter
	default:
		return 1, []string{fmt.Sprintf("%q (%s) is said %s before the end of an upgrade of %s; the last ones took %s", e.Text, e.Basis, e.left, e.took, e.usual)}
	}
	return 1, nil
}
