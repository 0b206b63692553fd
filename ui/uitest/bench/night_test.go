package bench_test

import (
	"flag"
	"fmt"
	"strings"
	"testing"
	"time"

	"geodeck/ui/uitest/bench"
)

var minutesFlag = flag.Float64("minutes", 8, "how long the eight hours of a night take")

const (
	nightHours = 8
	intervals  = 2 * nightHours
)

// What the last quarter of a night may take above the second: medians of four half hours each.
// The site runs in the same process, and both keep every message of the upgrade.
const (
	nightMemory  = 4 << 20
	nightThreads = 2
	nightFiles   = 4
	nightBytes   = 64 << 10 // to the terminal in half an hour
)

// lookAround is what a user does who looks at the screen every half an hour: each visit ends
// at the newest message.
var lookAround = [][]string{
	{"g", "G"},
	{"1", "j", "\r", "\x1b", "4"},
	{"3", "j", "j", "\r", "\x1b", "4"},
	{"2", "]", "[", "4"},
	{"\t", "\t"},
	{"?", "\x1b"},
	{"/", "2", "1", "\r", "\x1b"},
	{"W", "\x1b"},
}

// TestALongNightIsFlat watches an upgrade of eight hours with every outage there is, and
// measures each half hour. It takes as long as -minutes says: make soak.
func TestALongNightIsFlat(t *testing.T) {
	if *programFlag == "" {
		t.Skip("-program names the program to watch with; make soak does all")
	}
	night := time.Duration(*minutesFlag * float64(time.Minute))
	s := open(t, "demo", "--scenario", "eight-hours", "--speed", fmt.Sprint(nightHours*float64(time.Hour)/float64(night)))
	s.Shows("Watch it?")
	s.Press("y")
	s.Shows(" messages")
	fmt.Println("| hour | RSS, MiB | threads | descriptors | bytes to the terminal |\n|---|---|---|---|---|")
	var memory, threads, files, written bench.Samples
	s.Take()
	for i := range intervals {
		bytes := 0
		end := s.Started().Add(night * time.Duration(i+1) / intervals)
		for _, key := range lookAround[i%len(lookAround)] {
			time.Sleep(300 * time.Millisecond)
			s.Press(key)
		}
		for ; time.Now().Before(end); time.Sleep(min(time.Second, time.Until(end))) {
			bytes += len(s.Take())
		}
		use, err := s.Use()
		if err != nil {
			t.Fatal(err)
		}
		memory.Add(float64(use.Memory))
		threads.Add(float64(use.Threads))
		files.Add(float64(use.Files))
		written.Add(float64(bytes))
		fmt.Printf("| %.1f | %.1f | %d | %d | %d |\n", float64(i+1)/2, float64(use.Memory)/(1<<20), use.Threads, use.Files, bytes)
	}
	for _, c := range []struct {
		what    string
		samples bench.Samples
		more    float64
	}{{"memory", memory, nightMemory}, {"threads", threads, nightThreads}, {"descriptors", files, nightFiles}, {"output", written, nightBytes}} {
		g := c.samples.Growth()
		fmt.Printf("%s: %.0f in the second quarter, %.0f in the last; %.0f more is allowed\n", c.what, g.Early, g.Late, c.more)
		if g.More() > c.more {
			t.Errorf("%s grows from %.0f to %.0f", c.what, g.Early, g.Late)
		}
	}
	t.Log(s.Screen())
	s.Press("\x1b")
	time.Sleep(300 * time.Millisecond)
	s.Press("q")
	if code := s.End(); code != 0 || !strings.Contains(s.Take(), "\x1b[?1049l") {
		t.Errorf("exit code %d", code)
	}
	s.ModesRestored()
}
