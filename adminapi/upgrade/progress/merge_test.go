package progress_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"geodeck/adminapi"
	"geodeck/adminapi/upgrade/progress"
)

// naive is the rule of the merge as it is written: each message as often as the snapshot
// has it that has it most often, by time and then by which was seen first.
type naive struct {
	order []adminapi.UpgradeMessage // each copy, as it was first seen
	count map[string]int
}

func name(m adminapi.UpgradeMessage) string { return fmt.Sprint(m.Code, m.When, m.Message) }

func (n *naive) read(snapshot []adminapi.UpgradeMessage) {
	times := map[string]int{}
	for _, m := range snapshot {
		if times[name(m)]++; times[name(m)] > n.count[name(m)] {
			n.count[name(m)]++
			n.order = append(n.order, m)
		}
	}
}

func (n *naive) names() (names []string) {
	sorted := slices.Clone(n.order)
	slices.SortStableFunc(sorted, func(a, b adminapi.UpgradeMessage) int { return int(a.When - b.When) })
	for _, m := range sorted {
		names = append(names, name(m))
	}
	return names
}

func namesOf(l progress.Log) (names []string) {
	for i := range l.Len() {
		names = append(names, name(l.At(i).UpgradeMessage))
	}
	return names
}

// sentOverTime is what a site sends over time, with so few times and texts that many
// messages are equal or of one time.
func sentOverTime(draw *rand.Rand, n int) (all []adminapi.UpgradeMessage) {
	when := 1
	for range n {
		when += draw.IntN(3)
		code := []int{2010, 2173, 2101, 9999}[draw.IntN(4)]
		all = append(all, adminapi.UpgradeMessage{Code: code, When: adminapi.Millis(when), Message: string(rune('a' + draw.IntN(3)))})
	}
	return all
}

// faulty is a snapshot of a history, cut, repeated and shuffled by chance.
func faulty(draw *rand.Rand, all []adminapi.UpgradeMessage) []adminapi.UpgradeMessage {
	sent := slices.Clone(all)
	if draw.IntN(3) == 0 && len(sent) > 0 {
		sent = sent[draw.IntN(len(sent)):]
	}
	if draw.IntN(4) == 0 && len(sent) > 0 {
		sent = sent[:draw.IntN(len(sent))]
	}
	if draw.IntN(4) == 0 && len(sent) > 0 {
		for range draw.IntN(4) {
			sent = append(sent, sent[draw.IntN(len(sent))])
		}
	}
	if draw.IntN(3) == 0 {
		draw.Shuffle(len(sent), func(i, j int) { sent[i], sent[j] = sent[j], sent[i] })
	}
	return sent
}

func TestAnySnapshotsMergeAsTheRuleSays(t *testing.T) {
	t.Parallel()
	for seed := range uint64(1000) {
		draw := rand.New(rand.NewPCG(seed, 1))
		all := sentOverTime(draw, 1+draw.IntN(30))
		c := newMergeCheck()
		c.label = fmt.Sprintf("seed %d: ", seed)
		for range 8 {
			c.read(t, faulty(draw, all[:draw.IntN(len(all)+1)]), draw.IntN(3) == 0)
		}
		checkRestored(t, c.merger.Log(), all)
	}
}

// checkCopies checks that equal messages are numbered from one.
func checkCopies(t *testing.T, l progress.Log) {
	t.Helper()
	times := map[string]int{}
	for i := range l.Len() {
		m := l.At(i)
		if times[name(m.UpgradeMessage)]++; m.Nth != times[name(m.UpgradeMessage)] {
			t.Fatalf("%+v is the %d. of its kind", m, times[name(m.UpgradeMessage)])
		}
	}
}

