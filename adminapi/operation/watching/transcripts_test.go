package watching_test

import (
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/journal/memdisk"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/incident"
	"geodeck/adminapi/operation/operationtest"
	"geodeck/adminapi/operation/watching"
	"geodeck/adminapi/upgrade/progress"
)

// told counts the messages of the site.
func told(t *testing.T, p *operationtest.Platform) int {
	t.Helper()
	status, err := p.Client.Upgrades.Status(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return len(status.Messages)
}

// onDisk counts what the transcript holds of a run.
func onDisk(t *testing.T, p *operationtest.Platform, id string) int {
	t.Helper()
	_, lines, err := p.Memory.Journal.ReadTranscript(id)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, line := range lines {
		n += len(line.Messages)
	}
	return n
}

func TestEverySnapshotIsInTheTranscriptBeforeItIsReturned(t *testing.T) {
	t.Parallel()
	p, run := operationtest.Started(t)
	watch := watching.NewWatch(p.Site, run)
	for range 60 {
		snapshot := operationtest.Polled(t, p, watch, 1)
		if n := onDisk(t, p, snapshot.Transcript); n != snapshot.Log.Len() || snapshot.TranscriptErr != nil {
			t.Fatalf("%d of %d messages are on disk, %v", n, snapshot.Log.Len(), snapshot.TranscriptErr)
		}
	}
	if end := operationtest.Follow(t, p, watch); onDisk(t, p, end.Transcript) != end.Log.Len() {
		t.Error("the end is not on disk")
	}
	runs, err := p.Memory.WatchedRuns()
	if err != nil || len(runs) != 1 || !runs[0].Ended || !runs[0].Here || runs[0].To != "11.5.0.6805" {
		t.Errorf("%+v, %v", runs, err)
	}
	if _, found, err := p.Memory.Unfinished(); found || err != nil {
		t.Errorf("unfinished %v, %v", found, err)
	}
	records, err := p.Memory.Journal.Actions(0)
	if at := slices.IndexFunc(records, operation.StartsUpgrade); err != nil || at < 0 || runs[0].Record != records[at].ID {
		t.Errorf("the transcript names the record %q of %+v, %v", runs[0].Record, records, err)
	}
	if v, err := p.Memory.Journal.Verify(); err != nil || len(v.Faults) > 0 || v.Transcripts != 1 {
		t.Errorf("%+v, %v", v, err)
	}
}

// Without its name a clock that was set back parts the two, and that is told as a record that is missing.
func TestAWatchThatBeginsLaterNamesTheRecordOfItsRequest(t *testing.T) {
	t.Parallel()
	p, _ := operationtest.Started(t)
	run, err := p.Site.LastSent(t.Context())
	if err != nil || run == nil {
		t.Fatal(run, err)
	}
	operationtest.Polled(t, p, watching.NewWatch(p.Site, run), 1)
	runs, err := p.Memory.WatchedRuns()
	records, failed := p.Memory.Journal.Actions(0)
	at := slices.IndexFunc(records, operation.StartsUpgrade)
	if err != nil || failed != nil || len(runs) != 1 || at < 0 || runs[0].Record != records[at].ID {
		t.Errorf("%+v names no record of %+v, %v, %v", runs, records, err, failed)
	}
}

func TestAWatchThatWasCutOffIsResumedWithTheWholeLogOnce(t *testing.T) {
	t.Parallel()
	p, run := operationtest.Started(t)
	before := operationtest.Polled(t, p, watching.NewWatch(p.Site, run), 40)
	unfinished, found, err := p.Memory.Unfinished()
	if err != nil || !found || unfinished.ID != before.Transcript || unfinished.Messages != before.Log.Len() {
		t.Fatalf("%+v, %v, %v", unfinished, found, err)
	}
	again := watching.NewWatch(p.Site, nil)
	again.Resume(unfinished.ID)
	snapshot := operationtest.Polled(t, p, again, 1)
	if !snapshot.Resumed || snapshot.Transcript != before.Transcript || snapshot.Log.Len() < before.Log.Len() {
		t.Errorf("resumed %v, %d in the log after %d", snapshot.Resumed, snapshot.Log.Len(), before.Log.Len())
	}
	end := operationtest.Follow(t, p, again)
	if n := onDisk(t, p, end.Transcript); n != end.Log.Len() || n != told(t, p) {
		t.Errorf("%d on disk, %d in the log, %d told", n, end.Log.Len(), told(t, p))
	}
}

// Nobody knows which run a message without a time is of: it must not be lost all the same.
func TestAMessageWithoutATimeIsInTheTranscriptOfAWatchThatBeginsLate(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "messages-odd")
	_ = p.Clock.Sleep(t.Context(), 3*time.Minute)
	now := operationtest.Polled(t, p, watching.NewWatch(p.Site, nil), 1)
	text, err := p.Memory.Journal.TranscriptContent(now.Transcript)
	if err != nil || strings.Count(string(text), "A message without a time.") != 1 {
		t.Errorf("%v: %s", err, text)
	}
	if onDisk(t, p, now.Transcript) != told(t, p) {
		t.Errorf("%d messages are on disk of %d", onDisk(t, p, now.Transcript), told(t, p))
	}
}

