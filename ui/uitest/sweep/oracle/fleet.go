package oracle

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Deployment is one of several sites, as rows of all of them are judged by.
type Deployment struct {
	Name string
	Kind string // what a row says of its lock, in capitals; empty for nothing
	// Ask returns what the site truly answers to a read.
	Ask func(path string) string
	// Away reports whether nobody is at its address, and Refuses whether programs are refused a path now.
	Away    func() bool
	Refuses func(path string) bool
	// Hard says that its answers may be late or lost: a row may call it unreachable, or not signed in to.
	Hard bool
	// Unsure says that its rows are not judged by what it is: it tells old things.
	Unsure bool
}

// Fleet are several sites, which are looked at all the time.
type Fleet struct {
	Sites []Deployment

	truth  map[string][]seenSite
	looked time.Time                  // last
	since  map[string]time.Time       // of a program: the first of the frames in a row that show the list
	read   map[string]map[string]bool // of a program: the sites that it has shown as read
}

// NewFleet is a fleet at which nobody has looked.
func NewFleet(sites ...Deployment) *Fleet {
	return &Fleet{Sites: sites, truth: map[string][]seenSite{}, since: map[string]time.Time{}, read: map[string]map[string]bool{}}
}

// The parts of a site that a user may not be allowed to read.
const (
	PathMode     = "/mode"
	PathUpgrades = "/system/upgrades"
	PathReports  = "/healthCheck/reports/query"
)

var parts = []string{PathMode, PathUpgrades, PathReports}

// siteTruth is what a site is, as far as a row tells of it.
type siteTruth struct {
	Away     bool
	Version  string
	ReadOnly bool
	Upgrade  string // its state; empty for none
	Report   string // how the newest one that has ended did; empty for none
	Began    int64  // of that, by the clock of the site
	Unread   [3]bool
}

type seenSite struct {
	siteTruth
	at time.Time
}

// looks asks a site what it is.
func (s Deployment) looks() (t siteTruth) {
	into := func(path string, told any) { _ = json.Unmarshal([]byte(s.Ask(path)), told) }
	if t.Away = s.Away(); s.Ask == nil {
		return t
	}
	var (
		root    struct{ FullVersion string }
		mode    struct{ IsReadOnly bool }
		upgrade status
		reports struct {
			Runs []struct {
				Result, State string
				StartTime     int64
			}
		}
	)
	into("/", &root)
	into(PathMode, &mode)
	into(PathUpgrades, &upgrade)
	into(PathReports+"?start=1&num=200", &reports)
	t.Version, t.ReadOnly, t.Upgrade = root.FullVersion, mode.IsReadOnly, upgrade.Status.State
	for _, run := range reports.Runs {
		if strings.EqualFold(run.State, "completed") && run.StartTime >= t.Began {
			t.Report, t.Began = strings.ToLower(run.Result), run.StartTime
		}
	}
	for i, path := range parts {
		t.Unread[i] = s.Refuses(path)
	}
	return t
}

// LooksAtAll looks at what each site of the fleet is. Whoever changes one lets them be looked at before and after.
func (d *Day) LooksAtAll(at time.Time) {
	if d.Fleet == nil {
		return
	}
	d.Fleet.looked = at
	for _, s := range d.Fleet.Sites {
		now := s.looks()
		d.mu.Lock()
		if all := d.Fleet.truth[s.Name]; len(all) == 0 || all[len(all)-1].siteTruth != now {
			d.Fleet.truth[s.Name] = append(all, seenSite{now, at})
		}
		d.mu.Unlock()
	}
}

// within are what a site was at the moments of a time, see [Day.was].
func (d *Day) within(site string, from, to time.Time) (found []siteTruth) {
	d.mu.Lock()
	defer d.mu.Unlock()
	all := d.Fleet.truth[site]
	for i, one := range all {
		if (i == 0 || !one.at.After(to)) && (i+1 == len(all) || !all[i+1].at.Before(from)) {
			found = append(found, one.siteTruth)
		}
	}
	return found
}

// The words of the states of a row.
const (
	rowUnreachable, rowSignIn = "unreachable", "sign-in needed"
	rowHealthy, rowOutdated   = "healthy", "outdated"
)

// states are the words that a row of such a site may have, read at a time by its own clock.
func (t siteTruth) states(at time.Time) (words []string) {
	if t.Away {
		return []string{rowUnreachable}
	}
	report := map[string]string{"failed": "unhealthy", "warning": "warnings", "": "not checked"}[t.Report]
	if t.Report == "passed" || t.Report == "skipped" {
		const day, near = 24 * time.Hour, 2 * time.Minute
		switch age := at.Sub(time.UnixMilli(t.Began)); {
		case (age - day).Abs() < near:
			words = append(words, rowHealthy, rowOutdated)
		case age > day:
			report = rowOutdated
		default:
			report = rowHealthy
		}
	}
	switch {
	case strings.EqualFold(t.Upgrade, "failed"):
		return []string{"upgrade failed"}
	case t.Upgrade == running:
		words = []string{"upgrading", "upgrade stalled"}
		if report == "warnings" || report == "unhealthy" {
			words = []string{report, "upgrade stalled", "upgrading"} // its reports may be closed meanwhile
		}
		return words
	case t.ReadOnly && report != "warnings" && report != "unhealthy":
		return []string{"read-only"}
	}
	return append(words, report)
}