// checkRestored checks that a recorded log and a snapshot make the same log in either
// order.
func checkRestored(t *testing.T, recorded progress.Log, snapshot []adminapi.UpgradeMessage) {
	t.Helper()
	seen := messagesOf(recorded)
	first, second := progress.NewMerger(progress.LogBudget), progress.NewMerger(progress.LogBudget)
	first.Restore(seen)
	first.Restore(seen)
	first.Merge(snapshot)
	second.Merge(snapshot)
	second.Restore(seen)
	a, b := namesOf(first.Log()), namesOf(second.Log())
	slices.Sort(a)
	slices.Sort(b)
	if !slices.Equal(a, b) {
		t.Fatalf("%q, and the other way round %q", a, b)
	}
}

func TestALaterStartBeginsANewRun(t *testing.T) {
	t.Parallel()
	m := progress.NewMerger(progress.LogBudget)
	first := []adminapi.UpgradeMessage{{Code: 2010, When: 10, Message: "1 to 2"}, {Code: 2011, When: 20}}
	m.Merge(first)
	if m.Log().Run() != 0 {
		t.Errorf("the run begins at %d", m.Log().Run())
	}
	m.Merge(append(first, adminapi.UpgradeMessage{Code: 2287, When: 31}, adminapi.UpgradeMessage{Code: 2010, When: 30, Message: "2 to 3"}))
	if l := m.Log(); l.Run() != 2 || l.At(2).Code != 2010 || l.At(3).Code != 2287 {
		t.Errorf("the run begins at %d of %v", l.Run(), namesOf(l))
	}
	m.Merge(first) // an old log does not take it back
	if m.Log().Run() != 2 {
		t.Errorf("the run begins at %d", m.Log().Run())
	}
	m.Merge([]adminapi.UpgradeMessage{{Code: 2010, When: 1, Message: "0 to 1"}}) // nor does an earlier run that is told late
	if l := m.Log(); l.Run() != 3 || l.At(3).Message != "2 to 3" {
		t.Errorf("the run begins at %d of %v", l.Run(), namesOf(l))
	}
}

func TestAnEmptyLogIsTheBeginningOfAny(t *testing.T) {
	t.Parallel()
	m := progress.NewMerger(progress.LogBudget)
	m.Merge(sentOverTime(rand.New(rand.NewPCG(1, 1)), 5))
	if !m.Log().Extends(progress.Log{}) || m.Log().Extends(progress.NewMerger(progress.LogBudget).Log()) != true {
		t.Error("it is not")
	}
	other := progress.NewMerger(progress.LogBudget)
	other.Merge(sentOverTime(rand.New(rand.NewPCG(1, 1)), 3))
	if m.Log().Extends(other.Log()) {
		t.Error("the log of another merger passes for its beginning")
	}
}

func BenchmarkOneMessageMore(b *testing.B) {
	for _, n := range []int{1_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			merger := progress.NewMerger(progress.LogBudget)
			all := make([]adminapi.UpgradeMessage, n)
			for i := range all {
				all[i] = adminapi.UpgradeMessage{Code: 2038, When: adminapi.Millis(i), Message: fmt.Sprint("deployment ", i)}
			}
			merger.Merge(all)
			fold := progress.NewFold()
			fold.Add(merger.Log(), progress.StateRunning)
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				merger.Extend([]adminapi.UpgradeMessage{{Code: 2038, When: adminapi.Millis(n + i), Message: "one more"}})
				fold.Add(merger.Log(), progress.StateRunning)
			}
		})
	}
}

// messageOf makes a message of a byte, so that equal ones and equal times are many.
func messageOf(b byte) adminapi.UpgradeMessage {
	return adminapi.UpgradeMessage{
		Code: []int{2010, 2101, 2173}[b%3], When: adminapi.Millis(b/3%16) - 2, Message: string(rune('a' + b/48%4)),
	}
}

// mergeCheck compares a merger with the rule that it follows.
type mergeCheck struct {
	label    string // of its errors
	merger   *progress.Merger
	rule     naive
	snapshot []adminapi.UpgradeMessage // the last one, as far as it was read
}

func newMergeCheck() *mergeCheck {
	return &mergeCheck{merger: progress.NewMerger(progress.LogBudget), rule: naive{count: map[string]int{}}}
}

