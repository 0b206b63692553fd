package uitest

import (
	"runtime"
	"testing"

	"geodeck/ui/views"
)

// Cost is what a key and the frame after it may allocate, without the race detector.
type Cost struct {
	Allocs float64
	Bytes  uint64
}

// Cursor is what a cursor key may cost on a screen of 120x40, whose text alone has about 15 KB.
var Cursor = Cost{Allocs: 100, Bytes: 40 << 10}

// Under the race detector, which drops at random what is pooled, a key may cost so many times more.
const (
	raceAllocs = 2
	raceBytes  = 8
)

// Holds fails where a press costs more. press is given keys by turns, and draws the frame after
// each. No other test may run at the same time.
func (c Cost) Holds(t testing.TB, press func(key string), keys ...string) {
	t.Helper()
	if raced {
		c.Allocs, c.Bytes = raceAllocs*c.Allocs, raceBytes*c.Bytes
	}
	const times = 100
	n := 0
	one := func() {
		press(keys[n%len(keys)])
		n++
	}
	for range 2 * len(keys) { // the first ones fill what is kept of frames
		one()
	}
	allocs := testing.AllocsPerRun(times, one)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range times {
		one()
	}
	runtime.ReadMemStats(&after)
	bytes := (after.TotalAlloc - before.TotalAlloc) / times
	t.Logf("%.0f allocations, %d bytes", allocs, bytes)
	if allocs > c.Allocs || bytes > c.Bytes {
		t.Errorf("a key allocates %.0f times, %d bytes; at most %.0f and %d", allocs, bytes, c.Allocs, c.Bytes)
	}
}

// KeyCosts fails where one of these keys, pressed by turns, and the frame after it, with its footer,
// cost more.
func (p *Part) KeyCosts(most Cost, keys ...string) {
	p.t.Helper()
	footer, _ := p.drawer.(interface{ Footer() []string })
	view, _ := p.drawer.(views.View)
	for i, key := range keys {
		keys[i] = Key(key).String()
	}
	most.Holds(p.t, func(key string) {
		if p.part.CapturesText() {
			_ = p.part.Update(Key(key))
		} else {
			_, _, _ = PressKey(p.part, key)
		}
		if view != nil && view.Hooks().Arrange != nil {
			view.Hooks().Arrange()
		}
		if footer != nil {
			_ = views.Footer(p.part.Commands(), footer.Footer()...)
		}
		_ = p.drawer.View()
	}, keys...)
}