func TestAnotherTerminalOnTheSameRunUsesTheSameTranscript(t *testing.T) {
	t.Parallel()
	p, run := operationtest.Started(t)
	one, two := watching.NewWatch(p.Site, run), watching.NewWatch(p.Site, nil)
	for range 30 {
		operationtest.Polled(t, p, one, 1)
		operationtest.Polled(t, p, two, 1)
	}
	end := operationtest.Follow(t, p, one)
	if !operationtest.Follow(t, p, two).Ended {
		t.Error("the other terminal has not seen the end")
	}
	runs, err := p.Memory.WatchedRuns()
	if err != nil || len(runs) != 1 {
		t.Fatalf("%+v, %v", runs, err)
	}
	if n := onDisk(t, p, runs[0].ID); n != end.Log.Len() {
		t.Errorf("%d on disk, %d in the log", n, end.Log.Len())
	}
}

func TestTheUnseenEndOfAResumedRunIsNews(t *testing.T) {
	t.Parallel()
	p, run := operationtest.Started(t)
	before := operationtest.Polled(t, p, watching.NewWatch(p.Site, run), 10)
	_ = p.Clock.Sleep(t.Context(), 3*time.Hour)
	watch := watching.NewWatch(p.Site, nil)
	watch.Resume(before.Transcript)
	snapshot := operationtest.Polled(t, p, watch, 1)
	if !snapshot.Ended || snapshot.Meaning != progress.StateSucceeded || !snapshot.Resumed {
		t.Errorf("ended %v as %v", snapshot.Ended, snapshot.Meaning)
	}
	if _, found, _ := p.Memory.Unfinished(); found {
		t.Error("it would be offered again")
	}
}

func TestAResumedRunIsShownWhileTheAPIIsUnreachable(t *testing.T) {
	t.Parallel()
	p, run := operationtest.Started(t)
	before := operationtest.Polled(t, p, watching.NewWatch(p.Site, run), 20)
	p.Intercept(func(w http.ResponseWriter, _ *http.Request, _ func()) { operationtest.HangUp(w) })
	watch := watching.NewWatch(p.Site, nil)
	watch.Resume(before.Transcript)
	snapshot := operationtest.Polled(t, p, watch, 1)
	if snapshot.Unreachable == nil || snapshot.Log.Len() != before.Log.Len() || snapshot.Meaning != progress.StateRunning || snapshot.At.After(before.At) {
		t.Errorf("away %v, %d messages, %v at %v", snapshot.Unreachable, snapshot.Log.Len(), snapshot.Meaning, snapshot.At)
	}
}

func TestADismissedRunIsNotOfferedAgain(t *testing.T) {
	t.Parallel()
	p, run := operationtest.Started(t)
	before := operationtest.Polled(t, p, watching.NewWatch(p.Site, run), 10)
	if err := p.Memory.Dismiss(before.Transcript); err != nil {
		t.Fatal(err)
	}
	if _, found, err := p.Memory.Unfinished(); found || err != nil {
		t.Errorf("offered: %v, %v", found, err)
	}
	if replay, err := watching.Replay(p.Site, before.Transcript); err != nil || replay.Log.Len() != before.Log.Len() {
		t.Errorf("%d messages, %v", replay.Log.Len(), err)
	}
}

