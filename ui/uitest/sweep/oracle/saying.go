package oracle

import "time"

// Saying is a text that a program has shown or printed.
type Saying struct {
	Day     *Day
	Program string
	Where   string // such as "the screen"
	At      time.Time
	Text    string
	Frame   bool      // drawn: lines are cut and wrapped, and what was said stays for a while
	Width   int       // of a frame, in cells
	Clock   time.Time // that of the machine
	// Definition says that definitions are what it prints.
	Definition bool

	head *head
	site string // that a frame is of; empty on a day with one
}

// Said judges a text at the time at which it is said.
func (d *Day) Said(s Saying) {
	s.Day = d
	s.site = d.comes(s)
	if s.Frame {
		d.Looks(s.At)
		s.head = headOf(s)
	}
	d.Free(s.Where, s.Text)
	d.fleetShown(s)
	if s.site != "" {
		judge(d, atElsewhere, s)
	}
	if s.site == "" || s.site == d.Visits.Main {
		judge(d, atSaying, s)
	}
}

var atSaying = []rule[Saying]{
	{"a silence is as long as is said", silentIsSo},
	{"the longest silence is as long as is said", longestIsSo},
	{"a mode is as the site says", modeIsSo},
	{"a claim is true when it is made", claimsAreSo},
	{"what stands for the present is so", presentIsSo},
	{"what has an age was so then", agedIsSo},
	{"what was kept says all of its time", keptSaysAll},
	{"what the site tells is on the screen", toldIsShown},
	{"a silent site is called so", silenceIsShown},
	{"a secret of a definition is masked where its change is shown", hiddenAreMasked},
	{"a failed end stays until it is dismissed", endStays},
}

// atElsewhere are judged where there are several sites, those that the day is not about by these alone.
var atElsewhere = []rule[Saying]{
	{"a site that was come to is locked anew", lockIsShown},
	{"one site shows nothing of another", nothingOfMain},
}
