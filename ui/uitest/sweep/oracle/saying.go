package oracle

import "time"

// Saying is a text that a program has shown or printed.
type Saying struct {
	Day     *Day
	Program string
	Where   string // such as "the screen"
	At      time.Time
	Text    string
	Frame   bool // drawn: lines are cut and wrapped, and what was said stays for a while
}

// Said judges a text at the time at which it is said.
func (d *Day) Said(s Saying) {
	s.Day = d
	d.Free(s.Where, s.Text)
	judge(d, atSaying, s)
}

var atSaying = []rule[Saying]{
	{"a silence is as long as is said", silentIsSo},
	{"the longest silence is as long as is said", longestIsSo},
	{"a mode is as the site says", modeIsSo},
	{"a claim is true when it is made", claimsAreSo},
}
