package oracle

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"
)

// Watched is what a watch of an upgrade tells when the site was asked.
type Watched struct {
	Day         *Day
	Program     string
	At          time.Time
	Site        time.Time // when the answer came by the clock of the site, as it is told
	Answered    bool      // just now, and the answer is believed
	NothingRuns bool
	Ended       bool
	EndMissing  bool // and no message says so
}

// Watched judges what a watch tells.
func (d *Day) Watched(w Watched) {
	w.Day = d
	judge(d, atWatch, w)
}

var atWatch = []rule[Watched]{
	{"an answer has the time of the site", timeOfSite},
	{"a watch ends for what it has read", endsAsRead},
}

// timeOfSite lets an answer that takes long be one of when it began.
func timeOfSite(w Watched) (judged int, wrong []string) {
	if off := w.Site.Sub(w.At.Add(w.Day.Ahead)); w.Answered && (off > slack || off < -2*time.Minute && !w.Day.Stale) {
		wrong = []string{fmt.Sprintf("%s tells of an answer of %s, which is %s off", w.Program, w.Site.UTC().Format(time.DateTime), off)}
	}
	return 1, wrong
}

// idle are the states of a site on which nothing runs; the first one is that of an answer that is not known.
var idle = []string{"", "no_upgrade", succeeded, "failed"}

func endsAsRead(w Watched) (judged int, wrong []string) {
	if !w.NothingRuns && !w.Ended {
		return 0, nil
	}
	w.Day.mu.Lock()
	answer := w.Day.reads[w.Program+" /system/upgrades"]
	w.Day.mu.Unlock()
	var read status
	_ = json.Unmarshal([]byte(answer), &read)
	if truth := w.Day.upgrade(); w.NothingRuns && !slices.Contains(idle, read.Status.State) && !slices.Contains(idle, truth) {
		wrong = append(wrong, fmt.Sprintf("%s tells that nothing runs, and the site says %q", w.Program, truth))
	}
	for _, m := range read.Status.Messages {
		if w.EndMissing && (m.Code == 2011 || m.Code == 2012) {
			wrong = append(wrong, fmt.Sprintf("%s misses a message of the end, and has read %d", w.Program, m.Code))
		}
	}
	return 1, wrong
}

// Stalled is an alarm of a watch: the upgrade has been silent for too long.
type Stalled struct {
	Day     *Day
	Program string
	At      time.Time
	Silent  time.Duration // as it is told
	Lost    bool          // what the watch keeps of it, or what it is told, is not whole
	Set     bool          // its clock was set
}

// Stalls judges an alarm that nobody was given before.
func (d *Day) Stalls(s Stalled) {
	s.Day = d
	judge(d, atStall, s)
}

var atStall = []rule[Stalled]{
	{"an alarm is raised once in a silence", onceInSilence},
	{"an alarm tells how long a silence has been", alarmIsSo},
}

// newestTold is the time of the newest message that the site tells of its upgrades, by its clock.
func (d *Day) newestTold() (newest int64) {
	for _, m := range d.status().Status.Messages {
		newest = max(newest, m.When)
	}
	return newest
}

func onceInSilence(s Stalled) (int, []string) {
	key := fmt.Sprintf("%s %d", s.Program, s.Day.newestTold())
	s.Day.mu.Lock()
	defer s.Day.mu.Unlock()
	if s.Day.alarmed == nil {
		s.Day.alarmed = map[string]bool{}
	}
	again := s.Day.alarmed[key]
	if s.Day.alarmed[key] = true; again && !s.Lost {
		return 1, []string{s.Program + " raises an alarm again, and the site has said nothing since the first"}
	}
	return 1, nil
}

func alarmIsSo(s Stalled) (int, []string) {
	if s.Lost || s.Set {
		return 0, nil
	}
	if truth := s.At.Add(s.Day.Ahead).Sub(time.UnixMilli(s.Day.newestTold())); s.Silent > truth+slack || s.Silent < truth-3*time.Minute {
		return 1, []string{fmt.Sprintf("%s tells of a silence of %s, and that is %s", s.Program, s.Silent, truth)}
	}
	return 1, nil
}