func TestMessagesThatTheSiteDropsStayInTheLog(t *testing.T) {
	t.Parallel()
	p, run := operationtest.Started(t)
	watch := watching.NewWatch(p.Site, run)
	before := operationtest.Polled(t, p, watch, 40)
	later := p.Clock.Now().UnixMilli()
	p.ReportsStatus(fmt.Sprintf(`{"state":"in_progress","code":1,"messages":[{"code":2173,"message":"9 / 41","when":%d}]}`, later))
	snapshot := operationtest.Polled(t, p, watch, 1)
	if snapshot.Log.Len() != before.Log.Len()+1 || snapshot.Transcript != before.Transcript || len(snapshot.Added) != 1 {
		t.Errorf("%d messages after %d, %d added", snapshot.Log.Len(), before.Log.Len(), len(snapshot.Added))
	}
	// A watch that begins anew finds only the rest at the site, and the beginning on disk.
	fresh := operationtest.Polled(t, p, watching.NewWatch(p.Site, nil), 1)
	if fresh.Transcript != before.Transcript || fresh.Log.Len() != snapshot.Log.Len() {
		t.Errorf("transcript %q with %d messages, want %q with %d", fresh.Transcript, fresh.Log.Len(), before.Transcript, snapshot.Log.Len())
	}
}

func TestALaterRunHasATranscriptOfItsOwn(t *testing.T) {
	t.Parallel()
	p, run := operationtest.Started(t)
	first := operationtest.Follow(t, p, watching.NewWatch(p.Site, run))
	next, outcome, err := operationtest.Apart(p.StartUpgrade(t.Context(), p.Request(t, operationtest.NextPatchID), nil))
	if outcome != adminapi.OutcomeDone {
		t.Fatal(err)
	}
	watch := watching.NewWatch(p.Site, next)
	snapshot := operationtest.Polled(t, p, watch, 3)
	if snapshot.Transcript == first.Transcript || snapshot.Usual.Runs != 1 || snapshot.Usual.Took <= 0 {
		t.Errorf("transcript %q after %q, usual %+v", snapshot.Transcript, first.Transcript, snapshot.Usual)
	}
	end := operationtest.Follow(t, p, watch)
	// Who looks afterwards does not compare the run with itself.
	if after := operationtest.Polled(t, p, watching.NewWatch(p.Site, nil), 1); after.Usual.Runs != 1 || after.Usual.Took != snapshot.Usual.Took || end.Usual.Runs != 1 {
		t.Errorf("usual at its end %+v, afterwards %+v", end.Usual, after.Usual)
	}
	runs, err := p.Memory.WatchedRuns()
	if err != nil || len(runs) != 2 || runs[0].ID != end.Transcript || runs[0].Messages == first.Log.Len() && strings.EqualFold(runs[0].To, runs[1].To) {
		t.Errorf("%+v, %v", runs, err)
	}
}

// What the disk had no room for is written once it has.
func TestMessagesThatTheDiskHadNoRoomForAreInTheTranscriptLater(t *testing.T) {
	t.Parallel()
	for _, nth := range []int{3, 5, 8} {
		p := operationtest.BuiltIn(t, "healthy")
		full := memdisk.Fault{Op: memdisk.OpWrite, Path: "[12]*.jsonl", Nth: nth, For: 2, Kind: memdisk.Full}
		p.Remembering(t, "/home/ada/state", journal.WithFiles(memdisk.New(p.Clock.Now, "/home/ada", "/tmp").Program(full)))
		watch, failed := watching.NewWatch(p.Site, p.Start(t, operationtest.PatchID)), 0
		for range 40 {
			if operationtest.Polled(t, p, watch, 1).TranscriptErr != nil {
				failed++
			}
		}
		end := operationtest.Follow(t, p, watch)
		if n := onDisk(t, p, end.Transcript); failed == 0 || n != end.Log.Len() || end.TranscriptErr != nil {
			t.Errorf("from write %d on it failed %d times; %d of %d messages are on disk, %v", nth, failed, n, end.Log.Len(), end.TranscriptErr)
		}
	}
}

