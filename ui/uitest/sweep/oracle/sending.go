package oracle

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
)

// arrival is a write that arrives at the site, and what is on disk at that moment.
type arrival struct {
	*Day
	*Write
	before  []*Write // the earlier ones
	durable map[string][]byte
}

// Arrives judges a write before the site handles it. durable are the files that a power cut at
// this moment would leave.
func (d *Day) Arrives(w *Write, durable map[string][]byte) {
	before := d.sent(func(*Write) bool { return true })
	d.mu.Lock()
	w.Base = d.reads[w.Program+" "+w.document()]
	d.writes = append(d.writes, w)
	if w.prepares() {
		d.preparing[w.Program] = true
	}
	d.mu.Unlock()
	if w.Changes() {
		judge(d, atWrite, arrival{d, w, before, durable})
	}
}

var atWrite = []rule[arrival]{
	{"a write is recorded before it is sent", recorded},
	{"the record says what was sent", recordedAsSent},
	{"what is replaced is kept before", keptBefore},
	{"what is sent is kept before", sentKept},
	{"a locked site gets nothing before its name", unlocked},
	{"nothing is sent while an earlier one goes on", oneAtATime},
	{"one post for one intent", once},
	{"whether an upgrade runs is looked at after all that precedes one", lookedLast},
	{"who sends over an open write has waited", waitedFor},
	{"what was not edited is sent as it was", untouched},
	{"an edit is brought together with those of others", broughtTogether},
	{"what a dry run shows is what is sent", shownIsSent},
	{"an upgrade is sent with what was filled in", filledIsSent},
	{"an upgrade is sent where each check has passed, or was accepted by its name", acceptedByName},
	{"an upgrade is sent with the form of the site, filled in", formIsSent},
	{"a screen sends what was confirmed, once", confirmedOnce},
	{"what is overwritten of others was accepted", overwritingAccepted},
	{"what was edited before goes out, too", besidesSent},
	{"a manifest is sent as its file is", sentAsFile},
	{"only the reports that were chosen are deleted", onlyChosenGo},
	{"what was edited by hand is sent", handIsSent},
}

// recorded looks for a record of its own: one more than of the writes to the same path before.
func recorded(a arrival) (int, []string) {
	want, found := 1, 0
	a.mu.Lock()
	for _, w := range a.writes {
		if w != a.Write && w.Path == a.Path {
			want++
		}
	}
	a.mu.Unlock()
	for _, r := range RecordsIn(a.durable) {
		if below(r.Path) == a.Path {
			found++
			a.Record, a.Recorded = r.ID, r.Time
		}
	}
	if found < want {
		return 1, []string{fmt.Sprintf("POST %s reached the site, and %d of %d such requests are in the record on disk", a.Path, found, want)}
	}
	return 1, nil
}

// recordedAsSent compares the checksum in the record with what has arrived, and the words in it with those that were given.
func recordedAsSent(a arrival) (judged int, wrong []string) {
	sum := sha256.Sum256([]byte(a.text()))
	for _, r := range RecordsIn(a.durable) {
		if a.Record != "" && r.ID == a.Record && a.Intent != nil && a.Intent.Accepted != "" {
			if judged++; !slices.ContainsFunc(r.Accepted, func(one struct{ Word string }) bool { return one.Word == a.Intent.Accepted }) {
				wrong = append(wrong, fmt.Sprintf("%s was accepted for POST %s, and the record %s does not say so", a.Intent.Accepted, a.Path, r.ID))
			}
		}
		if a.Record == "" || a.text() == "" {
			continue
		}
		if said := strings.Join(append(r.Fields["service"], r.Fields["servicePlacementPolicy"]...), ""); r.ID == a.Record {
			judged++
			if strings.HasPrefix(said, "sha256:") && !strings.HasPrefix(said, "sha256:"+hex.EncodeToString(sum[:])) || !strings.HasPrefix(said, "sha256:") && said != a.text() {
				wrong = append(wrong, fmt.Sprintf("the record %s of POST %s is of other bytes", r.ID, a.Path))
			}
		}
	}
	return judged, wrong
}

// keptBefore wants the very bytes that the program had read last to be on disk, and the newest in a list of backups.
func keptBefore(a arrival) (int, []string) {
	if a.document() == "" {
		return 0, nil
	}
	if a.Base == "" {
		return 1, []string{"POST " + a.Path + " replaces what its program has not read"}
	}
	sum := sha256.Sum256([]byte(a.Base))
	bytes, newest := false, false
	for path, content := range a.durable {
		if strings.Contains(path, "/backups/") {
			bytes = bytes || string(content) == a.Base
			newest = newest || strings.HasSuffix(path, "/index.jsonl") && newestBackup(content) == hex.EncodeToString(sum[:])
		}
	}
	if !bytes || !newest {
		return 1, []string{fmt.Sprintf("POST %s was sent, and what it replaces is not safe on disk (bytes %v, the newest listed %v)", a.Path, bytes, newest)}
	}
	return 1, nil
}

