package oracle

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Record is what the record of the machine says of one write, read by the file's format alone.
type Record struct {
	ID, Path   string
	Time       time.Time
	Outcome    string // the last one
	Verdict    string
	Because    string // of the verdict
	Fields     url.Values
	Outcomes   []string // one after the other
	Overridden bool
	Over       *Record // the first write of the same place since it was overridden; nil for none
	Accepted   []struct{ Word string }
	Unrecorded bool // there is only its outcome: it was not sent, as it could not be recorded
}

// RecordsIn reads the record among some files, in the order of the writes. A line that is cut off is left out.
func RecordsIn(files map[string][]byte) (all []*Record) {
	return slices.DeleteFunc(linesIn(files), func(r *Record) bool { return r.Unrecorded })
}

// linesIn are all that a list of the log has: also the outcomes of writes that could not be recorded, and were not sent.
func linesIn(files map[string][]byte) (all []*Record) {
	for _, line := range strings.Split(recordText(files), "\n") {
		var e struct {
			Event string
			Record
		}
		if json.Unmarshal([]byte(line), &e) != nil {
			continue
		}
		if e.Event == "before" {
			next := &Record{ID: e.ID, Path: e.Path, Time: e.Time, Fields: e.Fields, Accepted: e.Accepted, Outcome: "unknown"}
			for _, r := range all {
				if r.Overridden && r.Over == nil && placeOf(r.Path) == placeOf(next.Path) {
					r.Over = next
				}
			}
			all = append(all, next)
			continue
		}
		at := slices.IndexFunc(all, func(r *Record) bool { return r.ID == e.ID })
		switch {
		case at < 0 && e.Event == "after":
			all = append(all, &Record{ID: e.ID, Path: e.Path, Time: e.Time, Outcome: e.Outcome, Unrecorded: true})
		case at < 0:
		case e.Event == "after", e.Event == "resolved":
			all[at].Outcome = e.Outcome
			all[at].Outcomes = append(all[at].Outcomes, e.Outcome)
		case e.Event == "settled":
			all[at].Verdict, all[at].Because = e.Verdict, e.Because
		case e.Event == "overridden":
			all[at].Overridden = true
		}
	}
	return all
}

func recordText(files map[string][]byte) string {
	for name, content := range files {
		if path.Base(name) == "actions.jsonl" {
			return string(content)
		}
	}
	return ""
}

// placeOf is what a write changes, by its path: of a service also its rules, and whether it runs.
func placeOf(p string) string { return cmp.Or(serviceIn.FindString(p), p) }

// below is a path below the administrative root.
func below(p string) string { return strings.TrimPrefix(p, "/geodeck/admin") }

// Look is the record as a program leaves it that has looked at what others have left open.
type Look struct {
	Day     *Day
	Files   map[string][]byte
	Read    bool // everything that it asked the site came
	Ends    bool // it has read the state of the upgrades, too
	records []*Record
	writes  []*Write
	At      time.Time // by the clock of the machine
	Log     string    // what it has printed of the record as JSON; empty for nothing
	durable string

	Allowed  bool              // a person has allowed a next write without sending it, or a program was killed on its way
	Activity string            // what it draws of the record; empty for nothing
	Evidence map[string]string // of the newest upgrade, by the name of the file; nil for none
}

// Looked judges the record after such a look.
func (d *Day) Looked(l Look) {
	l.Day, l.records = d, RecordsIn(l.Files)
	l.writes = d.sent(func(w *Write) bool { return w.Changes() && w.Answered })
	l.durable = d.durable
	judge(d, atLook, l)
}

// Ends judges what a program has left in the record as it ended: the end of a write is there once it has come, and not before.
func (d *Day) Ends(files map[string][]byte) {
	l := Look{Day: d, Files: files, records: RecordsIn(files), writes: d.sent(func(w *Write) bool { return w.Changes() && w.Answered })}
	judge(d, atEnd, l)
}

var atEnd = []rule[Look]{{"the record says no end before it has come", endIsSo}}

// Synced keeps the record as a power cut would leave it, for [Day.Looked].
func (d *Day) Synced(durable map[string][]byte) {
	text := recordText(durable)
	d.durable = text[:strings.LastIndexByte(text, '\n')+1]
}

