package progress_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/upgrade/progress"
)

// TestOneByOneIsAsAtOnce folds random logs, out of order, in steps, and compares each
// result with a fold of the whole log.
func TestOneByOneIsAsAtOnce(t *testing.T) {
	t.Parallel()
	for seed := range uint64(30) {
		draw := rand.New(rand.NewPCG(seed, 1))
		merger, fold := progress.NewMerger(progress.LogBudget), progress.NewFold()
		messages := randomMessages(draw, 120)
		for n := 0; n < len(messages); n += 1 + draw.IntN(3) {
			merger.Merge(messages[:n])
			meaning := progress.State(draw.IntN(5))
			got, want := fold.Add(merger.Log(), meaning), progress.Of(merger.Log(), meaning)
			if !reflect.DeepEqual(got, want) {
				t.Fatalf("seed %d, %d messages:\n%+v\n%+v", seed, n, got, want)
			}
			assertTimesAddUp(t, merger.Log(), got)
		}
	}
}

// assertTimesAddUp checks that the run was in one phase at every moment since its
// first message of a known code.
func assertTimesAddUp(t *testing.T, l progress.Log, p progress.Progress) {
	t.Helper()
	var spent, counted = time.Duration(0), 0
	for _, phase := range p.Phases {
		spent, counted = spent+phase.Spent, counted+phase.Messages
	}
	if counted+p.UnknownCodes != p.Messages || p.Messages != l.Len()-l.Run() {
		t.Fatalf("%d messages of phases and %d others of %d", counted, p.UnknownCodes, p.Messages)
	}
	for i := l.Run(); i < l.Len(); i++ {
		if _, known := progress.CodeOf(l.At(i).Code); known {
			if elapsed, _ := adminapi.Span(l.At(i).When, p.Last); spent != elapsed {
				t.Fatalf("%v spent of %v", spent, elapsed)
			}
			return
		}
	}
}

func randomMessages(draw *rand.Rand, n int) (list []adminapi.UpgradeMessage) {
	codes := progress.Catalogue
	for i := range n {
		m := adminapi.UpgradeMessage{Code: codes[draw.IntN(len(codes))].Code, When: at(i/2 + draw.IntN(8)), Message: fmt.Sprintf("%d/%d web-%d", i, n, draw.IntN(5))}
		switch draw.IntN(20) {
		case 0:
			m.Code = draw.IntN(4000)
		case 1:
			m.Code = 2101
		}
		if m.Code == 2010 && draw.IntN(4) > 0 {
			m.Code = 2103
		}
		list = append(list, m)
	}
	return list
}

func TestAProgressStaysAsItWas(t *testing.T) {
	t.Parallel()
	merger, fold := progress.NewMerger(progress.LogBudget), progress.NewFold()
	messages := asMessages(wholeRelease)
	merger.Merge(messages[:15])
	p, again := fold.Add(merger.Log(), progress.StateRunning), progress.Of(merger.Log(), progress.StateRunning)
	read := make(chan bool)
	go func() { // beside the fold that goes on, as a screen does
		defer close(read)
		for range 100 {
			read <- len(p.Open) > 0 && p.Open[0].Since > 0 && p.Phases[0].Messages > 0
		}
	}()
	for i := range messages {
		merger.Merge(messages[:max(15, i)])
		fold.Add(merger.Log(), progress.StateRunning)
		<-read
	}
	for range read {
	}
	if !reflect.DeepEqual(p, again) {
		t.Errorf("%+v\nwas %+v", p, again)
	}
}

func TestOddTimesDoNoHarm(t *testing.T) {
	t.Parallel()
	const far = adminapi.Millis(1) << 62
	m := progress.NewMerger(progress.LogBudget)
	m.Merge([]adminapi.UpgradeMessage{{Code: 2010}, {Code: 2287, When: -5}, {Code: 2288, When: 1}, {Code: 2270, When: far}, {Code: 2271, When: far + 5}})
	p := progress.Of(m.Log(), progress.StateRunning)
	for _, phase := range p.Phases {
		if phase.Spent < 0 || phase.Silence < 0 {
			t.Errorf("%+v", phase)
		}
	}
	if left, lasts := p.ReadOnlyFor(far); left < 0 || lasts {
		t.Errorf("read-only for %v", left)
	}
	if spent := p.SpentBy(p.Current, far+1000); spent < 0 {
		t.Errorf("spent %v", spent)
	}
}

// A message of the far future stays the newest for ever: neither the phase nor a time or a
// count may wait for what is newer.
func TestAMessageFromTheFutureChangesNoDuration(t *testing.T) {
	t.Parallel()
	messages := append(asMessages(wholeRelease), adminapi.UpgradeMessage{})
	for _, future := range []adminapi.Millis{4102444800000, 1 << 62, math.MaxInt64} {
		messages[len(messages)-1] = adminapi.UpgradeMessage{Code: 2175, When: future, Message: "1 of 99"}
		for n := 1; n < len(messages); n++ {
			m := progress.NewMerger(progress.LogBudget)
			m.Merge(messages[:n])
			want := progress.Of(m.Log(), progress.StateRunning)
			m.Merge(append(messages[:n:n], messages[len(messages)-1]))
			got := progress.Of(m.Log(), progress.StateRunning)
			if want.Messages++; !reflect.DeepEqual(got, want) {
				t.Fatalf("after %d messages:\n%+v, want\n%+v", n, got, want)
			}
		}
	}
}

func TestASingleStatusGivesTheSameAsTheLog(t *testing.T) {
	t.Parallel()
	for seed := range uint64(50) {
		draw := rand.New(rand.NewPCG(seed, 2))
		s := adminapi.UpgradeStatus{Messages: randomMessages(draw, 60)}
		m := progress.NewMerger(progress.LogBudget)
		m.Merge(s.Messages)
		p := progress.Of(m.Log(), progress.StateFailed)
		phase := ""
		if len(p.Open) > 0 {
			phase = p.Open[len(p.Open)-1].Phase
		}
		if p.RolledBack {
			phase = p.StoppedIn()
		}
		if run, open := progress.LastRun(s), progress.OpenPhase(s); run.Began != p.Began || run.Last != p.Last || open != phase {
			t.Errorf("seed %d: %+v in %q, want %+v in %q", seed, run, open, p.Run, phase)
		}
	}
}

// A hostile site must cost neither much time nor much memory.
func TestALogThatOnlyBeginsIsBounded(t *testing.T) {
	t.Parallel()
	var list []logged
	for i := range 20_000 {
		list = append(list, logged{i, 2101 + 2*(i/10_000*(i%2)), fmt.Sprintf("a-%d b-%d c d e f g h i j k l m n o p q r s t", i, i)})
	}
	if p := progress.Of(logOf(list...), progress.StateRunning); len(p.Open) == 0 || len(p.Open) > 1000 || p.Open[0].Since > p.Open[len(p.Open)-1].Since {
		t.Errorf("%d steps are open", len(p.Open))
	}
}
