package progress_test

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"geodeck/adminapi"
	"geodeck/adminapi/upgrade/progress"
)

// longTexts returns messages of 64 KiB, of so many moments from one on.
func longTexts(from, count int) (told []adminapi.UpgradeMessage) {
	for i := from; i < from+count; i++ {
		text := strings.Repeat("x", 64<<10) + fmt.Sprint(i)
		told = append(told, adminapi.UpgradeMessage{Code: 2038, When: adminapi.Millis(1000 + i), Message: text})
	}
	return told
}

func begin(when adminapi.Millis) adminapi.UpgradeMessage {
	return adminapi.UpgradeMessage{Code: 2010, When: when, Message: "The upgrade from 11.4 to 11.5 has started."}
}

func TestALogThatIsTooLongLacksItsMiddleAndSaysSo(t *testing.T) {
	before := heapInUse()
	merger, fold := progress.NewMerger(progress.LogBudget), progress.NewFold()
	told, news := 0, 0
	add := func(messages []adminapi.UpgradeMessage) (log progress.Log, p progress.Progress) {
		news += len(merger.Merge(messages))
		told += len(messages)
		return merger.Log(), fold.Add(merger.Log(), progress.StateRunning)
	}
	add(longTexts(-900, 300)) // of an earlier run
	add([]adminapi.UpgradeMessage{begin(1000)})
	var log progress.Log
	var p progress.Progress
	for i := range 40 {
		log, p = add(longTexts(1+100*i, 100))
	}
	if used := heapInUse() - before; used > 80<<20 {
		t.Errorf("it takes %d MiB", used>>20)
	}
	counted, cuts := 0, 0
	for i := range log.Len() {
		m := log.At(i)
		counted += max(1, m.LeftOut)
		if m.LeftOut > 0 {
			cuts++
			if want := "messages are left out"; !strings.Contains(m.Message, want) {
				t.Errorf("it says %q", m.Message)
			}
		}
		if i > 0 && m.When < log.At(i-1).When {
			t.Errorf("message %d is not in its place", i)
		}
	}
	first := log.At(log.Run())
	if first.Code != 2010 || log.At(log.Run()+1).When != 1001 || log.At(log.Len()-1).When != 5000 {
		t.Errorf("the run begins with %d, and ends at %d", first.Code, log.At(log.Len()-1).When)
	}
	if counted != told || news != told || cuts != 2 || log.LeftOut() == 0 || p.Messages != 4001 {
		t.Errorf("%d of %d messages are counted, %d were new, %d cuts, %d in the progress", counted, told, news, cuts, p.Messages)
	}
	if again := merger.Merge(longTexts(1500, 10)); len(again) > 0 {
		t.Errorf("%d that were left out come again", len(again))
	}
	var kept []progress.Message
	for i := range log.Len() {
		kept = append(kept, log.At(i))
	}
	replayed := progress.NewMerger(progress.LogBudget)
	replayed.Restore(kept)
	replayed.Restore(kept)
	if got := replayed.Log(); got.Len() != log.Len() || got.LeftOut() != log.LeftOut() {
		t.Errorf("restored %d messages of %d", got.Len(), log.Len())
	}
	if restored := progress.Of(replayed.Log(), progress.StateRunning); restored.Messages != p.Messages || restored.Began != p.Began {
		t.Errorf("restored %d messages since %d", restored.Messages, restored.Began)
	}
	runtime.KeepAlive(merger)
}

func TestWhatWasLeftOutIsNoSilence(t *testing.T) {
	t.Parallel()
	messages := []adminapi.UpgradeMessage{begin(1000), {Code: 2038, When: 2000}, adminapi.MessagesLeftOut(500, 900_000), {Code: 2038, When: 901_000}}
	var kept []progress.Message
	for _, m := range messages {
		kept = append(kept, progress.Message{UpgradeMessage: m, Nth: 1})
	}
	merger := progress.NewMerger(progress.LogBudget)
	merger.Restore(kept)
	p := progress.Of(merger.Log(), progress.StateRunning)
	at := slices.IndexFunc(p.Phases, func(phase progress.PhaseProgress) bool { return phase.Name == p.Current })
	if phase := p.Phases[at]; phase.Silence.Milliseconds() != 1000 || phase.Spent.Milliseconds() < 899_000 || p.Messages != 503 {
		t.Errorf("%+v of %d messages", phase, p.Messages)
	}
}

// What the run before has filled costs the newest one no message.
func TestARunThatFitsIsWholeWhereTheOneBeforeIsLeftOut(t *testing.T) {
	t.Parallel()
	for _, count := range []int{1, 12} {
		merger := progress.NewMerger(4 << 10)
		var before, run []adminapi.UpgradeMessage
		for i := range 30 {
			before = append(before, adminapi.UpgradeMessage{Code: 2038, When: adminapi.Millis(1 + i)})
		}
		for i := range count {
			run = append(run, adminapi.UpgradeMessage{Code: 2038, When: adminapi.Millis(1001 + i)})
		}
		merger.Merge(before)
		merger.Merge(append(append(before, begin(1000)), run...))
		log := merger.Log()
		if cut := log.At(0); cut.LeftOut != len(before) || log.LeftOut() != 0 || len(log.OfRun()) != 1+count || log.Last().When != adminapi.Millis(1000+count) {
			t.Errorf("%d messages: %d of the run before are left out, %d of this one, which has %d", count, cut.LeftOut, log.LeftOut(), len(log.OfRun()))
		}
	}
}

func TestManyShortMessagesAreBoundedToo(t *testing.T) {
	before := heapInUse()
	const part = 8 // of a log, which shows the same in less time
	merger := progress.NewMerger(progress.LogBudget / part)
	told := make([]adminapi.UpgradeMessage, 200_000/part)
	for poll := range 12 {
		for i := range told {
			told[i] = adminapi.UpgradeMessage{Code: 1, When: adminapi.Millis(poll*len(told) + i)}
		}
		merger.Merge(told)
	}
	clear(told)
	if used := heapInUse() - before; used > 150<<20/part {
		t.Errorf("it takes %d KiB", used>>10)
	}
	runtime.KeepAlive(merger)
	runtime.KeepAlive(told)
}