func TestAJournalThatCannotBeWrittenEndsNoWatch(t *testing.T) {
	t.Parallel()
	p, run := operationtest.Started(t)
	watch := watching.NewWatch(p.Site, run)
	before := operationtest.Polled(t, p, watch, 5)
	_ = p.Memory.Journal.Close()
	if end := operationtest.Follow(t, p, watch); end.TranscriptErr == nil || end.Log.Len() <= before.Log.Len() || end.Meaning != progress.StateSucceeded {
		t.Errorf("unkept %v, %d messages, %v", end.TranscriptErr, end.Log.Len(), end.Meaning)
	}
}

func TestAMaskedOrCutMessageIsThereOnceAfterAResume(t *testing.T) {
	t.Parallel()
	for _, bytes := range []int{0, 80 << 10} {
		p := operationtest.WithJournal(t, "healthy")
		p.ReportsRun(bytes, "")
		first := operationtest.Polled(t, p, watching.NewWatch(p.Site, nil), 1)
		watch := watching.NewWatch(p.Site, nil)
		watch.Resume(first.Transcript)
		again := operationtest.Polled(t, p, watch, 2)
		if first.Log.Len() != 2 || again.Log.Len() != 2 || again.Transcript != first.Transcript || onDisk(t, p, first.Transcript) != 2 {
			t.Errorf("%d bytes: %d messages, after a resume %d, on disk %d", bytes, first.Log.Len(), again.Log.Len(), onDisk(t, p, first.Transcript))
		}
		if text := again.Log.At(1).Message; strings.Contains(text, operationtest.Canary) {
			t.Errorf("a secret is shown: %.100s", text)
		}
	}
}

func TestATranscriptOfNoKnownRunEndsWhenTheRunIsKnown(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "healthy")
	p.ReportsStatus(`{"state":"in_progress","code":1,"messages":[]}`)
	watch := watching.NewWatch(p.Site, nil)
	untold := operationtest.Polled(t, p, watch, 1).Transcript
	p.ReportsRun(0, "")
	now := operationtest.Polled(t, p, watch, 1).Transcript
	runs, err := p.Memory.WatchedRuns()
	if err != nil || len(runs) != 2 || untold == now || runs[0].ID != now || runs[0].Ended || !runs[1].Ended {
		t.Errorf("%+v, %v", runs, err)
	}
}

func TestADeletedTranscriptIsBegunAnew(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "healthy")
	p.ReportsRun(0, "")
	watch := watching.NewWatch(p.Site, nil)
	path := p.Memory.Journal.TranscriptPath(operationtest.Polled(t, p, watch, 1).Transcript)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	p.ReportsRun(0, fmt.Sprintf(`,{"code":2270,"message":"planned","when":%d}`, p.Clock.Now().UnixMilli()))
	if r := operationtest.Polled(t, p, watch, 1); r.TranscriptErr == nil {
		t.Error("nothing says that the transcript no longer exists")
	}
	if r := operationtest.Polled(t, p, watch, 1); r.TranscriptErr != nil || onDisk(t, p, r.Transcript) != r.Log.Len() {
		t.Errorf("%v; %d of %d messages are kept", r.TranscriptErr, onDisk(t, p, r.Transcript), r.Log.Len())
	}
}

