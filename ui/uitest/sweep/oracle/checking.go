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
	id, state, finding, accept string // an empty finding is any, see says
	weighs                     string // of one that is not known; empty for any
}

func passed(id, format string, args ...any) check {
	return check{id: id, state: "ok", finding: fmt.Sprintf(format, args...)}
}

func caution(id, accept, format string, args ...any) check {
	return check{id: id, state: "caution", finding: fmt.Sprintf(format, args...), accept: accept}
}

// checks are those before an update that is offered, by what the site has now, and by what a command was given. Nil where an
// upgrade runs, or it is not offered.
func (d *Day) checks(id string, g given) []check {
	s := d.siteNow()
	o := s.find(id)
	if o == nil || s.state == inProgress || d.upgradeRuns() {
		return nil
	}
	mode := d.modeBefore(s)
	order, required := passed("order", "%s", o.reason), passed("required", "No update is required first.")
	switch o.state {
	case "applicable":
	case "required first":
		order.finding, required = "It fits after the required updates.", check{id: "required", state: "blocking", finding: o.reason}
	default:
		order.state = "blocking"
	}
	licence, settings := d.formChecks(o, g)
	if s.strange(o) {
		licence.state, settings.state = "", "" // those of its form count
	}
	all := []check{s.running(o), mode, order, required, licence, settings, d.healthBefore(s), d.backupBefore(s, o), d.placement(), s.images(o), d.privileges(o, g), d.clocks()}
	for i, c := range all {
		for path, unread := range unreads {
			if unread.id == c.id && d.Mute[path] {
				all[i] = unread
			}
		}
	}
	if slices.Compare(numbersOf(s.now.Version), []int{11, 2}) < 0 {
		all[6] = check{"health", "not known", "This site has no health checks.", "health", "caution"}
		all[8] = check{"placement", "not known", "This version does not report where upgrade pods run.", "placement", "caution"}
	}
	return all
}

// modeBefore is the check of the mode.
func (d *Day) modeBefore(s *site) check {
	var mode struct {
		IsReadOnly bool
		Message    string
	}
	d.into("/mode", &mode)
	text := strings.TrimSuffix("Read-only mode is on: "+strings.TrimSpace(mode.Message), ".") + "."
	switch {
	case takesWrites.MatchString(d.Ask("/mode")):
		return passed("mode", "Read-only mode is off.")
	case s.state == failed && s.run.readOnly != 0 && s.run.until == 0:
		return check{id: "mode", state: "danger", finding: "Left on by the upgrade that failed*", accept: "mode"}
	case strings.TrimSpace(mode.Message) == "":
		text = "Read-only mode is on."
	}
	return caution("mode", "mode", "%s", text)
}

// running is the check of the upgrade before.
func (s *site) running(o *offer) check {
	switch {
	case s.run == nil:
		return passed("running", "The site shows no log of an upgrade.")
	case s.state != failed:
		return passed("running", "No upgrade is running; the last one succeeded.")
	case s.between() && o.Version != strings.Join(strings.Split(s.run.to, ".")[:3], "."):
		return check{id: "running", state: "blocking", finding: "The upgrade to " + s.run.to + " failed between releases. Only that release can follow."}
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
		return check{id: "health", state: "danger", finding: text + ".", accept: "failed-health"}
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
		return check{id: "backup", state: heavy, finding: "The site reports no completed backup.", accept: "backup"}
	case newest.CompleteTime < installed:
		return check{id: "backup", state: heavy, finding: "No backup of the installed release: " + newest.BackupName + " is from before it was installed.", accept: "backup"}
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
		return check{id: "images", state: "note", finding: fmt.Sprintf("%d of %d images have no checksum to compare%s.", missing, len(without), included)}
	}
	return passed("images", "All %d images have a checksum.", len(without))
}

// strange reports whether an update is none that the site knows by itself: it has no settings for that.
func (s *site) strange(o *offer) bool { return len(o.Containers) == 0 }