// FleetRow is what a program says of one of several sites.
type FleetRow struct {
	Day                  *Day
	Program, Where, Site string
	State, Text          string // the word of its state, and all else that is said
	Version              string // empty where it says none
	Age                  string // such as "as of 5 min ago"; empty for none
	From, To             time.Time
	Told                 map[string]bool // facts by name that JSON has, such as readOnly
	now                  []siteTruth     // what the site was in that time
	of                   Deployment
}

var atFleet = []rule[FleetRow]{
	{"a row of a fleet is as its site is", rowIsSo},
	{"what may not be read of a site is not called well", unreadIsNotWell},
	{"a row of a site that is away has its age", awayHasItsAge},
	{"a row says that its site is locked", rowSaysLocked},
}

// Row judges a row.
func (d *Day) Row(r FleetRow) {
	at := slices.IndexFunc(d.Fleet.Sites, func(s Deployment) bool { return s.Name == r.Site })
	if at < 0 {
		d.Fail(fmt.Sprintf("%s of %s has a row of %s, which is no site", r.Where, r.Program, r.Site))
		return
	}
	if r.Day, r.of, r.now = d, d.Fleet.Sites[at], d.within(r.Site, r.From, r.To); r.State != "reading" {
		judge(d, atFleet, r)
	}
}

// some reports whether the site was so at some moment in which the row may have been read.
func (r FleetRow) some(so func(siteTruth) bool) bool { return slices.ContainsFunc(r.now, so) }

func rowIsSo(r FleetRow) (judged int, wrong []string) {
	hard := r.of.Unsure || r.of.Hard && (r.State == rowUnreachable || r.State == rowSignIn)
	if hard || r.some(func(t siteTruth) bool { return t.Unread != [3]bool{} }) {
		return 0, nil
	}
	if !r.some(func(t siteTruth) bool { return slices.Contains(t.states(r.To.Add(r.ahead())), r.State) }) {
		wrong = append(wrong, fmt.Sprintf("%s of %s calls %s %s (%s), and it was %v", r.Where, r.Program, r.Site, r.State, r.Text, r.now))
	}
	if r.Age == "" && r.Version != "" && r.State != rowUnreachable && !r.some(func(t siteTruth) bool { return t.Version == r.Version }) {
		wrong = append(wrong, fmt.Sprintf("%s of %s has version %s of %s, and it was %v", r.Where, r.Program, r.Version, r.Site, r.now))
	}
	if told, has := r.Told["readOnly"]; has && r.State != rowUnreachable && r.State != rowSignIn && !r.some(func(t siteTruth) bool { return t.ReadOnly == told }) {
		wrong = append(wrong, fmt.Sprintf("%s of %s says %v of whether %s is read-only, and it was %v", r.Where, r.Program, told, r.Site, r.now))
	}
	for word, result := range map[string]string{"report passed": "passed", "report failed": "failed", "report warning": "warning"} {
		if strings.Contains(r.Text, word) && r.State != rowUnreachable && !r.some(func(t siteTruth) bool { return t.Report == result || t.Upgrade == running }) {
			wrong = append(wrong, fmt.Sprintf("%s of %s says %q of %s, and it was %v", r.Where, r.Program, word, r.Site, r.now))
		}
	}
	return 1, wrong
}

// ahead is how far the clock of the site is off: of all but the first none is.
func (r FleetRow) ahead() time.Duration {
	if r.of.Hard && r.Day.Fleet.Sites[0].Name == r.Site {
		return r.Day.Ahead
	}
	return 0
}

func unreadIsNotWell(r FleetRow) (judged int, wrong []string) {
	if len(r.now) == 0 || r.some(func(t siteTruth) bool { return t.Unread == [3]bool{} }) {
		return 0, nil
	}
	if r.State == rowHealthy || r.State == rowOutdated {
		wrong = append(wrong, fmt.Sprintf("%s of %s calls %s %s, of which not all may be read", r.Where, r.Program, r.Site, r.State))
	}
	says := strings.Contains(r.Text, "not all of it may be read") || strings.Contains(r.Text, "cannot be read") || strings.Contains(r.Text, "…")
	all := func(part int) bool { return !r.some(func(t siteTruth) bool { return !t.Unread[part] }) }
	if (r.State == "upgrading" && all(1) || r.State == "read-only" && (all(0) || all(1)) || r.State == "not checked") && !says {
		wrong = append(wrong, fmt.Sprintf("%s of %s calls %s %s (%s), and does not say that not all of it may be read", r.Where, r.Program, r.Site, r.State, r.Text))
	}
	return 1, wrong
}