func TestATranscriptHoldsTheDifferenceOfTheClocks(t *testing.T) {
	t.Parallel()
	ahead := 3 * time.Hour
	p := operationtest.WithJournal(t, "healthy")
	began, more := p.FirstMessage(ahead), ""
	p.Intercept(func(w http.ResponseWriter, r *http.Request, pass func()) {
		if !strings.HasSuffix(r.URL.Path, "/system/upgrades") {
			pass()
			return
		}
		w.Header().Set("Date", p.Clock.Now().Add(ahead).UTC().Format(http.TimeFormat))
		_, _ = fmt.Fprintf(w, `{"status":{"state":"in_progress","code":1,"messages":[%s%s]}}`, began, more)
	})
	seen := watching.NewWatch(p.Site, nil)
	live := operationtest.Polled(t, p, seen, 1)
	elsewhere := operation.Site{Client: clientWithoutAnswer(t, p.Clock), Clock: p.Clock, Memory: operation.Memory{Journal: p.Memory.Journal}}
	record, err := watching.Replay(elsewhere, live.Transcript)
	if err != nil || (live.Ahead-ahead).Abs() > 2*time.Second || record.Ahead != live.Ahead {
		t.Errorf("live %v, record %v, %v", live.Ahead, record.Ahead, err)
	}
	if e, err := incident.GatherEvidence(t.Context(), elsewhere, "", ""); err != nil || !strings.Contains(operationtest.Unpacked(t, e)["summary.md"], ", which was 3 h 00 min behind the site's when the run was last seen, at 2026-") {
		t.Errorf("the evidence does not say of when the difference is; %v", err)
	}
	watch := watching.NewWatch(elsewhere, nil)
	watch.Resume(live.Transcript)
	if r, _, err := operationtest.Stepped(watch.Next(t.Context())); err != nil || r.Unreachable == nil || r.Ahead != live.Ahead {
		t.Errorf("away: %v, ahead %v, %v", r.Unreachable, r.Ahead, err)
	}
	for i, set := range []time.Duration{5 * time.Hour, 0} {
		ahead = set
		more += fmt.Sprintf(`,{"code":2038,"message":"image %d","when":%d}`, i, p.Clock.Now().Add(ahead).UnixMilli())
		live = operationtest.Polled(t, p, seen, 1)
		if record, err = watching.Replay(elsewhere, live.Transcript); err != nil || (record.Ahead-ahead).Abs() > 2*time.Second || (record.ServerAt().Sub(live.ServerAt())).Abs() > 2*time.Second {
			t.Errorf("set to %v: record %v, %v, live %v, %v", ahead, record.Ahead, record.ServerAt(), live.ServerAt(), err)
		}
	}
}

// clientWithoutAnswer is the client of a site that is unreachable.
func clientWithoutAnswer(t *testing.T, clock adminapi.Clock) *adminapi.Client {
	t.Helper()
	client, err := adminapi.New(adminapi.Config{Base: "http://127.0.0.1:1/admin", Token: adminapi.Token{Value: "x"}, Clock: clock})
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// Its file may be deleted, or on a disk that is gone: that is said, and the rest of the run is recorded.
func TestAWatchWhoseTranscriptIsGoneSaysSoAndBeginsAnother(t *testing.T) {
	t.Parallel()
	p, run := operationtest.Started(t)
	before := operationtest.Polled(t, p, watching.NewWatch(p.Site, run), 10)
	if err := os.Remove(p.Memory.Journal.TranscriptPath(before.Transcript)); err != nil {
		t.Fatal(err)
	}
	p.Intercept(func(w http.ResponseWriter, _ *http.Request, _ func()) { operationtest.HangUp(w) })
	watch := watching.NewWatch(p.Site, nil)
	watch.Resume(before.Transcript)
	if r := operationtest.Polled(t, p, watch, 1); r.TranscriptErr == nil || r.Seen || r.Resumed || r.Meaning != progress.StateUnknown {
		t.Errorf("nothing of it is there, and it is %+v", r)
	}
	p.Intercept(nil)
	if r := operationtest.Polled(t, p, watch, 1); r.TranscriptErr != nil || onDisk(t, p, r.Transcript) != r.Log.Len() || r.Log.Len() < before.Log.Len() {
		t.Errorf("%v; %d of %d messages are kept", r.TranscriptErr, onDisk(t, p, r.Transcript), r.Log.Len())
	}
}

// The next upgrade may be over before anybody looks for the end of the one before.
func TestTheEndOfALaterRunIsNoNewsOfAResumedOne(t *testing.T) {
	t.Parallel()
	p, run := operationtest.Started(t)
	p.ReportsStatus(`{"state":"in_progress","code":1,"messages":[` + p.FirstMessage(0) + `]}`)
	before := operationtest.Polled(t, p, watching.NewWatch(p.Site, run), 2)
	p.Clock.Advance(6 * time.Hour)
	first := p.FirstMessage(0)
	p.Clock.Advance(time.Hour)
	p.ReportsStatus(`{"state":"success","code":3,"messages":[` + first + `,` + p.EndMessage() + `]}`)
	watch := watching.NewWatch(p.Site, nil)
	watch.Resume(before.Transcript)
	snapshot := operationtest.Polled(t, p, watch, 1)
	if alarm, due := watching.AlarmOf(p.Site, before, snapshot); snapshot.Ended || !snapshot.NothingRuns || due {
		t.Errorf("ended %v, nothing runs %v, %+v", snapshot.Ended, snapshot.NothingRuns, alarm)
	}
	p.WantSettled(t, "", "")
}

// Of a watch that was cut off before the run had told anything nobody knows when the run began.
func TestAnOldEndIsNotThatOfAResumedRunThatHadToldNothing(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "healthy")
	p.ReportsStatus(`{"state":"in_progress","code":1,"messages":[]}`)
	before := operationtest.Polled(t, p, watching.NewWatch(p.Site, nil), 1)
	p.ReportsStatus(fmt.Sprintf(`{"state":"success","code":3,"messages":[{"code":2012,"message":"upgraded","when":%d}]}`, p.Clock.Now().Add(-24*time.Hour).UnixMilli()))
	watch := watching.NewWatch(p.Site, nil)
	watch.Resume(before.Transcript)
	if r := operationtest.Polled(t, p, watch, 1); r.Ended || !r.Resumed || r.Doubt != watching.DoubtfulSuccess {
		t.Errorf("ended %v, resumed %v, doubt %v", r.Ended, r.Resumed, r.Doubt)
	}
}

