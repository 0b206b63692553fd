package oracle

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
)

// check is one of those before an upgrade.
type check struct {
	id, state, finding, accept string // an empty finding is any
}

func passed(id, format string, args ...any) check {
	return check{id, "ok", fmt.Sprintf(format, args...), ""}
}

func caution(id, accept, format string, args ...any) check {
	return check{id, "caution", fmt.Sprintf(format, args...), accept}
}

// checks are those before an update that is offered, by what the site has now, without settings and a licence. Nil where an
// upgrade runs, or it is not offered.
func (d *Day) checks(id string) []check {
	s := d.siteNow()
	o := s.find(id)
	if o == nil || s.state == inProgress || d.upgradeRuns() {
		return nil
	}
	mode := passed("mode", "Read-only mode is off.")
	if !takesWrites.MatchString(d.Ask("/mode")) {
		if mode = caution("mode", "mode", ""); s.state == failed && s.run.readOnly != 0 && s.run.until == 0 {
			mode.state = "danger"
		}
	}
	order, required := passed("order", "%s", o.reason), passed("required", "No update is required first.")
	switch o.state {
	case "applicable":
	case "required first":
		order.finding, required = "It fits after the required updates.", check{"required", "blocking", o.reason, ""}
	default:
		order.state = "blocking"
	}
	licence, settings := passed("licence", "No new licence is needed."), passed("settings", "This upgrade has no settings.")
	switch {
	case o.NewLicensesRequired == nil:
		licence = check{"licence", "note", "The update does not say whether it needs a new licence.", ""}
	case *o.NewLicensesRequired:
		licence = check{"licence", "later", "A new licence is needed.", ""}
	}
	if o.release || s.strange(o) {
		licence.state, settings.state = "", "" // those of its form count
	}
	return []check{s.running(o), mode, order, required, licence, settings, d.healthBefore(s), d.backupBefore(s, o),
		caution("placement", "placement", "Upgrade pods need a node labelled upgrader=true. They tolerate its upgrader taint."),
		s.images(o), passed("privileges", "You are an administrator.")}
}

// running is the check of the upgrade before.
func (s *site) running(o *offer) check {
	switch {
	case s.run == nil:
		return passed("running", "The site shows no log of an upgrade.")
	case s.state != failed:
		return passed("running", "No upgrade is running; the last one succeeded.")
	case s.between() && o.Version != strings.Join(strings.Split(s.run.to, ".")[:3], "."):
		return check{"running", "blocking", "The upgrade to " + s.run.to + " failed between releases. Only that release can follow.", ""}
	case s.between():
		return caution("running", "running", "The upgrade to %s failed between releases.", s.run.to)
	}
	return caution("running", "running", "No upgrade is running; the last one failed.")
}

// aged is a check of what must not be older than a day; any finding fits where its age has just become another one.
func (d *Day) aged(id, what, name string, ended millis, clock time.Time) check {
	text := func(now time.Time) check {
		age := max(now.Sub(time.UnixMilli(int64(ended))), 0)
		if age > 24*time.Hour {
			return caution(id, id, "%s, but is %s old: %s.", what, coarse(age), name)
		}
		return passed(id, "%s, %s old: %s.", what, coarse(age), name)
	}
	soon := text(clock.Add(5 * time.Second))
	if text(clock.Add(-5*time.Second)) != soon {
		return check{id: id}
	}
	return soon
}

// coarse is an age in its largest unit.
func coarse(d time.Duration) string {
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%d s", d/time.Second)
	case d < time.Hour:
		return fmt.Sprintf("%d min", d/time.Minute)
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h", d/time.Hour)
	}
	return fmt.Sprintf("%d days", d/(24*time.Hour))
}

// healthBefore is the check of the newest report that has ended.
func (d *Day) healthBefore(s *site) check {
	at := slices.IndexFunc(d.reports(), func(r checked) bool { return r.EndTime != 0 })
	if at < 0 {
		return caution("health", "health", "There is no health report.")
	}
	r := d.reports()[at]
	var whole checked
	d.into("/healthCheck/reports/"+r.ID, &whole)
	var tests, bad int
	var names []string
	for _, suite := range whole.SuiteStatus {
		for _, test := range append(suite.CriticalTestStatus, suite.GeneralTestStatus...) {
			if tests++; test.verdict() == "failed" {
				bad++
				names = append(names, test.Name)
			}
		}
	}
	switch {
	case r.verdict() == "failed" && bad > 0:
		text := fmt.Sprintf("The last report failed, %d of %d tests: %s. Failed: %s", bad, tests, r.Name, strings.Join(names[:min(bad, 2)], ", "))
		if bad > 2 {
			text += fmt.Sprintf(" and %d more", bad-2)
		}
		return check{"health", "danger", text + ".", "failed-health"}
	case r.verdict() != "passed":
		return check{id: "health"}
	case s.state == failed:
		if _, last := s.run.ends(); int64(r.EndTime) < last {
			return caution("health", "health", "No health report since the failed upgrade.")
		}
		return check{id: "health"}
	}
	return d.aged("health", "The last report passed", r.Name, r.EndTime, time.Now().Add(d.Ahead))
}