// planned are the checks that a plan has to print, or a dry run of the start.
func (d *Day) planned(id string, g given) shown {
	now := shown{checks: d.checks(id, g), given: g, id: id}
	if now.codes = []int{0}; now.checks == nil {
		now.codes = []int{0, 1, 2, 4}
		return now
	}
	for _, c := range now.checks {
		switch {
		case c.state == "": // it may be anything
			now.codes = append(now.codes, map[bool]int{true: 4, false: 1}[g.starts])
		case c.state == "blocking" && !g.starts:
			now.codes = []int{1}
		case g.starts && (c.state == "blocking" || c.accept != "" && !slices.Contains(g.words, c.accept)):
			now.codes = []int{4}
		}
	}
	if o := d.siteNow().find(id); d.Mute[settingsPath] { // of what it is given nobody knows whether it fits
		now.codes = append(now.codes, 1, 2, 4)
	} else if _, refused := g.filled(settingsIn(d.form(o)), o); refused {
		now.codes, now.checks = []int{2}, nil
	}
	return now
}

// checksAgree judges each check that is printed before an upgrade by what the site has. On a bad line some may be unknown, which
// a table says in words of its own.
func checksAgree(l listed) (judged int, wrong []string) {
	dry := l.after.given.starts
	if !l.Calm && (l.form == "table" || l.Out == "") || l.Code > 1 && !dry || len(l.after.checks) == 0 || dry && (l.form == "table" || l.Out == "") {
		return 0, nil
	}
	var printed struct {
		Blocked               bool
		Accepted, NotAccepted []string
		Checks                []struct{ ID, State, Strength, Finding, Accept string }
		Request               *struct {
			Fields []struct{ Name, Value string }
		}
	}
	_ = json.Unmarshal([]byte(l.Out), &printed)
	text := strings.Join(strings.Fields(l.Out), " ")
	for i, c := range l.after.checks {
		if c.state == "" || i >= len(l.before.checks) || l.before.checks[i] != c || l.Hostile && c.id == "health" { // whose names are cleaned
			continue
		}
		judged++
		if l.form == "table" {
			if !c.says(text, true) {
				wrong = append(wrong, fmt.Sprintf("%s does not say %q:\n%s", l.command(), c.finding, l.Out))
			}
			continue
		}
		if i >= len(printed.Checks) {
			return judged, append(wrong, fmt.Sprintf("%s has no check of %s: %s", l.command(), c.id, l.Out))
		}
		p := printed.Checks[i]
		if !l.Calm && (p.State == "not known" || (c.id == "licence" || c.id == "privileges") && printed.Checks[5].State == "not known") { // which go by the form
			continue
		}
		if c.id == "mode" && c.state == "ok" && p.State == "note" && strings.HasPrefix(p.Finding, c.finding) { // of a locked site
			continue
		}
		if p.ID != c.id || p.State != c.state || p.Accept != c.accept || c.weighs != "" && p.Strength != c.weighs || !c.says(p.Finding, false) {
			wrong = append(wrong, fmt.Sprintf("%s says %v, and by the site it is %v", l.command(), p, c))
		}
		if is := slices.Contains(l.after.given.words, c.accept); dry && c.accept != "" && (slices.Contains(printed.Accepted, c.accept) != is || slices.Contains(printed.NotAccepted, c.accept) == is) {
			wrong = append(wrong, fmt.Sprintf("%s accepts %v and not %v, and %v is found", l.command(), printed.Accepted, printed.NotAccepted, c))
		}
	}
	if len(l.after.checks) == len(l.before.checks) && l.form != "table" && printed.Blocked != slices.ContainsFunc(l.after.checks, func(c check) bool { return c.state == "blocking" }) && l.Calm {
		wrong = append(wrong, fmt.Sprintf("%s says blocked: %v, and by the site it is %v", l.command(), printed.Blocked, l.after.checks))
	}
	if o := l.day.siteNow().find(l.after.id); dry && printed.Request != nil && !l.day.Mute[settingsPath] && o != nil {
		judged++
		settings, part := "", ""
		for _, f := range printed.Request.Fields {
			switch f.Name {
			case "upgradeSettings":
				settings = f.Value
			case "licenseFile": // its content is not shown
				part = string(l.after.given.files[l.after.given.licence])
			}
		}
		wrong = append(wrong, l.day.formDiffers(o, l.after.given, settings, func(id string) string {
			return map[bool]string{true: string(l.after.given.files[l.after.given.licence])}[strings.Contains(id, "filled in automatically")]
		}, part, true)...)
	}
	return judged, wrong
}
