package oracle

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Visits are those of the sites between which the people at the dashboards go.
type Visits struct {
	// Main is the name of the site that the day is about: of others nobody has changed what a screen says of them.
	Main string
	// Locked are the names of those that get nothing before their name is given.
	Locked []string

	at      map[string]string // the site on the screen of each program
	named   map[string]bool   // the programs and sites whose names were given in this visit
	reads   map[string]bool   // the programs that were started so that they send nothing
	differs map[string]bool
	wanted  map[string][]string // the values that were wanted of each site, as they stand in a definition
}

// NewVisits are those of a day on which nobody was anywhere.
func NewVisits(main string, locked ...string) *Visits {
	return &Visits{Main: main, Locked: locked, at: map[string]string{}, named: map[string]bool{}, differs: map[string]bool{}, reads: map[string]bool{}, wanted: map[string][]string{}}
}

// Differs says that others have changed what screens say of a site.
func (v *Visits) Differs(site string) { v.differs[site] = true }

// ReadsOnly says that a program was started so that it sends nothing, to whatever site it goes.
func (v *Visits) ReadsOnly(program string) { v.reads[program] = true }

// Names says that a person gives the name of a site, at the start or when asked.
func (d *Day) Names(program, site string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.Visits.named[program+" "+site] = true
}

// WasNamed reports whether the name of a site was given since a program came to it.
func (d *Day) WasNamed(program, site string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.Visits != nil && d.Visits.named[program+" "+site]
}

// WantsAt says that a person wants a text in a definition of a site.
func (d *Day) WantsAt(site, text string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.Visits.wanted[site] = append(d.Visits.wanted[site], text)
}

// Elsewhere reports whether a program shows another site than the one that the day is about.
func (d *Day) Elsewhere(program string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.Visits != nil && d.Visits.at[program] != "" && d.Visits.at[program] != d.Visits.Main
}

// siteIn is the site that the first line of a frame names.
var siteIn = regexp.MustCompile(`(\w+) · 127\.`) // a narrow screen cuts the rest

// comes keeps which site a screen shows: who comes to one has not given its name yet.
func (d *Day) comes(s Saying) (site string) {
	if d.Visits == nil || !s.Frame {
		return ""
	}
	first, _, _ := strings.Cut(s.Text, "\n")
	found := siteIn.FindStringSubmatch(first)
	d.mu.Lock()
	defer d.mu.Unlock()
	before := d.Visits.at[s.Program]
	if found == nil {
		return before
	}
	if site = found[1]; before != "" && site != before {
		delete(d.Visits.named, s.Program+" "+before)
		delete(d.Visits.named, s.Program+" "+site)
		delete(d.closed, s.Program) // nothing was told to a dashboard that has just begun
		delete(d.runs, s.Program)
		delete(d.failed, s.Program)
		delete(d.dismissed, s.Program)
		if d.Fleet != nil {
			delete(d.Fleet.read, s.Program)
		}
		delete(d.Followed.began, s.Program)
	}
	d.Visits.at[s.Program] = site
	return site
}

// lockIsShown judges the first line of a screen: a site whose name was not given since it was come to takes nothing.
func lockIsShown(s Saying) (judged int, wrong []string) {
	reads := s.site != "" && s.Day.Visits.reads[s.Program]
	if s.site == "" || !reads && (!slices.Contains(s.Day.Visits.Locked, s.site) || s.Day.WasNamed(s.Program, s.site)) {
		return 0, nil
	}
	first, _, _ := strings.Cut(s.Text, "\n")
	if siteIn.MatchString(first) && !strings.Contains(first, "read-only") {
		wrong = append(wrong, fmt.Sprintf("%s of %s does not say that %s takes nothing from here: %s", s.Where, s.Program, s.site, strings.TrimSpace(first)))
	}
	if strings.Contains(first, "UNLOCKED") {
		wrong = append(wrong, fmt.Sprintf("%s of %s calls %s unlocked, and nobody has given its name since it was come to", s.Where, s.Program, s.site))
	}
	return 1, wrong
}