// newestBackup is the checksum of the newest backup in a list.
func newestBackup(list []byte) (sum string) {
	for line := range strings.Lines(string(list)) {
		var backup struct{ ID, SHA256 string }
		if json.Unmarshal([]byte(line), &backup) == nil && backup.ID != "" {
			sum = backup.SHA256
		}
	}
	return sum
}

// sentKept wants what an edit sends to be on disk: after a lost answer the site is compared with it.
func sentKept(a arrival) (int, []string) {
	if a.text() == "" {
		return 0, nil
	}
	for path, content := range a.durable {
		var draft any
		if strings.Contains(path, "/drafts/") && json.Unmarshal(content, &draft) == nil && holds(draft, a.text()) {
			return 1, nil
		}
	}
	return 1, []string{"POST " + a.Path + " was sent, and what it sends is not safe on disk"}
}

// holds reports whether a text is somewhere in a value.
func holds(value any, text string) bool {
	switch value := value.(type) {
	case string:
		return value == text
	case []any:
		return slices.ContainsFunc(value, func(v any) bool { return holds(v, text) })
	case map[string]any:
		for _, v := range value {
			if holds(v, text) {
				return true
			}
		}
	}
	return false
}

func unlocked(a arrival) (int, []string) {
	switch {
	case !a.Locked:
		return 0, nil
	case !a.Named:
		return 1, []string{"POST " + a.Path + " reached a production site before its name was given"}
	}
	return 1, nil
}

// oneAtATime wants no edit while an earlier one goes on, and no upgrade while one runs.
func oneAtATime(a arrival) (judged int, wrong []string) {
	for _, w := range a.before {
		if w.Path != a.Path || !w.Changes() {
			continue
		}
		judged++
		if w.document() != "" && (w.Accepted && goesOn(a.job(w)) || w.Answer == "" && a.lostGoesOn(w)) {
			wrong = append(wrong, fmt.Sprintf("POST %s was sent while the job of an earlier one goes on", a.Path))
		}
		if !w.Answered && w.Program != a.Program && !a.has(w) { // whose effect shows is over, however late its answer comes
			wrong = append(wrong, fmt.Sprintf("POST %s was sent by %s while that of %s is under way", a.Path, a.Program, w.Program))
		}
	}
	return judged, wrong
}

// lostGoesOn reports whether a job goes on at the site that began with a write whose answer was lost.
func (d *Day) lostGoesOn(w *Write) bool { return goesOn(d.lostJob(w)) }

// lostJob is the state of the job at the site that began with a write whose answer was lost; empty where there is none.
func (d *Day) lostJob(w *Write) string {
	if !w.Answered {
		return ""
	}
	for _, id := range jobID.FindAllString(d.Ask("/jobs"), -1) {
		var job struct {
			Status, OperationURI string
			StartTime            int64
		}
		if json.Unmarshal([]byte(d.Ask("/jobs/"+id)), &job) == nil && strings.HasSuffix(job.OperationURI, w.Path) &&
			time.UnixMilli(job.StartTime).Add(-d.Ahead).Sub(w.At).Abs() < 2*time.Second {
			return job.Status
		}
	}
	return ""
}