// A log without its beginning continues the transcript that was cut off, unless it is older than that.
func TestMessagesThatAreOlderThanARunAreNotInItsTranscript(t *testing.T) {
	t.Parallel()
	for after, same := range map[time.Duration]bool{time.Minute: true, -time.Hour: false} {
		p := operationtest.WithJournal(t, "healthy")
		id, began := recorded(t, p, 2*time.Hour, seen(progress.StateRunning))
		p.ReportsStatus(fmt.Sprintf(`{"state":"in_progress","code":1,"messages":[{"code":2038,"message":"an image","when":%d}]}`, began.Time().Add(after).UnixMilli()))
		now := operationtest.Polled(t, p, watching.NewWatch(p.Site, nil), 1)
		if (now.Transcript == id) != same || (onDisk(t, p, id) == 2) != same || (now.Log.Len() == 2) != same {
			t.Errorf("%v after its begin: in the same transcript is %v, which has %d messages", after, now.Transcript == id, onDisk(t, p, id))
		}
	}
}

// A command that looks once shows what a watch has kept of the run, and nothing of another.
func TestTheStatusShowsWhatWasKeptOfItsOwnRunAlone(t *testing.T) {
	t.Parallel()
	const text = "from 11.5.0.6745 to 11.5.0.6805" // as of the run that is recorded
	for name, c := range map[string]struct {
		later adminapi.Millis
		text  string
		same  bool
	}{
		"the same run":               {0, text, true},
		"the same upgrade once more": {1_800_000, text, false},
		"another one at that time":   {0, "from 11.5.0.6745 to 11.5.0.6815", false},
		"another one later":          {1_800_000, "from 11.5.0.6805 to 11.5.0.6815", false},
	} {
		p := operationtest.WithJournal(t, "healthy")
		id, began := recorded(t, p, time.Hour, ended(progress.StateFailed), adminapi.UpgradeMessage{Code: 2287, Message: "kept", When: 60_000})
		status := adminapi.UpgradeStatus{State: "in_progress", Code: 1, Messages: []adminapi.UpgradeMessage{{Code: 2010, Message: c.text, When: began + c.later}}}
		now := watching.UpgradeNow(p.Site, status)
		if (now.Transcript == id) != c.same || (now.Log.Len() == 2) != c.same || !c.same && (now.Transcript != "" || now.Log.Len() != 1) {
			t.Errorf("%s: record %q, %d messages", name, now.Transcript, now.Log.Len())
		}
	}
}