// ofMain are what screens say of a site that others have changed, and ofEdits of one where something was edited.
var (
	ofMain  = regexp.MustCompile(`READ-ONLY|[▲!] (?:upgrade|rollback)|was read-only|an upgrade ran`)
	ofEdits = regexp.MustCompile(`services? down|Outcome unknown:|continue with the draft`)
)

// nothingOfMain judges the screen of another site: it has nothing of the first one.
func nothingOfMain(s Saying) (judged int, wrong []string) {
	if s.site == "" || s.site == s.Day.Visits.Main {
		return 0, nil
	}
	s.Day.mu.Lock()
	defer s.Day.mu.Unlock()
	found := ""
	if !s.Day.Visits.differs[s.site] {
		found = ofMain.FindString(s.Text)
	}
	if len(s.Day.Visits.wanted[s.site]) == 0 {
		found += ofEdits.FindString(s.Text)
	}
	if found != "" {
		wrong = append(wrong, fmt.Sprintf("%s of %s says %q at %s, which nobody has changed or asked for anything", s.Where, s.Program, found, s.site))
	}
	for _, value := range s.Day.Visits.wanted[s.Day.Visits.Main] {
		if strings.Contains(s.Text, value) {
			wrong = append(wrong, fmt.Sprintf("%s of %s shows %q at %s, which is of %s", s.Where, s.Program, value, s.site, s.Day.Visits.Main))
		}
	}
	return 1, wrong
}

// Landed is a write that arrives at one of the sites.
type Landed struct {
	Day           *Day
	Program, Site string
	Path, Text    string // what it sends
}

// Lands judges a write by the site that it arrives at.
func (d *Day) Lands(l Landed) {
	if l.Day = d; d.Visits != nil && (&Write{Path: l.Path}).Changes() {
		judge(d, atLanding, l)
	}
}

var atLanding = []rule[Landed]{
	{"a site that was come to gets nothing before its name", namedInVisit},
	{"a write reaches the site that it is meant for", meantForIt},
	{"a program that only reads sends nothing to any site", readsOnly},
}

// readsOnly judges each write, also of programs that may send it: those that may not should never be met here.
func readsOnly(l Landed) (judged int, wrong []string) {
	if l.Day.Visits.reads[l.Program] {
		wrong = append(wrong, fmt.Sprintf("POST %s of %s reached %s, and it was started with --read-only", l.Path, l.Program, l.Site))
	}
	return min(1, len(l.Day.Visits.reads)), wrong
}

func namedInVisit(l Landed) (judged int, wrong []string) {
	if !slices.Contains(l.Day.Visits.Locked, l.Site) {
		return 0, nil
	}
	if !l.Day.WasNamed(l.Program, l.Site) {
		wrong = append(wrong, fmt.Sprintf("POST %s of %s reached %s, whose name nobody has given since it was come to", l.Path, l.Program, l.Site))
	}
	return 1, wrong
}

func meantForIt(l Landed) (judged int, wrong []string) {
	l.Day.mu.Lock()
	defer l.Day.mu.Unlock()
	has := func(text string) bool { return strings.Contains(withoutBlanks(l.Text), withoutBlanks(text)) }
	if !slices.ContainsFunc(l.Day.Visits.wanted[l.Site], has) {
		wrong = append(wrong, fmt.Sprintf("POST %s of %s reached %s, where nobody wants it", l.Path, l.Program, l.Site))
	}
	for site, all := range l.Day.Visits.wanted {
		if site != l.Site && slices.ContainsFunc(all, has) {
			wrong = append(wrong, fmt.Sprintf("POST %s of %s reached %s, and is meant for %s", l.Path, l.Program, l.Site, site))
		}
	}
	return 1, wrong
}

// withoutBlanks is a text as far as documents may be written in several ways.
func withoutBlanks(text string) string { return strings.ReplaceAll(text, " ", "") }