// lookedLast wants the last look whether an upgrade runs to come after the settings are read and the files are up: that may
// take long, and somebody else may begin one meanwhile.
func lookedLast(a arrival) (int, []string) {
	if !a.upgrades() || a.Stale { // an old answer may have come from before the site
		return 0, nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.preparing[a.Program] {
		return 1, []string{fmt.Sprintf("POST %s was sent, and whether an upgrade runs was looked at before its settings were read", a.Path)}
	}
	return 1, nil
}

// waitedFor wants who sends over an edit or another change of unknown outcome to have waited until that would show, by the
// clock of the machine.
func waitedFor(a arrival) (judged int, wrong []string) {
	records := RecordsIn(a.durable)
	at := slices.IndexFunc(records, func(r *Record) bool { return r.ID == a.Record })
	if a.Record == "" || at < 0 || a.deletes() != nil { // twice does no harm
		return 0, nil
	}
	least := 2 * time.Minute
	if a.upgrades() {
		least = 10 * time.Minute
	}
	for _, r := range records[:at] {
		if below(r.Path) != a.Path || r.Outcome != "unknown" || r.Over != nil && r.Over != records[at] {
			continue
		}
		judged++
		if passed := records[at].Time.Sub(r.Time); passed >= 0 && passed < least {
			wrong = append(wrong, fmt.Sprintf("POST %s was sent %s after one of unknown outcome", a.Path, passed))
		}
	}
	return judged, wrong
}

// once wants a further write for an intent only where the site did not take the earlier one, or
// does not have what that wanted: it failed, or somebody has undone it.
func once(a arrival) (judged int, wrong []string) {
	if a.Intent == nil {
		return 0, nil
	}
	for _, w := range a.before {
		if w.Intent != a.Intent {
			continue
		}
		judged++
		switch {
		case w.Program == a.Program && w.Accepted && goesOn(a.job(w)), w.Accepted && (a.lasts(w) || w.upgrades() && a.begun(w) < 0):
			wrong = append(wrong, fmt.Sprintf("%s: POST %s was sent again, and the site has taken the one of %s", a.Intent.Name, a.Path, w.Program))
		}
	}
	return max(judged, 1), wrong
}

// begun is how long after a write the log of upgrades begins that the site shows; less than nothing where it is
// an earlier one, or none.
func (d *Day) begun(w *Write) time.Duration {
	first := w.At.Add(-time.Hour)
	for i, m := range d.status().Status.Messages {
		if at := time.UnixMilli(m.When).Add(-d.Ahead); i == 0 || at.Before(first) {
			first = at
		}
	}
	return first.Add(slack).Sub(w.At)
}

// shows reports whether the site shows the upgrade of a write that it has accepted.
func (d *Day) shows(w *Write) bool { return d.begun(w) > 0 && d.begun(w) < 5*time.Minute }

// lasts reports whether what an accepted write wanted goes on, or is there.
func (d *Day) lasts(w *Write) bool {
	if w.upgrades() {
		state := d.upgrade()
		return (state == running || state == succeeded) && d.shows(w)
	}
	return goesOn(d.job(w)) || d.has(w) && !w.Broken && (d.whole(w) || d.Touched.After(w.At)) // one that was kept in part is wanted again
}

// untouched compares what an edit sends with what its program had read: all but the member
// that a person has changed is the same, byte for byte.
func untouched(a arrival) (int, []string) {
	if a.Intent != nil && a.Intent.Given != "" {
		if a.text() != a.Intent.Given {
			return 1, []string{fmt.Sprintf("POST %s sends other bytes than it was given", a.Path)}
		}
		return 1, nil
	}
	if a.Intent == nil || a.Intent.Key == "" || a.Intent.Whole || a.text() == "" || a.Base == "" {
		return 0, nil
	}
	mine, had := without(a.text(), a.Intent.Key), without(a.Base, a.Intent.Key)
	if had == a.Base {
		return 0, nil // it is added: where is up to the program
	}
	if slices.ContainsFunc(a.Intent.Besides, func(b Beside) bool { return !b.Added && without(a.Base, b.Key) == a.Base }) {
		return 0, nil // the site has dropped what is around it: that was a conflict
	}
	if mine, had = withoutBesides(mine, a.Intent.Besides), withoutBesides(had, a.Intent.Besides); mine != had {
		return 1, []string{fmt.Sprintf("POST %s changes more than %s", a.Path, a.Intent.Key)}
	}
	return 1, nil
}

// shownIsSent compares an edit with what a dry run has shown of it, where nothing has changed since.
func shownIsSent(a arrival) (int, []string) {
	if a.Intent == nil || a.Intent.Shown == "" || a.Base != a.Intent.ShownOn {
		return 0, nil
	}
	if !fits(a.text(), a.Intent.Shown) {
		return 1, []string{fmt.Sprintf("POST %s sends something else than its dry run has shown", a.Path)}
	}
	return 1, nil
}

// fits reports whether a text is as it was shown, with some of it masked.
func fits(text, shown string) bool {
	parts := strings.Split(shown, "[secret]")
	rest, begins := strings.CutPrefix(text, parts[0])
	if len(parts) == 1 || !begins {
		return text == shown
	}
	for _, part := range parts[1 : len(parts)-1] {
		at := strings.Index(rest, part)
		if at < 0 {
			return false
		}
		rest = rest[at+len(part):]
	}
	return strings.HasSuffix(rest, parts[len(parts)-1])
}

// without is a document without the value of its first member of a name.
func without(text, key string) string {
	at := member(key).FindStringSubmatchIndex(text)
	if at == nil {
		return text
	}
	return text[:at[3]] + text[at[1]:]
}
