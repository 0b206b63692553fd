package oracle

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
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
	{"nothing runs where a watch says so", nothingRuns},
	{"a message of the end is missing where a watch says so", endIsMissing},
}

func timeOfSite(w Watched) (int, []string) {
	if off := w.Site.Sub(w.At.Add(w.Day.Ahead)); w.Answered && off.Abs() > slack {
		return 1, []string{fmt.Sprintf("%s tells of an answer of %s, which is %s off", w.Program, w.Site.UTC().Format(time.DateTime), off)}
	}
	return 1, nil
}

// read is the newest answer about upgrades to the program.
func (w Watched) read() (s status) {
	w.Day.mu.Lock()
	defer w.Day.mu.Unlock()
	_ = json.Unmarshal([]byte(w.Day.reads[w.Program+" /system/upgrades"]), &s)
	return s
}

// idle are the states of a site on which nothing runs; the first one is that of an answer that is not known.
var idle = []string{"", "no_upgrade", succeeded, "failed"}

func nothingRuns(w Watched) (judged int, wrong []string) {
	if !w.NothingRuns {
		return 0, nil
	}
	if truth := w.Day.upgrade(); !slices.Contains(idle, w.read().Status.State) && !slices.Contains(idle, truth) {
		wrong = []string{fmt.Sprintf("%s tells that nothing runs, and the site says %q", w.Program, truth)}
	}
	return 1, wrong
}

func endIsMissing(w Watched) (judged int, wrong []string) {
	if !w.Ended {
		return 0, nil
	}
	for _, m := range w.read().Status.Messages {
		if w.EndMissing && (m.Code == 2011 || m.Code == 2012) {
			wrong = []string{fmt.Sprintf("%s misses a message of the end, and has read %d", w.Program, m.Code)}
		}
	}
	return 1, wrong
}

// linesTimed wants the site to have been read at the time of each line of a transcript, by the difference of the
// clocks that it has.
func linesTimed(l Look) (judged int, wrong []string) {
	for name, content := range l.Files {
		if !strings.Contains(name, "/transcripts/") {
			continue
		}
		var ahead time.Duration
		for text := range strings.Lines(string(content)) {
			var line struct {
				Time     time.Time
				Ahead    string
				Messages []json.RawMessage
			}
			if json.Unmarshal([]byte(text), &line) != nil || line.Ahead == "" && line.Messages == nil {
				continue
			}
			if d, err := time.ParseDuration(line.Ahead); err == nil {
				ahead = d
			}
			judged++
			at := line.Time.Add(ahead - l.Day.Ahead)
			if !slices.ContainsFunc(l.Day.asked, func(read time.Time) bool { return at.Sub(read).Abs() < 4*slack }) {
				return judged, []string{fmt.Sprintf("a line of %s has the time %s, at which nothing was read", name, at)}
			}
		}
	}
	return judged, wrong
}
