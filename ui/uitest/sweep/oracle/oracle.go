// Package oracle judges a day of the sweep from outside the program: by the ledger of the
// site, by what a person wanted and typed, by what was shown, and by the files of the machine.
// It imports nothing of geodeck, so that a mistake of the program is no excuse for itself.
//
// A rule is a promise with a name. It is judged at the moments that it is about: when a write
// arrives (sending.go), when something is said (saying.go, silence.go), after an attempt
// (telling.go), after a command on files (folder.go) and when the record is read later (record.go). Each counts how often it had
// something to judge: a rule that never has proves nothing.
package oracle

import (
	"encoding/json"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

// Day is what is known of a day from outside.
type Day struct {
	// Ask returns what the site truly answers to a read, without any fault before it.
	Ask func(path string) string
	// Fail is told what must not happen and did, Meet that a rule had something to judge.
	Fail, Meet func(text string)
	Secrets    *Secrets
	// Ahead is how far the clock of the site is off.
	Ahead time.Duration
	// Skew is how far the clock of the machine is off; nil for not at all.
	Skew func() time.Duration
	// Mute are the paths of what the site never tells programs.
	Mute map[string]bool
	// Stale says that something before the site gives an old answer at times, whose time is old.
	Stale bool
	// Trimmed says that the site leaves out its older messages at times: how long it was silent shows in none of its answers.
	Trimmed bool
	// Followed is set where screens are judged by what the site is at each moment.
	Followed *Followed
	// Visits are those of several sites; nil on a day with one.
	Visits *Visits
	// Fleet are several sites of which rows are judged; nil on a day without.
	Fleet *Fleet
	// Listed is a manifest that is listed with what the site offers; empty for none.
	Listed string
	// Touched is when somebody else has edited a definition last; zero for never.
	Touched time.Time

	mu        sync.Mutex
	writes    []*Write
	reads     map[string]string // the newest answer to a program, by its name and the path
	news      news
	durable   string               // the record as it was on disk last
	open      map[string]int       // how often in a row a program was told that the site takes writes
	closed    map[string]time.Time // since when it is told that it does not
	runs      map[string]time.Time // and that an upgrade runs
	intents   []*Intent
	shown     map[string]map[string]bool // the lines of the newest frame of each program
	undone    bool                       // somebody else has changed what is wanted here
	uploads   map[string]string          // what the site has, by the ids it gave
	quotes    []Quote                    // texts of the site that repeat secrets
	arrived   map[string]bool            // of what was saved in files: the site has had it
	hidden    *Secrets                   // of definitions; nil for none
	failed    map[string]time.Time       // or that the last one has failed
	dismissed map[string]time.Time       // when somebody has taken its end off a screen
	off       bool                       // the end of an upgrade was dismissed on this machine
	estimates []Estimate                 // of how long upgrades still take
	alarmed   map[string]bool            // by the program and the newest message
	preparing map[string]bool            // programs that have prepared an upgrade since they looked whether one runs
	away      map[string]time.Time       // when a connection of a program was refused last
}

// New returns a day that has not begun.
func New(ask func(string) string, fail, meet func(string)) *Day {
	return &Day{Ask: ask, Fail: fail, Meet: meet, Secrets: &Secrets{}, reads: map[string]string{}, open: map[string]int{}, closed: map[string]time.Time{}, runs: map[string]time.Time{}, failed: map[string]time.Time{}, dismissed: map[string]time.Time{}, news: news{seen: map[string]bool{}}, shown: map[string]map[string]bool{}, arrived: map[string]bool{}, preparing: map[string]bool{}, away: map[string]time.Time{}}
}

// Write is a request that changes something, as it reached the site.
type Write struct {
	Program  string
	Path     string // below the administrative root
	Fields   url.Values
	Files    map[string]string // by their parameters
	At       time.Time
	Intent   *Intent   // what a person wants with it; nil where that is not known
	Locked   bool      // the site is in production
	Named    bool      // and its name was given
	Record   string    // the id of its record, as that was on disk when it arrived
	Recorded time.Time // that of its record; zero where it has none
	Base     string    // what its program had read last where it writes; empty for nothing
	Answer   string
	Answered bool // by the site, whether or not that reached the program
	Accepted bool
	Made     bool    // the site has what it wanted, though it did not accept it
	Broken   bool    // the site accepted it and did not keep it whole, and the program has said so
	Keys     *Keys   // what was done at the keys of its program; nil where it has none
	Worded   *Worded // the error that it was answered with in place of what the site says; nil for none
}

// Worded is an error in the words of a platform, whatever that did.
type Worded struct {
	Definite bool // it says clearly that the write was not begun, and so it was
	Made     bool // it was accepted all the same
}

// Intent is something that a person wants once.
type Intent struct {
	Name string
	// Has reports whether the site has it now; nil where that does not show.
	Has func() bool
	// Key is the member of a definition that it sets, and Raw its new value; empty where it is another change.
	Key, Raw string
	// Accepted is the word that a person has given for it; empty where none is wanted.
	Accepted string
	// Given is the very text that a person gave to be sent; empty where the program makes it.
	Given string
	// Filled are the answers that a person gave to the settings of an upgrade, as JSON by the id of the setting, and Licence
	// is the content of the file that they gave for the licence; empty where it asks for nothing.
	Filled    map[string]string
	Licence   string
	accepting *accepting // of an upgrade; nil for none
	// From is the definition that a person began with, and Mine what they made of it; empty where that is not known.
	From, Mine string
	// Built makes of From, or else of what its program reads, the policy for pods that a person has asked for; nil where that is not
	// known.
	Built Built
	// Chosen are the places that others changed, too, and that a person was asked about, and Removes those of
	// keys whose removal they agreed to.
	Chosen, Removes []string
	// InFile says that From and Mine are files, which have nothing of what the site generates, and Whole that a person has
	// seen that others changed something since, and sends the file all the same.
	InFile, Whole bool
	// Shown is what a dry run has said would be sent, where the site has ShownOn; empty for nothing.
	Shown, ShownOn string
	// Began is the definition that a person at a screen began to edit; empty where that is not known.
	Began string
	// Goes are the ids of the reports that a person has just chosen to be deleted.
	Goes []string
	// Manifest is the content of the file of a version manifest that is imported.
	Manifest string
	// Hand is a definition that they edit by hand; nil for none.
	Hand *Hand
	// Besides are the members that they have edited beside Key.
	Besides []Beside
}

// Undone says that somebody else has changed what a person wants here: where nothing was sent yet, it has no effect.
func (d *Day) Undone(wanted *Intent) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.undone = d.undone || slices.ContainsFunc(d.writes, func(w *Write) bool {
		return w.Intent == wanted && (w.Accepted || w.Made || !w.Answered)
	})
}

