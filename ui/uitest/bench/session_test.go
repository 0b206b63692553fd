package bench_test

import (
	"bufio"
	"fmt"
	"math"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/term"

	"geodeck/ui/uitest/bench"
)

// knownVariable makes this test binary a program whose behaviour is known. Its value is the
// number of keys after which it ends.
const knownVariable = "BENCH_KNOWN_PROGRAM"

func TestMain(m *testing.M) {
	if keys, err := strconv.Atoi(os.Getenv(knownVariable)); err == nil {
		known(keys)
		return
	}
	os.Exit(m.Run())
}

// known obeys so many keys: a digit writes that many times a hundred bytes.
func known(keys int) {
	if _, err := term.MakeRaw(0); err != nil {
		panic(err)
	}
	fmt.Print("\x1b[2J\x1b[3;5Hready")
	in := bufio.NewReader(os.Stdin)
	for range keys {
		key, err := in.ReadByte()
		switch {
		case err != nil:
			return
		case key >= '0' && key <= '9':
			fmt.Print(strings.Repeat("-", 100*int(key-'0')))
		}
	}
}

// openKnown starts the program of known behaviour. It ends by itself, and that ends an answer:
// no test waits until it is quiet.
func openKnown(t *testing.T, keys int) *bench.Session {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), knownVariable+"="+strconv.Itoa(keys), "GORACE=atexit_sleep_ms=0")
	s := bench.Open(t, cmd, 120, 40)
	s.SetQuiet(20 * time.Second) // only where a program fails to end
	s.Shows("ready")
	ended := make(chan struct{})
	go func() { s.End(); close(ended) }()
	t.Cleanup(func() {
		_ = s.Cmd.Process.Kill()
		<-ended
	})
	return s
}

func TestBytesOfAKeyAreCounted(t *testing.T) {
	t.Parallel()
	for keys, want := range map[string]int{"3": 300, "7": 700, "0": 0, "12": 300} {
		got := 0
		for _, b := range openKnown(t, len(keys)).Answer(keys) {
			got += len(b.Text)
		}
		if got != want {
			t.Errorf("%s: %d bytes, not %d", keys, got, want)
		}
	}
}

func TestAHeldKeyIsSentAsOftenAsItSays(t *testing.T) {
	t.Parallel()
	if _, bytes := openKnown(t, 30).Hold("2", 30, time.Millisecond); bytes != 30*200 {
		t.Errorf("%d bytes", bytes)
	}
}

func TestTheTimeOfAScreenIsThatOfTheBytesThatMadeIt(t *testing.T) {
	t.Parallel()
	s := openKnown(t, 1)
	s.Answer("5")
	pieces, _ := s.Output(0)
	first, shown := s.ShownAt("ready")
	last, shownLast := s.ShownAt("ready", "-----")
	if !shown || !shownLast || first != pieces[0].At.Sub(s.Started()) || last < first || last > pieces[len(pieces)-1].At.Sub(s.Started()) {
		t.Errorf("%v, %v: %v of %v", first, last, pieces, s.Started())
	}
	if _, shown := s.ShownAt("ready", "steady"); shown {
		t.Error("a screen that never was has a time")
	}
}

func TestAProgramAtRestWritesNothing(t *testing.T) {
	t.Parallel()
	s := openKnown(t, 1)
	idle, err := s.Idle(time.Millisecond)
	if _, missing := os.Stat("/proc/self/schedstat"); missing != nil {
		if err == nil || !strings.Contains(err.Error(), "only Linux") {
			t.Errorf("the error is %v", err)
		}
		return
	}
	use, useErr := s.Use()
	if err != nil || useErr != nil || idle.Bytes != 0 {
		t.Errorf("%+v, %v, %v", idle, err, useErr)
	}
	if use.Memory < 1<<20 || use.CPU <= 0 || use.Wakeups <= 0 || use.Threads < 2 || use.Files >= 0 && use.Files < 3 {
		t.Errorf("the program has used %+v", use)
	}
}

func TestQuantiles(t *testing.T) {
	t.Parallel()
	var none, s bench.Samples
	for i := range 20 {
		s.AddTime(time.Duration(20-i) * time.Millisecond)
	}
	if got := []float64{s.Quantile(0), s.Quantile(0.5), s.Quantile(0.95), s.Quantile(1)}; got[0] != 1 || got[1] != 10 || got[2] != 19 || got[3] != 20 {
		t.Errorf("the quantiles are %v", got)
	}
	if !math.IsNaN(none.Quantile(0.5)) {
		t.Error("nothing has a median")
	}
}

func TestGrowthComparesTheLastQuarterWithTheSecond(t *testing.T) {
	t.Parallel()
	if g := (bench.Samples{90, 80, 10, 12, 9, 9, 30, 31}).Growth(); g.Early != 10 || g.Late != 30 || g.Most != 90 || g.More() != 20 {
		t.Errorf("it is %+v", g)
	}
	var none bench.Samples
	if g := none.Growth(); !math.IsNaN(g.More()) {
		t.Errorf("nothing has grown by %v", g.More())
	}
}