var atLook = []rule[Look]{
	{"the record only grows", onlyGrows},
	{"a known outcome stays", outcomeStays},
	{"the record agrees with the site", agrees},
	{"what the site tells is closed", closed},
	{"the record says how it ended", endIsSo},
	{"records are in the order of the writes", inOrder},
	{"what was overridden made way for a write", madeWay},
	{"the log says what the record has", logAgrees},
	{"Activity says what the record has", activityAgrees},
	{"evidence has no request for the upgrade of somebody else", evidenceAgrees},
	{"the summary of an upgrade agrees with its messages", summaryAgrees},
}

func onlyGrows(l Look) (int, []string) {
	if l.durable == "" {
		return 0, nil
	}
	if !strings.HasPrefix(recordText(l.Files), l.durable) {
		return 1, []string{"a line of the record that was safe on disk is another one, or gone"}
	}
	return 1, nil
}

func outcomeStays(l Look) (judged int, wrong []string) {
	for _, r := range l.records {
		known := ""
		for _, outcome := range r.Outcomes {
			judged++
			if known != "" && outcome != known {
				wrong = append(wrong, fmt.Sprintf("%s was %s, and is %s by a later line", r.ID, known, outcome))
			}
			if outcome != "unknown" {
				known = outcome
			}
		}
	}
	return judged, wrong
}

// of is the write of a record; nil where none has reached the site.
func (l Look) of(r *Record) *Write {
	at := slices.IndexFunc(l.writes, func(w *Write) bool { return w.Record == r.ID })
	if at < 0 {
		return nil
	}
	return l.writes[at]
}

// agrees compares each outcome with what the site has answered to that very write.
func agrees(l Look) (judged int, wrong []string) {
	for _, r := range l.records {
		if !changes.MatchString(r.Path) {
			continue
		}
		judged++
		w := l.of(r)
		switch taken := w != nil && w.Accepted; {
		case taken && r.Outcome == "refused" && w.Worded != nil && l.Day.lostJob(w) == "FAILED": // it was answered with an error, and its job has failed
		case taken && r.Outcome != "done" && r.Outcome != "unknown":
			wrong = append(wrong, fmt.Sprintf("the site has accepted POST %s, and the record says %s", below(r.Path), r.Outcome))
		case !taken && r.Outcome == "done" && !l.shows(r, w):
			wrong = append(wrong, fmt.Sprintf("the record says that POST %s is done, and the site has not accepted it", below(r.Path)))
		case w != nil && r.Outcome == "not sent":
			wrong = append(wrong, fmt.Sprintf("the record says that POST %s was not sent, and it has reached the site", below(r.Path)))
		}
	}
	return judged, wrong
}

// shows reports whether the site has what a write wanted that it did not accept: it was made all the
// same, or is that of another write.
func (l Look) shows(r *Record, w *Write) bool {
	if w != nil && w.Made || slices.Contains([]string{"/healthCheck/run", "/system/upgrades/importManifest"}, below(r.Path)) && l.Day.wanted(func(i *Intent) bool { return i.Has != nil && i.Has() }) {
		return true
	}
	if ids := (&Write{Path: below(r.Path)}).deletes(); len(ids) == 1 && ids[0] != "" { // whoever has deleted it
		return !slices.ContainsFunc(l.Day.reports(), func(c checked) bool { return c.ID == ids[0] })
	}
	return slices.ContainsFunc(l.writes, func(other *Write) bool {
		return other.Path == below(r.Path) && (other.Accepted || other.Made) && !other.upgrades()
	})
}

// whole reports whether the site has what a write sent whole: what it does not, such as numbers that it
// has rounded, leaves open whether that write was made.
func (d *Day) whole(w *Write) bool { return w.document() == "" || d.Ask(w.document()) == w.text() }

// unmade reports whether the job of an edit has not completed, and the site does not have it.
func (l Look) unmade(w *Write) bool {
	state := l.Day.job(w)
	return w.document() != "" && state != "" && state != "COMPLETED" && !l.Day.has(w) && l.Day.Touched.IsZero() // else others may have undone it
}

// newest reports whether no later write has gone to the same place, also one that waits for its answer.
func (l Look) newest(w *Write) bool {
	return len(l.Day.sent(func(other *Write) bool { return other.Path == w.Path && other.At.After(w.At) })) == 0
}

