package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/charmbracelet/lipgloss"
	"github.com/muesli/termenv"
	"golang.org/x/sys/unix"

	"geodeck/adminapi"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/nodesource"
	"geodeck/adminapi/simulator"
	"geodeck/adminapi/simulator/simtest"
	"geodeck/theme"
	"geodeck/ui"
	"geodeck/ui/uitest"
)

// pictured is the name by which this test binary is the dashboard of which pictures are made: a
// demo on the terminal whose clock stands until it is told to move. Descriptor 3 says what to do, and the terminal
// gets a mark when it is done:
//
//	rest 0          draw all that is to be drawn
//	wait DURATION   let time go by, from one wait of the program to the next
const pictured = "pictured"

// doneMark is what the terminal gets once the n-th direction is done; it shows nothing of it.
func doneMark(n int) string { return fmt.Sprintf("\x1b]777;done %d\x07", n) }

func picturedProgram() {
	runtime.GOMAXPROCS(1) // timers end in the order of their times: see atRest
	if err := showPictured(os.Args[1], os.Args[2] == "light", os.Args[3]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func showPictured(scenario string, light bool, folder string) error {
	script, found := simulator.BuiltIn(scenario)
	if !found {
		return fmt.Errorf("no scenario %s", scenario)
	}
	if upgrade := script.Upgrades.Other; upgrade != nil {
		upgrade.Ago.Duration = runningFor
	}
	site := newWaits()
	world := simulator.Options{Scenario: script, Clock: site, Wall: site.Now, Secrets: rand.NewChaCha8([32]byte{1})}
	token := world.SignIn(demoLife)
	server, err := simulator.New(world)
	if err != nil {
		return err
	}
	if err := server.Start("127.0.0.1:0"); err != nil {
		return err
	}
	defer server.Close()
	port := strings.TrimPrefix(strings.TrimSuffix(server.URL(), "/geodeck/admin"), "http://")
	transport, err := adminapi.NewTransport(adminapi.TLS{})
	if err != nil {
		return err
	}
	client, err := adminapi.New(adminapi.Config{
		Base: "http://127.0.0.1:7443/geodeck/admin", Clock: site, Rand: even{}, Token: token, Transport: transport,
		Dial: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, network, port)
		},
	})
	if err != nil {
		return err
	}
	records, err := journal.OpenThrowaway(journal.WithClock(site))
	if err != nil {
		return err
	}
	defer records.Close()
	o := ui.Options{
		Site: operation.Site{Client: client, Clock: site, Rand: even{}, Memory: operation.Memory{Journal: records}},
		Name: "demo", Demo: true, User: simulator.Administrator, Clock: site, Pace: site, Local: time.UTC,
		Folder: folder, Nodes: nodesource.Source{Demo: server.Nodes},
		Debug:  func(string) { messages.Add(1) },
		Notice: "a simulated platform; nothing real is read or changed",
	}
	renderer := lipgloss.NewRenderer(io.Discard)
	renderer.SetColorProfile(termenv.ANSI)
	renderer.SetHasDarkBackground(true)
	lipgloss.SetDefaultRenderer(renderer)
	o.Theme = theme.New(theme.Options{Renderer: renderer})
	if light {
		o.Background = theme.Light
	}
	go direct(site)
	return ui.Run(context.Background(), o, os.Stdin, os.Stdout)
}

// runningFor is how long an upgrade has been running that a scenario begins with.
const runningFor = 50 * time.Minute

// demoLife outlasts the time of all pictures.
const demoLife = 24 * time.Hour

// even varies nothing: a pause is the same whichever begins first.
type even struct{}

// Uint64 returns a number that also serves as a key of hashes.
func (even) Uint64() uint64 { return 0x9e3779b97f4a7c15 }

// direct does what descriptor 3 says.
func direct(clock *waits) {
	says := bufio.NewScanner(os.NewFile(3, "directions"))
	for n := 1; says.Scan(); n++ {
		verb, rest, _ := strings.Cut(says.Text(), " ")
		d, _ := time.ParseDuration(rest)
		switch verb {
		case "rest":
			atRest()
		case "wait":
			pass(d, clock)
		}
		_, _ = os.Stdout.WriteString(doneMark(n))
	}
}

// pass lets time go by, from the end of one wait to that of the next. Before each step the program has done all
// that it could do, so that it does everything at the same time in every run.
func pass(d time.Duration, clock *waits) {
	until := clock.Now().Add(d)
	for {
		settle()
		left := until.Sub(clock.Now())
		if left <= 0 {
			return
		}
		clock.Advance(clock.next(left))
	}
}

// waits is a manual clock that knows when its next wait ends.
type waits struct {
	*simtest.ManualClock
	mu   sync.Mutex
	ends map[time.Time]bool
}

func newWaits() *waits {
	return &waits{ManualClock: simtest.NewManualClock(uitest.Start), ends: map[time.Time]bool{}}
}

// Sleep waits until the clock has been moved by d, or for the end of ctx.
func (w *waits) Sleep(ctx context.Context, d time.Duration) error {
	w.mu.Lock()
	w.ends[w.Now().Add(d)] = true
	w.mu.Unlock()
	return w.ManualClock.Sleep(ctx, d)
}

// next returns how long it is to the end of the next wait, at most d.
func (w *waits) next(d time.Duration) time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	for end := range w.ends {
		left := end.Sub(w.Now())
		if left <= 0 {
			delete(w.ends, end)
			continue
		}
		d = min(d, left)
	}
	return d
}

// messages counts what the program was told, keys among it.
var messages atomic.Int64

// flush is longer than anything in the program that waits by the machine's clock before it
// draws or takes a key.
const flush = 30 * time.Millisecond

// atRest returns once nothing goes on and all is drawn: whatever waited by the machine's clock for less
// than flush has gone on first, since timers of one processor end in their order.
func atRest() {
	for {
		settle()
		before := messages.Load()
		time.Sleep(flush)
		if !busy() && messages.Load() == before {
			return
		}
	}
}

// settle returns once nothing goes on in the program but waiting: for keys, clocks and signals. What is busy for
// a minute never ends.
func settle() {
	for began := time.Now(); busy(); {
		time.Sleep(200 * time.Microsecond)
		if time.Since(began) > time.Minute {
			panic(fmt.Sprintf("the dashboard does not come to rest:\n%s", stacks[:runtime.Stack(stacks, true)]))
		}
	}
}

// idle are calls of the system in which the program waits for signals and keys.
var idle = []string{"os/signal.signal_recv(", "EpollWait(", "Kevent(", "keyboard.(*Reader).Read("}

var stacks = make([]byte, 1<<20)

// busy reports whether anything goes on: a key is not read yet, a goroutine runs, a request has no answer.
func busy() bool {
	if n, err := unix.Poll([]unix.PollFd{{Events: unix.POLLIN}}, 0); err != nil || n > 0 {
		return true
	}
	for i, stack := range strings.Split(string(stacks[:runtime.Stack(stacks, true)]), "\n\n") {
		_, state, _ := strings.Cut(stack, "[")
		state, _, _ = strings.Cut(state, "]")
		state, _, _ = strings.Cut(state, ",")
		switch {
		case i == 0: // this one
		case state == "running", state == "runnable", state == "sleep",
			state == "syscall" && !slices.ContainsFunc(idle, func(call string) bool { return strings.Contains(stack, call) }),
			strings.Contains(stack, "keyboard.readable("),
			strings.Contains(stack, "http.(*Transport).roundTrip("), strings.Contains(stack, "http.(*bodyEOFSignal).Read("):
			return true
		}
	}
	return false
}