// Undoes says that somebody else's edit goes on, which replaces at its end whatever is sent meanwhile.
func (d *Day) Undoes() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.undone = true
}

// Wants keeps what a person wants from now on.
func (d *Day) Wants(i *Intent) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.intents = append(d.intents, i)
}

// latest reports whether nothing else is wanted by now.
func (d *Day) latest(i *Intent) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return i != nil && i == d.intents[len(d.intents)-1]
}

// wanted reports whether something that a person wants fits.
func (d *Day) wanted(fits func(*Intent) bool) bool {
	d.mu.Lock()
	all := slices.Clone(d.intents)
	d.mu.Unlock()
	return slices.ContainsFunc(all, fits)
}

// changes are the paths of writes that change the site.
var changes = regexp.MustCompile(`/(edit|start|stop|upgrade|rollback|importManifest|run|reports(/[^/]+)?/delete)$`)

// Changes reports whether a write changes the site.
func (w *Write) Changes() bool { return changes.MatchString(w.Path) }

// text is the document that an edit sends; empty for other writes.
func (w *Write) text() string {
	return w.Fields.Get("service") + w.Fields.Get("servicePlacementPolicy")
}

// document is the path of the document that an edit replaces; empty for other writes.
func (w *Write) document() string {
	where, edits := strings.CutSuffix(w.Path, "/edit")
	if !edits {
		return ""
	}
	return where
}

// upgrades reports whether a write starts an upgrade or a rollback.
func (w *Write) upgrades() bool {
	return w.Path == "/system/upgrades/upgrade" || w.Path == "/system/upgrades/rollback"
}

// expired reports whether the site refused the token: it has not looked at the write.
func (w *Write) expired() bool { return expiredToken.MatchString(w.Answer) }

var expiredToken = regexp.MustCompile(`"code":\s*498`)

// prepares reports whether a post is what precedes an upgrade.
func (w *Write) prepares() bool {
	return strings.HasSuffix(w.Path, "/getUpgradeSettings") || strings.HasPrefix(w.Path, "/uploads/")
}

// jobID finds the id of a job.
var jobID = regexp.MustCompile(`j[0-9a-f]{8}-[0-9a-f-]{27}`)