// read merges a snapshot, or with extend what was appended to the last one.
func (c *mergeCheck) read(t *testing.T, messages []adminapi.UpgradeMessage, extend bool) {
	t.Helper()
	last := c.merger.Log()
	lastNames := namesOf(last)
	var added []progress.Message
	if extend {
		c.snapshot = append(c.snapshot, messages...)
		added = c.merger.Extend(messages)
	} else {
		c.snapshot = slices.Clone(messages)
		added = c.merger.Merge(messages)
	}
	c.rule.read(c.snapshot)
	now := c.merger.Log()
	if got, want := namesOf(now), c.rule.names(); !slices.Equal(got, want) {
		t.Fatalf("%s%q, want\n%q", c.label, got, want)
	}
	if now.Len() != last.Len()+len(added) || now.Extends(last) && !slices.Equal(namesOf(now)[:last.Len()], lastNames) || !slices.Equal(namesOf(last), lastNames) {
		t.Fatalf("%s%d of %d are said to be new, extends %v:\n%q, before\n%q", c.label, len(added), now.Len(), now.Extends(last), namesOf(now), lastNames)
	}
	checkCopies(t, now)
}

// restart continues with a new merger and the messages of the last one.
func (c *mergeCheck) restart() {
	recorded := messagesOf(c.merger.Log())
	c.merger, c.snapshot = progress.NewMerger(progress.LogBudget), nil
	c.merger.Restore(recorded)
	c.merger.Merge(nil) // what follows is another snapshot
}

func messagesOf(l progress.Log) (all []progress.Message) {
	for i := range l.Len() {
		all = append(all, l.At(i))
	}
	return all
}

// FuzzSnapshots takes a byte for a message, or for the end of a snapshot: a new one, one
// that extends the last, or one after which the program starts again.
func FuzzSnapshots(f *testing.F) {
	f.Add([]byte{0, 3, 3, 6, 200, 3, 0, 3, 200, 9, 220, 240, 0, 3, 3, 3, 200})
	f.Add([]byte{9, 6, 3, 220, 6, 220, 240, 6, 220, 1, 6, 200})
	f.Fuzz(func(t *testing.T, ops []byte) {
		c := newMergeCheck()
		var messages []adminapi.UpgradeMessage
		for _, op := range ops[:min(len(ops), 300)] {
			if op < 200 {
				messages = append(messages, messageOf(op))
				continue
			}
			c.read(t, messages, op >= 220 && op < 240)
			messages = nil
			if op >= 240 {
				c.restart()
			}
		}
	})
}

// A message takes some 120 bytes beside its text, however long the watch goes on and
// however often messages are sent again.
func TestALongLogTakesLittleMoreThanItsTexts(t *testing.T) {
	const n = 100_000
	told := make([]adminapi.UpgradeMessage, n)
	texts := 0
	for i := range told {
		told[i] = adminapi.UpgradeMessage{Code: 2038, When: adminapi.Millis(i), Message: fmt.Sprintf("The deployment arcgis-web-%d runs the image web:12.0.0.7286 now.", i)}
		texts += len(told[i].Message)
	}
	before := heapInUse()
	merger := progress.NewMerger(progress.LogBudget)
	var shown progress.Log
	for i := range told {
		merger.Extend(told[i : i+1])
		shown = merger.Log()
	}
	for range 3 {
		merger.Merge(told)
	}
	used := heapInUse() - before
	t.Logf("%d KiB for %d messages, beside %d KiB of texts", used>>10, n, texts>>10)
	if used > 20<<20 {
		t.Errorf("%d bytes a message", used/n)
	}
	runtime.KeepAlive(merger)
	runtime.KeepAlive(shown)
	runtime.KeepAlive(told)
}

func heapInUse() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// BenchmarkALogSentAgain is the cost of a snapshot that is sent whole and has nothing new.
func BenchmarkALogSentAgain(b *testing.B) {
	told := longLog(100_000)
	merger := progress.NewMerger(progress.LogBudget)
	merger.Merge(told)
	b.ReportAllocs()
	for b.Loop() {
		merger.Merge(told)
	}
}
