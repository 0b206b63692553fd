package upgrade

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/plain"
)

const askTheSite = "Read it again, or look at the site itself."

func checkRunning(f Facts) result {
	if !f.Status.Known {
		return unknown("Whether an upgrade runs could not be read", f.Status.Err, askTheSite)
	}
	switch state := plain.Clip(f.Status.Value.State, 40); ReadStatus(f.Status.Value) {
	case ReadIdle:
		return ok("No upgrade has run yet.")
	case ReadSuccess:
		return ok("No upgrade is running; the last one succeeded.")
	case ReadRunning:
		return blocking("Watch it, and come back when it has ended.", "An upgrade is running.")
	case ReadFailed:
		return warning("Find out why before you start another one.", "No upgrade is running; the last one failed.")
	default:
		return unknown(fmt.Sprintf("The site gives a state that is not known: %q, code %d", state, f.Status.Value.Code), nil, askTheSite)
	}
}

func checkMode(f Facts) result {
	switch {
	case !f.Mode.Known:
		return unknown("The mode of the site could not be read", f.Mode.Err, askTheSite)
	case f.Mode.Value.ReadOnly:
		finding := "The site is in read-only mode."
		if says := plain.Clip(strings.TrimSpace(f.Mode.Value.Message), 200); says != "" {
			finding = "The site is in read-only mode, and says: " + says
		}
		return blocking("Switch read-only mode off once nothing needs it any more.", "%s", finding)
	}
	return ok("The site is not in read-only mode.")
}

func (f Facts) entry() (Entry, bool) { return f.Chain.Value.Find(f.Target.ID) }

func checkOrder(f Facts) result {
	if !f.Chain.Known {
		return unknown("What the site offers could not be read", f.Chain.Err, askTheSite)
	}
	entry, offered := f.entry()
	if !offered {
		return blocking("Choose one of those that the site offers, or give the manifest file that holds it.", "%s is not among the updates that are offered.", called(f.Target))
	}
	switch entry.State {
	case Applicable:
		return ok("%s", entry.Reason)
	case RequiredFirst:
		return ok("It fits once the updates that it requires are installed.")
	case NotKnown:
		return unknown(strings.TrimSuffix(entry.Reason, "."), nil, "Look up which build the site runs.")
	case Broken:
		return blocking("Read the manifest again, or import a whole one.", "%s", entry.Reason)
	}
	return blocking("Choose another update.", "%s", entry.Reason)
}

func checkRequired(f Facts) result {
	entry, offered := f.entry()
	switch {
	case !f.Chain.Known:
		return unknown("What the site offers could not be read", f.Chain.Err, askTheSite)
	case !offered || entry.State == NotKnown:
		return unknown("What has to be installed first is not known", nil, "")
	case entry.State == RequiredFirst:
		var names []string
		for _, id := range entry.Requires {
			names = append(names, short(id))
		}
		return blocking("Install first: "+plain.Clip(strings.Join(names, ", "), 400)+".", "%s", entry.Reason)
	}
	return ok("Nothing that is offered has to be installed first.")
}

// freshFor is how old a health report or a backup may be.
const freshFor = 24 * time.Hour

func checkHealth(f Facts) result {
	run := "Run a health check now."
	switch r := f.Report.Value; {
	case !f.Report.Known && errors.Is(f.Report.Err, adminapi.KindVersionTooOld):
		return unknown("The site has no health checks yet", nil, "Look at the site itself.")
	case !f.Report.Known:
		return unknown("The last health report could not be read", f.Report.Err, run)
	case !r.Found:
		return warning(run, "There is no health report.")
	case !r.Good:
		return warning("Look at the report and mend what did not pass, or run the check again.",
			"The last report, %s, says: %s.", named(r.Name, r.ID), wordOr(r.Verdict, "unknown"))
	default:
		return f.aged("The last report, "+named(r.Name, r.ID)+", passed", "and is", r.Ended, run)
	}
}

func checkBackup(f Facts) result {
	back := "Make a backup first."
	switch b := f.Backup.Value; {
	case !f.Backup.Known:
		return unknown("Whether there is a backup could not be read", f.Backup.Err, "Make sure that there is one.")
	case !b.Found:
		return warning(back, "The site knows of no completed backup.")
	default:
		return f.aged("The last backup, "+named(b.Name, b.Store)+", is complete", "and", b.Ended, back)
	}
}

// aged tells how old something good is; and joins what is good with the age.
func (f Facts) aged(what, and string, ended adminapi.Millis, do string) result {
	if f.Now.IsZero() || ended.IsZero() {
		return unknown(what+", but how old it is is not known", nil, do)
	}
	// A little in the future is a matter of clocks.
	age := max(time.Duration(f.Now-ended)*time.Millisecond, 0)
	if age > freshFor {
		return warning(do, "%s, but it is %s old.", what, adminapi.Roughly(age))
	}
	return ok("%s %s %s old.", what, and, adminapi.Roughly(age))
}

func named(name, otherwise string) string {
	if name = short(name); name == "" {
		name = short(otherwise)
	}
	return wordOr(name, "without a name")
}

func wordOr(word, otherwise string) string {
	if word = short(word); word == "" {
		return otherwise
	}
	return word
}
