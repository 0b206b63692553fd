package ui_test

import (
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/ui"
	"geodeck/ui/views"
)

// restingView is a view that shows something about its selection.
type restingView struct{ *fakeView }

func (v restingView) Update(msg tea.Msg) tea.Cmd {
	switch msg {
	case views.Rested:
		v.note("rested")
	case views.Attended:
		v.note("attended")
	default:
		return v.fakeView.Update(msg)
	}
	return nil
}

func (v restingView) rests() int { return v.count("rested") }

func (v restingView) count(what string) (n int) {
	for _, told := range v.told {
		if told == what {
			n++
		}
	}
	return n
}

func TestAViewIsAttendedBeforeAKeyLeadsOutOfIt(t *testing.T) {
	t.Parallel()
	d, v := resting(t)
	d.keys("palette")
	d.keys("x")
	if n := v.count("attended"); n != 1 {
		t.Errorf("the palette and a key in it attend to the view %d times", n)
	}
}

// resting starts a dashboard with a view in which j moves a cursor.
func resting(t *testing.T) (*driver, restingView) {
	t.Helper()
	v, maker := fake("alpha", "Alpha")
	v.commands = slices.Clone(v.commands)
	v.commands[0].Browses, v.hooks.Rests = true, true
	newView := maker.New
	maker.New = func(env *views.Env) views.View { newView(env); return restingView{v} }
	d := start(t, ui.Options{}, 80, 24, maker)
	d.armed() // a resize is followed as well
	d.pace.Advance(150 * time.Millisecond)
	d.await("rest", func() bool { return restingView{v}.rests() > 0 })
	v.told = nil
	return d, restingView{v}
}

// armed handles messages until a timer runs.
func (d *driver) armed() {
	d.t.Helper()
	limit := time.After(10 * time.Second)
	for d.pace.Waiters() == 0 {
		select {
		case msg := <-d.msgs:
			d.send(msg)
		case <-limit:
			d.t.Fatal("no timer runs")
		default:
			runtime.Gosched()
		}
	}
}

func (d *driver) footer() string {
	lines := strings.Split(d.model.View(), "\n")
	return lines[len(lines)-1]
}

func TestAViewFollowsOnceNoKeyHasComeForAMoment(t *testing.T) {
	t.Parallel()
	d, v := resting(t)
	if d.pace.Waiters() != 0 {
		t.Fatal("an idle screen has a timer")
	}
	d.keys("j")
	for range 20 { // held
		d.armed()
		d.pace.Advance(33 * time.Millisecond)
		d.keys("j")
		if n := d.pace.Waiters(); n > 1 {
			t.Fatalf("%d timers for one held key", n)
		}
	}
	d.armed()
	if v.rests() != 0 {
		t.Fatal("the view follows a held key")
	}
	d.pace.Advance(150 * time.Millisecond)
	d.await("rest", func() bool { return v.rests() > 0 })
	if d.pace.Waiters() != 0 || v.rests() != 1 {
		t.Errorf("%d rests, and %d timers go on", v.rests(), d.pace.Waiters())
	}
}

func TestAViewBelowADialogDoesNotFollow(t *testing.T) {
	t.Parallel()
	d, v := resting(t)
	d.keys("j")
	d.timers(1)
	d.keys("help")
	d.see("Help for")
	d.pace.Advance(time.Second)
	d.next()
	if d.keys("down"); v.rests() != 0 || d.pace.Waiters() != 0 {
		t.Errorf("%d rests and %d timers below a dialog", v.rests(), d.pace.Waiters())
	}
	d.keys("esc")
	d.gone("Help for")
	d.armed()
	d.pace.Advance(150 * time.Millisecond)
	d.await("rest", func() bool { return v.rests() == 1 })
}

func TestHintsStayWhileACursorMovesAndNoLonger(t *testing.T) {
	t.Parallel()
	d, v := resting(t)
	before := d.footer()
	v.do = func(id, _ string) tea.Cmd { // the next row can be run, or not
		v.commands[1].Shown = func() bool { return id != "alpha.move" }
		return nil
	}
	d.keys("j j")
	if d.footer() != before {
		t.Errorf("the footer follows a moving cursor:\n%s\n%s", before, d.footer())
	}
	d.keys("r")
	if v.last() == "do alpha.run" {
		t.Error("a key acts on the row from before")
	}
	if d.footer() == before {
		t.Error("the footer does not follow a key that acts")
	}
	d.keys("o j")
	if !strings.Contains(d.footer(), "run") {
		t.Errorf("the footer is %q", d.footer())
	}
	d.timers(1)
	d.pace.Advance(150 * time.Millisecond)
	d.await("rest", func() bool { return v.rests() > 0 })
	if strings.Contains(d.footer(), "run") {
		t.Errorf("the footer does not follow at rest: %q", d.footer())
	}
}

// A wider terminal has room for more about the selection.
func TestAfterAResizeTheViewIsToldOfTheSelection(t *testing.T) {
	t.Parallel()
	d, v := resting(t)
	d.send(tea.WindowSizeMsg{Width: 200, Height: 50})
	d.armed()
	d.pace.Advance(time.Second)
	d.await("the rest after the resize", func() bool { return v.rests() == 1 })
}
