package oracle

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"
)

// Deed is something that a program of a machine keeps on disk beside other programs.
type Deed struct {
	Program, Kind string // such as record, draft, message
	Mark          string // stands in what it keeps, and nowhere else
	From, To      time.Time
	Said          string // why it was not kept; empty where it was
	Dead          bool   // the program was killed meanwhile, and said nothing
	Hurt          bool   // its disk has failed
	Waits         bool   // it is one of those that need the lock
	Replaced      bool   // what was kept was replaced, sent or discarded since, or may have been: nothing has to be there
	Others        bool   // another program has kept the same
	Unsaved       bool   // an editor has it open, and has not saved it: it lasts as long as the program
	// Held says from when to when another program held the lock; HeldBy how that ended: "went on" or "killed".
	HeldFrom, HeldTo time.Time
	HeldBy           string
}

// Shared is what several programs of one machine have kept, and the files as they are then.
type Shared struct {
	Deeds   []Deed
	Files   map[string][]byte
	Claims  []Claiming
	NoLocks bool   // the disk has no locks
	Warned  []bool // whether each program that has kept something said so
	Cut     bool   // the power has failed
}

// Claiming is how a program has asked for the right to change something.
type Claiming struct {
	Program string
	Got     bool
	Said    string // why not
	Hurt    bool
	Holders []string // that ran then, and had it; how others name them
	Dead    bool     // one that had it was killed before
}

// Shares judges what several programs have kept.
func (d *Day) Shares(s Shared) { judge(d, atSharing, s) }

var atSharing = []rule[Shared]{
	{"what several programs keep is there once", keptOnce},
	{"nothing is written under the lock of another program", lockRespected},
	{"who waits for a lock says so in time", saysThatItWaits},
	{"a lock that its program has left is taken over at once", takenOver},
	{"one program alone has the right to a change", oneHolder},
	{"a disk without locks is told", tellsNoLocks},
	{"files that several programs write are whole", wholeFiles},
}

// times is how often a mark stands in files of a folder.
func (s Shared) times(folder, mark string) (n int) {
	for name, content := range s.Files {
		if strings.Contains(name, "/"+folder) {
			n += bytes.Count(content, []byte(mark))
		}
	}
	return n
}

// places are where what is kept of each kind is.
var places = map[string]string{"record": "actions.jsonl", "draft": "drafts/", "message": "transcripts/", "backup": "backups/", "snapshot": "snapshots/", "text": "drafts/"}

func keptOnce(s Shared) (judged int, wrong []string) {
	for _, k := range s.Deeds {
		n := s.times(places[k.Kind], k.Mark)
		switch {
		case k.Dead || k.Replaced || s.Cut && k.Kind == "snapshot":
			if n > 1 && k.Kind != "draft" && k.Kind != "text" {
				wrong = append(wrong, fmt.Sprintf("the %s of %s is there %d times", k.Kind, k.Program, n))
			}
			continue
		case k.Said != "" && n > 0 && !k.Others && !k.Hurt:
			wrong = append(wrong, fmt.Sprintf("%s said that its %s is not kept, and it is there: %s", k.Program, k.Kind, k.Said))
		case k.Said == "" && n != 1:
			wrong = append(wrong, fmt.Sprintf("%s has kept its %s, and it is there %d times", k.Program, k.Kind, n))
		}
		judged++
	}
	return judged, wrong
}

// overlaps reports whether a program wanted the lock while another held it.
func (k Deed) overlaps() bool {
	return k.Waits && !k.HeldTo.IsZero() && k.From.Before(k.HeldTo) && !k.From.Before(k.HeldFrom) && !k.Dead && !k.Hurt
}

func lockRespected(s Shared) (judged int, wrong []string) {
	for _, k := range s.Deeds {
		if !k.overlaps() || k.HeldBy != "went on" || k.Said != "" || s.NoLocks {
			continue
		}
		if judged++; k.To.Before(k.HeldTo) {
			wrong = append(wrong, fmt.Sprintf("%s has kept its %s while another program held the lock, for %s more", k.Program, k.Kind, k.HeldTo.Sub(k.To)))
		}
	}
	return judged, wrong
}

// patience is how long a program waits for a lock that another one holds.
const patience = 10 * time.Second

func saysThatItWaits(s Shared) (judged int, wrong []string) {
	for _, k := range s.Deeds {
		if !k.overlaps() || k.HeldBy != "went on" || s.NoLocks {
			continue
		}
		judged++
		held, took := k.HeldTo.Sub(k.From), k.To.Sub(k.From)
		switch {
		case took > patience+2*time.Second:
			wrong = append(wrong, fmt.Sprintf("%s has waited for %s for a lock, and said nothing", k.Program, took))
		case held < patience-time.Second && k.Said != "":
			wrong = append(wrong, fmt.Sprintf("%s has given up after %s, and the lock was free after %s: %s", k.Program, took, held, k.Said))
		case held > patience+time.Second && !strings.Contains(k.Said, "another program has locked"):
			wrong = append(wrong, fmt.Sprintf("another program has held the lock for %s, and %s says %q", held, k.Program, k.Said))
		case held > patience+time.Second && took < patience-time.Second:
			wrong = append(wrong, fmt.Sprintf("%s has given up after %s", k.Program, took))
		}
	}
	return judged, wrong
}

func takenOver(s Shared) (judged int, wrong []string) {
	for _, k := range s.Deeds {
		if !k.overlaps() || k.HeldBy != "killed" || s.NoLocks {
			continue
		}
		if judged++; k.Said != "" || k.To.Sub(k.From) > time.Second {
			wrong = append(wrong, fmt.Sprintf("the program that held the lock was killed, and %s has waited for %s to keep its %s: %q", k.Program, k.To.Sub(k.From), k.Kind, k.Said))
		}
	}
	return judged, wrong
}

func oneHolder(s Shared) (judged int, wrong []string) {
	for _, c := range s.Claims {
		if c.Hurt || s.NoLocks {
			continue
		}
		judged++
		named := slices.ContainsFunc(c.Holders, func(who string) bool { return strings.Contains(c.Said, who) })
		switch {
		case c.Got && len(c.Holders) > 0:
			wrong = append(wrong, fmt.Sprintf("%s gets the right that %v has", c.Program, c.Holders))
		case !c.Got && len(c.Holders) == 0:
			wrong = append(wrong, fmt.Sprintf("nobody that runs has a right, and %s does not get it: %s", c.Program, c.Said))
		case !c.Got && !named:
			wrong = append(wrong, fmt.Sprintf("%s is not told that %v has the right: %s", c.Program, c.Holders, c.Said))
		}
	}
	return judged, wrong
}

func tellsNoLocks(s Shared) (judged int, wrong []string) {
	for _, warned := range s.Warned {
		if judged++; warned != s.NoLocks {
			wrong = append(wrong, fmt.Sprintf("the disk has no locks: %v; a program that has used it says so: %v", s.NoLocks, warned))
		}
	}
	return judged, wrong
}

// wholeFiles wants whole lines of JSON in files of several programs; the last may be one that a killed program has begun.
func wholeFiles(s Shared) (judged int, wrong []string) {
	for name, content := range s.Files {
		if path.Ext(name) != ".jsonl" {
			continue
		}
		judged++
		lines := strings.Split(string(content), "\n")
		for n, line := range lines[:len(lines)-1] {
			if !json.Valid([]byte(line)) {
				wrong = append(wrong, fmt.Sprintf("line %d of %s is no JSON: %.80q", n+1, path.Base(name), line))
			}
		}
	}
	return judged, wrong
}