// backupBefore is the check of the newest backup.
func (d *Day) backupBefore(s *site, o *offer) check {
	type backup struct {
		BackupName, Status      string
		StartTime, CompleteTime millis
	}
	var stores struct{ BackupStores []struct{ Name string } }
	d.into("/system/disasterrecovery/stores", &stores)
	var newest backup
	var began, installed millis
	if s.run != nil {
		first, last := s.run.ends()
		if s.state == failed {
			began = millis(first)
		} else if s.run.kind == "release" {
			installed = millis(last)
		}
	}
	for _, store := range stores.BackupStores {
		var list struct{ Backups []backup }
		d.into("/system/disasterrecovery/stores/"+store.Name+"/backups", &list)
		for _, b := range list.Backups {
			if strings.EqualFold(b.Status, "completed") && b.CompleteTime > newest.CompleteTime && (began == 0 || b.CompleteTime <= began) {
				newest = b
			}
		}
	}
	heavy := map[bool]string{true: "danger", false: "caution"}[o.release]
	switch {
	case began != 0 && newest.BackupName == "":
		return check{id: "backup"}
	case newest.BackupName == "":
		return check{"backup", heavy, "The site reports no completed backup.", "backup"}
	case newest.CompleteTime < installed:
		return check{"backup", heavy, "No backup of the installed release: " + newest.BackupName + " is from before it was installed.", "backup"}
	case began != 0:
		return d.aged("backup", "The last backup before the failed upgrade is complete", newest.BackupName, newest.CompleteTime, time.Now().Add(d.Ahead))
	}
	return d.aged("backup", "The last backup is complete", newest.BackupName, newest.CompleteTime, time.Now().Add(d.Ahead))
}

// images is the check of the checksums of an update, and of those that it brings.
func (s *site) images(o *offer) check {
	without := map[string]bool{}
	for _, id := range append([]string{o.ID}, o.brings...) {
		for _, c := range s.find(id).Containers {
			if _, known := without[c.Name]; !known {
				without[c.Name] = !strings.HasPrefix(c.Checksum, "sha256:")
			}
		}
	}
	missing := 0
	for _, is := range without {
		if is {
			missing++
		}
	}
	switch included := map[bool]string{true: ", included updates counted"}[len(without) > len(o.Containers)]; {
	case len(without) == 0:
		return passed("images", "The update names no images.")
	case missing > 0:
		return check{"images", "note", fmt.Sprintf("%d of %d images have no checksum to compare%s.", missing, len(without), included), ""}
	}
	return passed("images", "All %d images have a checksum.", len(without))
}

// strange reports whether an update is none that the site knows by itself: it has no settings for that.
func (s *site) strange(o *offer) bool { return len(o.Containers) == 0 }

// planned are the checks that a plan has to print.
func (d *Day) planned(id string) shown {
	now := shown{checks: d.checks(id)}
	for _, c := range now.checks {
		if c.state == "blocking" {
			now.codes = []int{1}
			return now
		}
	}
	if now.codes = []int{0}; now.checks == nil {
		now.codes = []int{0, 1, 2, 4}
	}
	return now
}

// checksAgree judges each check that is printed before an upgrade by what the site has. On a bad line some may be unknown, which
// a table says in words of its own.
func checksAgree(l listed) (judged int, wrong []string) {
	if !l.Calm && (l.form == "table" || l.Out == "") || l.Code > 1 || len(l.after.checks) == 0 {
		return 0, nil
	}
	var printed struct {
		Blocked bool
		Checks  []struct{ ID, State, Finding, Accept string }
	}
	_ = json.Unmarshal([]byte(l.Out), &printed)
	text := strings.Join(strings.Fields(l.Out), " ")
	for i, c := range l.after.checks {
		if c.state == "" || i >= len(l.before.checks) || l.before.checks[i] != c || l.Unread[c.id] {
			continue
		}
		judged++
		if l.form == "table" {
			if !strings.Contains(text, c.finding) {
				wrong = append(wrong, fmt.Sprintf("%s does not say %q:\n%s", l.command(), c.finding, l.Out))
			}
			continue
		}
		if i >= len(printed.Checks) {
			return judged, append(wrong, fmt.Sprintf("%s has no check of %s: %s", l.command(), c.id, l.Out))
		}
		p := printed.Checks[i]
		if !l.Calm && p.State == "not known" {
			continue
		}
		if c.id == "mode" && p.State == "note" && strings.HasPrefix(p.Finding, c.finding) { // of a locked site
			continue
		}
		if p.ID != c.id || p.State != c.state || p.Accept != c.accept || c.finding != "" && p.Finding != c.finding {
			wrong = append(wrong, fmt.Sprintf("%s says %v, and by the site it is %v", l.command(), p, c))
		}
	}
	return judged, wrong
}