// closed wants every write to have an outcome whose effect the site shows: not only the newest, however old.
func closed(l Look) (judged int, wrong []string) {
	for _, r := range l.records {
		w := l.of(r)
		if w != nil && w.deletes() != nil { // it is not looked for later: to send it twice does no harm
			continue
		}
		if !l.Read || w == nil || !w.Accepted || r.Overridden || w.upgrades() || goesOn(l.Day.job(w)) || !l.Day.has(w) || !l.Day.whole(w) {
			continue
		}
		judged++
		if r.Outcome == "unknown" {
			wrong = append(wrong, fmt.Sprintf("the site has what POST %s wanted, and the record says unknown", w.Path))
		}
	}
	return judged, wrong
}

// endIsSo compares what is recorded of the end with the job, or the upgrade, as the site has it.
func endIsSo(l Look) (judged int, wrong []string) {
	last := l.lastUpgrade()
	for _, r := range l.records {
		w := l.of(r)
		if w != nil && w == last && r.Verdict == "" && l.Ends && l.Day.shows(w) && l.Day.upgrade() != running && (r.Outcome == "done" || l.Day.showsVersions()) {
			judged++
			wrong = append(wrong, fmt.Sprintf("the site shows how POST %s has ended, and its record does not", w.Path))
		}
		if (w == nil || !w.Accepted && !w.Made) && r.Verdict == "failed" {
			judged++
			wrong = append(wrong, fmt.Sprintf("the record says that POST %s failed, and the site has never accepted it", below(r.Path)))
		}
		if w == nil || !w.Accepted || r.Verdict == "" {
			continue
		}
		judged++
		if r.Verdict == "succeeded" && strings.Contains(r.Because, "site has") && w.Fields.Has("service") && l.newest(w) && l.Day.Touched.IsZero() && !l.Day.whole(w) {
			wrong = append(wrong, fmt.Sprintf("the record says of POST %s that %s, and the site has something else", w.Path, r.Because))
		}
		state := l.Day.job(w)
		if w.upgrades() {
			if w != last {
				continue
			}
			if version, told := strings.CutPrefix(r.Because, "the site runs "); told && version != l.Day.version() {
				wrong = append(wrong, fmt.Sprintf("the record says of POST %s that %s, and it is %s", w.Path, r.Because, l.Day.version()))
			}
			state = map[string]string{running: "EXECUTING", succeeded: "COMPLETED"}[l.Day.upgrade()]
			if state == "" {
				state = "FAILED"
			}
		}
		switch {
		case r.Verdict == "succeeded" && state == "FAILED" && l.newest(w) && l.Day.Touched.IsZero() && !l.Day.has(w), r.Verdict == "failed" && state == "COMPLETED" && l.Day.whole(w), goesOn(state):
			wrong = append(wrong, fmt.Sprintf("the record says that POST %s %s, and the site says %s", w.Path, r.Verdict, state))
		}
	}
	return judged, wrong
}

// version is what is installed at the site.
func (d *Day) version() string {
	var root struct{ FullVersion string }
	_ = json.Unmarshal([]byte(d.Ask("/")), &root)
	return root.FullVersion
}

// showsVersions reports whether the site shows the message by which a run says where it leads: without it nobody could
// tell whose it is.
func (d *Day) showsVersions() bool {
	for _, m := range d.status().Status.Messages {
		if m.Code == 2010 || m.Code == 2072 {
			return true
		}
	}
	return false
}

// lastUpgrade is the newest upgrade that the site has accepted of this machine.
func (l Look) lastUpgrade() (last *Write) {
	for _, w := range l.writes {
		if w.upgrades() && w.Accepted {
			last = w
		}
	}
	return last
}

// inOrder wants the records of the writes that arrived to stand as these came.
func inOrder(l Look) (judged int, wrong []string) {
	at := map[string]int{}
	for i, r := range l.records {
		at[r.ID] = i + 1
	}
	before := 0
	for _, w := range l.writes {
		if at[w.Record] == 0 {
			continue
		}
		judged++
		if at[w.Record] < before {
			wrong = append(wrong, "the record of POST "+w.Path+" stands before that of an earlier one")
		}
		before = at[w.Record]
	}
	return judged, wrong
}

