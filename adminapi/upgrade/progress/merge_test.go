package progress_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"geodeck/adminapi"
	"geodeck/adminapi/upgrade/progress"
)

// naive is the rule of the merge as it is written: of each message the most that one
// reading has told, by when and then by which was seen first.
type naive struct {
	order []adminapi.UpgradeMessage // each copy, as it was first seen
	most  map[string]int
}

func name(m adminapi.UpgradeMessage) string { return fmt.Sprint(m.Code, m.When, m.Message) }

func (n *naive) read(told []adminapi.UpgradeMessage) {
	times := map[string]int{}
	for _, m := range told {
		if times[name(m)]++; times[name(m)] > n.most[name(m)] {
			n.most[name(m)]++
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

// toldOverTime is what a site tells over time, with few times and texts so that many
// messages are equal or of one time.
func toldOverTime(draw *rand.Rand, n int) (all []adminapi.UpgradeMessage) {
	when := 1
	for range n {
		when += draw.IntN(3)
		code := []int{2010, 2173, 2101, 9999}[draw.IntN(4)]
		all = append(all, adminapi.UpgradeMessage{Code: code, When: adminapi.Millis(when), Message: string(rune('a' + draw.IntN(3)))})
	}
	return all
}

// spoilt is one reading of a history as a bad day tells it.
func spoilt(draw *rand.Rand, all []adminapi.UpgradeMessage) []adminapi.UpgradeMessage {
	told := slices.Clone(all)
	if draw.IntN(3) == 0 && len(told) > 0 {
		told = told[draw.IntN(len(told)):]
	}
	if draw.IntN(4) == 0 && len(told) > 0 {
		told = told[:draw.IntN(len(told))]
	}
	if draw.IntN(4) == 0 && len(told) > 0 {
		for range draw.IntN(4) {
			told = append(told, told[draw.IntN(len(told))])
		}
	}
	if draw.IntN(3) == 0 {
		draw.Shuffle(len(told), func(i, j int) { told[i], told[j] = told[j], told[i] })
	}
	return told
}

func TestAnyReadingsMergeAsTheRuleSays(t *testing.T) {
	t.Parallel()
	for seed := range uint64(3000) {
		draw := rand.New(rand.NewPCG(seed, 1))
		all := toldOverTime(draw, 1+draw.IntN(30))
		merger, model := progress.NewMerger(progress.LogBudget), naive{most: map[string]int{}}
		var before []adminapi.UpgradeMessage
		for readings := 0; readings < 8; readings++ {
			told := spoilt(draw, all[:draw.IntN(len(all)+1)])
			last := merger.Log()
			lastNames := namesOf(last)
			var added []progress.Message
			if draw.IntN(3) == 0 { // a reading that goes on where the one before ended
				rest := told
				told = append(slices.Clone(before), rest...)
				added = merger.Extend(rest)
			} else {
				added = merger.Merge(told)
			}
			before = told
			model.read(told)
			now := merger.Log()
			if got, want := namesOf(now), model.names(); !slices.Equal(got, want) {
				t.Fatalf("seed %d:\n%q, want\n%q", seed, got, want)
			}
			if len(added) != now.Len()-last.Len() {
				t.Fatalf("seed %d: %d are said to be new of %d", seed, len(added), now.Len()-last.Len())
			}
			if !slices.Equal(namesOf(last), lastNames) {
				t.Fatalf("seed %d: a snapshot has changed", seed)
			}
			if now.Extends(last) && !slices.Equal(namesOf(now)[:last.Len()], lastNames) {
				t.Fatalf("seed %d: a log that is said to go on has another beginning", seed)
			}
		}
		checkCopies(t, merger.Log())
		checkRestored(t, merger.Log(), all)
	}
}

// checkCopies looks whether equal messages are numbered from one on.
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

// checkRestored looks whether a log that was kept and one that is read make one,
// in whatever order they come.
func checkRestored(t *testing.T, kept progress.Log, told []adminapi.UpgradeMessage) {
	t.Helper()
	var seen []progress.Message
	for i := range kept.Len() {
		seen = append(seen, kept.At(i))
	}
	first, second := progress.NewMerger(progress.LogBudget), progress.NewMerger(progress.LogBudget)
	first.Restore(seen)
	first.Restore(seen)
	first.Merge(told)
	second.Merge(told)
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
}

func TestAnEmptyLogIsTheBeginningOfAny(t *testing.T) {
	t.Parallel()
	m := progress.NewMerger(progress.LogBudget)
	m.Merge(toldOverTime(rand.New(rand.NewPCG(1, 1)), 5))
	if !m.Log().Extends(progress.Log{}) || m.Log().Extends(progress.NewMerger(progress.LogBudget).Log()) != true {
		t.Error("it is not")
	}
	other := progress.NewMerger(progress.LogBudget)
	other.Merge(toldOverTime(rand.New(rand.NewPCG(1, 1)), 3))
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