func awayHasItsAge(r FleetRow) (judged int, wrong []string) {
	r.Day.mu.Lock()
	before := r.Day.Fleet.read[r.Program]
	if before == nil {
		before = map[string]bool{}
		r.Day.Fleet.read[r.Program] = before
	}
	known := before[r.Site]
	before[r.Site] = known || r.State != rowUnreachable && r.State != rowSignIn
	r.Day.mu.Unlock()
	if r.State != rowUnreachable || r.Where != theFleet {
		return 0, nil
	}
	if known && r.Age == "" && !strings.Contains(r.Text, "…") {
		wrong = append(wrong, fmt.Sprintf("%s of %s calls %s %s (%s) without the age of what was known of it", r.Where, r.Program, r.Site, r.State, r.Text))
	}
	if r.Day.Followed != nil && r.Day.Followed.jumped {
		return 0, nil
	}
	if age := agoIn.FindStringSubmatch(r.Age); age != nil {
		judged++
		least, most := spanOf(age[1], age[2])
		then := r.Day.within(r.Site, r.To.Add(-most-presentFor), r.To.Add(-least+slack))
		if !slices.ContainsFunc(then, func(t siteTruth) bool { return !t.Away }) {
			wrong = append(wrong, fmt.Sprintf("%s of %s says of %s %q, when nobody was at its address", r.Where, r.Program, r.Site, r.Age))
		}
	}
	return judged, wrong
}

// agoIn is an age in coarse words.
var agoIn = regexp.MustCompile(`as of (\d+) (s|min|h|days?) ago`)

// spanOf is an age of one unit: it is at least the first, and less than the second.
func spanOf(number, unit string) (least, most time.Duration) {
	var n int
	_, _ = fmt.Sscan(number, &n)
	one := map[string]time.Duration{"s": time.Second, "min": time.Minute, "h": time.Hour}[unit]
	if one == 0 {
		one = 24 * time.Hour
	}
	return time.Duration(n) * one, time.Duration(n+1) * one
}

func rowSaysLocked(r FleetRow) (judged int, wrong []string) {
	if r.of.Kind == "" || r.Told != nil {
		return 0, nil
	}
	if !strings.Contains(strings.ToUpper(r.Text), r.of.Kind) {
		wrong = append(wrong, fmt.Sprintf("%s of %s does not say of %s that it is %s: %s", r.Where, r.Program, r.Site, r.of.Kind, r.Text))
	}
	return 1, wrong
}

// theFleet is where the rows of a frame are, and fleetHead the line of the names of its columns.
const theFleet = "the screen of the fleet"

var (
	fleetHead = regexp.MustCompile(`^\s+Site\s+State\s+Details`)
	fleetLine = regexp.MustCompile(`^[› ✓*]*([a-z]+)\s+(PRODUCTION|PROD|locked)?\s*\S (upgrade failed|upgrade stalled|upgrade unknown|unhealthy|unreachable|sign-in needed|warnings|upgrading|read-only|not checked|outdated|healthy|reading)(?:\s+(.*))?$`)
	aVersion  = regexp.MustCompile(`  (\d+\.\d+\.\d+\.\d+)(?:  |\s*$)`) // in a column of its own
)

// readsFor is how long a list of sites is read once it is shown: until then its rows are those of before, and an answer may
// take its time.
const readsFor = 40 * time.Second

// rarely is how seldom a screen reads a site that does not answer, but the one that it is at.
const rarely = 5*time.Minute + readsFor

// fleetShown judges the rows of a frame that shows the fleet.
func (d *Day) fleetShown(s Saying) {
	if d.Fleet == nil || !s.Frame {
		return
	}
	lines := strings.Split(s.Text, "\n")
	head := slices.IndexFunc(lines, fleetHead.MatchString)
	d.mu.Lock()
	if head < 0 {
		delete(d.Fleet.since, s.Program)
		d.mu.Unlock()
		return
	}
	if d.Fleet.since[s.Program].IsZero() {
		d.Fleet.since[s.Program] = s.At
	}
	shown := s.At.Sub(d.Fleet.since[s.Program])
	d.mu.Unlock()
	if s.At.Sub(d.Fleet.looked) > 2*slack { // what changes of its own accord is known late, and counts as before until then
		d.LooksAtAll(s.At)
	}
	if shown < readsFor {
		return
	}
	for _, line := range lines[head+1:] {
		if strings.HasPrefix(line, "───") {
			break
		}
		found := fleetLine.FindStringSubmatch(line)
		if found == nil {
			continue
		}
		row := FleetRow{Program: s.Program, Where: theFleet, Site: found[1], State: found[3], Text: found[2] + " " + found[4], From: s.At.Add(-presentFor), To: s.At}
		if row.State == rowUnreachable && !strings.Contains(lines[0], " "+row.Site+" · ") {
			row.From = s.At.Add(-rarely)
		}
		if m := aVersion.FindStringSubmatch(found[4]); m != nil {
			row.Version = m[1]
		}
		if i := strings.Index(found[4], "as of "); i >= 0 {
			row.Age = found[4][i:]
		}
		d.Row(row)
	}
}