// madeWay wants a record of the write that a person sent over one of unknown outcome: one that was not sent after
// all overrides nothing.
func madeWay(l Look) (judged int, wrong []string) {
	for _, r := range l.records {
		if !r.Overridden || l.Allowed {
			continue
		}
		if judged++; r.Over == nil {
			wrong = append(wrong, "POST "+below(r.Path)+" of unknown outcome is recorded as overridden, and nothing was sent over it")
		}
	}
	return judged, wrong
}

// logAgrees compares what is printed of the record with the site.
func logAgrees(l Look) (judged int, wrong []string) {
	var printed struct {
		Items []struct {
			ID, Outcome, Path, Verdict string
		}
	}
	if l.Log == "" {
		return 0, nil
	}
	if err := json.Unmarshal([]byte(l.Log), &printed); err != nil {
		return 1, []string{"the log is no JSON: " + err.Error()}
	}
	listed := map[string]bool{}
	for _, item := range printed.Items {
		listed[item.ID] = true
		at := slices.IndexFunc(l.records, func(r *Record) bool { return r.ID == item.ID })
		if at < 0 {
			continue
		}
		judged++
		r := l.records[at]
		claims := item.Outcome
		if claims == "done" && changes.MatchString(r.Path) {
			if w := l.of(r); (w == nil || !w.Accepted) && !l.shows(r, w) || w != nil && w.Accepted && item.Verdict == "succeeded" && l.newest(w) && l.unmade(w) {
				wrong = append(wrong, fmt.Sprintf("the log says that POST %s is done, and it is not", below(r.Path)))
			}
		}
		if (claims == "unknown") != (r.Outcome == "unknown") || (claims == "refused") != (r.Outcome == "refused") {
			wrong = append(wrong, fmt.Sprintf("the log says that POST %s is %s, and its record %s", below(r.Path), claims, r.Outcome))
		}
	}
	for _, r := range l.records {
		if !listed[r.ID] {
			wrong = append(wrong, "the log lacks the record of POST "+below(r.Path))
		}
	}
	return judged, wrong
}

// activityRow is a row of the record: what became of a write, and when it was sent.
var activityRow = regexp.MustCompile(`(?m)^ *[›·]? *\S (\S[^│\n]*?) {2,}(?:\d\d-\d\d \d\d:\d\d|\d{4}-\d\d-\d\d) {2,}([^│\n]*)`)

// atOnce are the paths of writes that are over with their answer.
var atOnce = regexp.MustCompile(`/(?:importManifest|reports(?:/[^/]+)?/delete)$|/uploads/`)

// activityAgrees judges the rows of Activity, the newest record first.
func activityAgrees(l Look) (judged int, wrong []string) {
	left := slices.Clone(l.records)
	for _, row := range activityRow.FindAllStringSubmatch(l.Activity, -1) {
		at := len(left) - 1
		if row[1] == "not sent" && (at < 0 || left[at].Outcome != row[1]) {
			continue // its record could not be written before, so it has only an end
		}
		if at < 0 {
			return judged, append(wrong, "Activity has more rows than the record: "+row[2])
		}
		judged++
		r := left[at]
		left = left[:at]
		so := r.Outcome == row[1] || r.Verdict == row[1]
		switch row[1] {
		case "accepted":
			so = r.Outcome == "done" && r.Verdict == ""
		case "done":
			so = r.Outcome == "done" && (r.Verdict == "succeeded" || atOnce.MatchString(r.Path))
		case "no outcome":
			so = r.Outcome == "unknown"
		}
		if !so {
			wrong = append(wrong, fmt.Sprintf("Activity says %q of POST %s, and its record %s %s", row[1], below(r.Path), r.Outcome, r.Verdict))
		}
	}
	return judged, wrong
}

// evidenceAgrees judges whose upgrade the evidence is of.
func evidenceAgrees(l Look) (judged int, wrong []string) {
	if l.Evidence == nil {
		return 0, nil
	}
	arrived := l.Day.sent(func(w *Write) bool { return w.upgrades() && w.Changes() })
	if _, has := l.Evidence["request.json"]; has && len(arrived) == 0 {
		wrong = append(wrong, "no upgrade was sent from here, and the evidence has a request for the one of somebody else")
	}
	return 1, wrong
}