// job is the state of the job that a write began, such as COMPLETED; empty where there is none.
func (d *Day) job(w *Write) string { return d.jobOf(jobID.FindString(w.Answer)) }

func (d *Day) jobOf(id string) string {
	var job struct{ Status string }
	if id == "" || json.Unmarshal([]byte(d.Ask("/jobs/"+id)), &job) != nil {
		return ""
	}
	return job.Status
}

// goesOn reports whether a job has not ended.
func goesOn(status string) bool {
	return status == "EXECUTING" || status == "SUBMITTED" || status == "WAITING" || status == "NEW"
}

// has reports whether the site has the document that an edit has sent, by what it set.
func (d *Day) has(w *Write) bool {
	if w.Intent != nil && w.Intent.Has != nil {
		return w.Intent.Has()
	}
	return w.document() != "" && d.Ask(w.document()) == w.text()
}

// Read keeps what the site has answered to a read of a program.
func (d *Day) Read(program, path, answer string, at time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.reads[program+" "+path] = answer
	if path == "/system/upgrades" {
		delete(d.preparing, program)
		d.news.read(answer, at)
		tells(d.runs, program, d.news.state == running, at)
		tells(d.failed, program, d.news.state == failed, at)
	}
	if path == "/mode" {
		if d.open[program]++; !takesWrites.MatchString(answer) {
			d.open[program] = 0
		}
		tells(d.closed, program, takesNone.MatchString(answer), at)
	}
}

// tells keeps since when a program is told something, without another answer in between.
func tells(since map[string]time.Time, program string, so bool, at time.Time) {
	if !so {
		delete(since, program)
	} else if since[program].IsZero() {
		since[program] = at
	}
}

// Answered keeps a write with its answer.
func (d *Day) Answered(w *Write, answer string, accepted bool) {
	made := !accepted && w.document() != "" && d.has(w)
	d.mu.Lock()
	defer d.mu.Unlock()
	w.Answer, w.Accepted, w.Made, w.Answered = answer, accepted, made, true
}

// sent returns the writes that the site has looked at, in their order.
func (d *Day) sent(is func(*Write) bool) []*Write {
	d.mu.Lock()
	defer d.mu.Unlock()
	all := slices.Clone(d.writes)
	return slices.DeleteFunc(all, func(w *Write) bool { return w.Answered && w.expired() || !is(w) })
}

// ReadBy is what a program has read last at a path.
func (d *Day) ReadBy(program, path string) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.reads[program+" "+path]
}

// rule is a promise: it returns how often it had something to judge, and what was wrong.
type rule[F any] struct {
	name  string
	judge func(F) (judged int, wrong []string)
}

// judge tells of what was wrong by some rules.
func judge[F any](d *Day, rules []rule[F], facts F) {
	for _, r := range rules {
		judged, wrong := r.judge(facts)
		if judged > 0 {
			d.Meet(counted(r.name))
		}
		for _, text := range wrong {
			d.Fail(r.name + ": " + text)
		}
	}
}

// Rules are the names of all, as they are counted.
func Rules() []string {
	return slices.Concat(
		namesOf(atWrite), namesOf(atSaying), namesOf(atElsewhere), namesOf(atLanding), namesOf(atWatch),
		namesOf(atAttempt), namesOf(atFolder), namesOf(atListing), namesOf(atViewing), namesOf(atQuote),
		namesOf(atTrace), namesOf(atBatch), namesOf(atNight), namesOf(atStall), namesOf(atSharing),
		namesOf(atOpening), namesOf(slices.Concat(atLook, atEnd)), namesOf(atVerifying), namesOf(atRestoring), namesOf(atAnchoring),
		namesOf(atFleet), namesOf(atComparison), namesOf(atResult), namesOf(atPlacing), namesOf(atScheduling), namesOf(atHanding), namesOf(atMisread),
		namesOf(atExplaining), namesOf(atEstimate), namesOf(atLast), namesOf(atDeleting), namesOf(atImporting), namesOf(atStaying),
		namesOf(atForm), namesOf(atReview), namesOf(atHand), namesOf(atFound), namesOf(atVersion), namesOf(atState), namesOf(atRules),
		namesOf(atConfig), namesOf(atSignIn), namesOf(atPresenting),
		[]string{counted(keptRule), counted(secretRule)},
	)
}

func namesOf[F any](rules []rule[F]) (names []string) {
	for _, r := range rules {
		names = append(names, counted(r.name))
	}
	return names
}

// counted is the name of a rule where it is counted.
func counted(rule string) string { return "oracle: " + rule }
