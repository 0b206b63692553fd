package ui_test

import (
	"context"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/ui/keyboard"
	"geodeck/ui/uitest"
	"geodeck/ui/views"
	"geodeck/ui/widget"
)

func TestKeysBehindOneThatOpensAPromptAreForThePrompt(t *testing.T) {
	t.Parallel()
	d, v := one(t)
	var path string
	v.do = func(id, _ string) tea.Cmd {
		if id != "alpha.open" {
			return nil
		}
		return views.Send(views.Open{Dialog: widget.NewPrompt(uitest.Theme(), widget.PromptOptions{ID: "p", Title: "Path",
			Then: func(typed string) tea.Cmd { path = typed; return nil }})})
	}
	v.told = nil
	d.send(burst("jo/tmp/xj.json\rr"))
	d.keys("j")
	d.await("last key", func() bool { return v.last() == "do alpha.move" && len(v.told) > 2 })
	if got := strings.Join(v.told, ","); path != "/tmp/xj.json" || got != "do alpha.move,do alpha.open,do alpha.run,do alpha.move" {
		t.Errorf("the prompt got %q, the view heard %s", path, got)
	}
}

func TestKeysBehindOneThatOpensAQuestionDoNotActBeneathIt(t *testing.T) {
	t.Parallel()
	d, v := one(t)
	v.do = func(string, string) tea.Cmd {
		return tea.Batch(nil, tea.Batch(views.Tell(views.Info, "note"), views.Send(views.Open{Dialog: widget.NewConfirm(uitest.Theme(),
			widget.Question{ID: "q", Text: "Sure?", Yes: "do it", Then: views.Send(landed{})})})))
	}
	v.told = nil
	d.send(burst("r yes jy\r"))
	d.see("Sure?")
	d.see("Pasted text answers no question")
	if got := strings.Join(v.told, ","); got != "do alpha.run" {
		t.Errorf("the view heard %s", got)
	}
}

func TestKeysBehindALineOfCommandsAreForWhatItShows(t *testing.T) {
	t.Parallel()
	d, a, b := two(t)
	a.told = nil
	d.send(burst(":beta\rj"))
	d.await("last key", func() bool { return b.last() == "do beta.move" })
	if len(a.told) > 0 {
		t.Errorf("the view before heard %v", a.told)
	}
}

func TestKeysWaitForNoRequestOfTheKeyBeforeThem(t *testing.T) {
	t.Parallel()
	d, v := one(t)
	v.do = func(id, _ string) tea.Cmd {
		if id != "alpha.run" {
			return nil
		}
		return v.scope.Do("long", func(ctx context.Context) tea.Msg { <-ctx.Done(); return nil })
	}
	v.told = nil
	d.send(burst("rj"))
	d.keys("o")
	d.timers(1)
	d.pace.Advance(100 * time.Millisecond)
	d.await("last key", func() bool { return v.last() == "do alpha.open" })
	if got := strings.Join(v.told, ","); got != "do alpha.run,do alpha.move,do alpha.open" {
		t.Errorf("the view heard %s", got)
	}
}

func TestKeysBehindAnEscapeWaitForNoRequestThatItStarts(t *testing.T) {
	t.Parallel()
	d, v := one(t)
	long := func() tea.Msg { <-v.scope.Context().Done(); return nil }
	d.send(views.Open{Dialog: widget.NewConfirm(uitest.Theme(), widget.Question{ID: "q", Text: "Sure?", Yes: "do it", Else: tea.Batch(long, long)})})
	v.told = nil
	d.send(keyboard.Burst(uitest.Keys("esc r")))
	d.gone("Sure?")
	d.timers(1)
	d.pace.Advance(100 * time.Millisecond)
	d.await("key", func() bool { return v.last() == "do alpha.run" })
}

func TestWhatBubbleTeaHandlesIsLeftToItBehindAKeyToo(t *testing.T) {
	t.Parallel()
	d, v := one(t)
	v.do = func(id, _ string) tea.Cmd {
		if id != "alpha.run" {
			return nil
		}
		return tea.Sequence(views.Send(landed{}), tea.Quit)
	}
	v.told = nil
	d.send(burst("rj"))
	d.await("end", func() bool { return d.ended })
	d.await("key", func() bool { return v.last() == "do alpha.move" })
	if got := strings.Join(v.told, ","); got != "do alpha.run,msg ui_test.landed,do alpha.move" {
		t.Errorf("the view heard %s", got)
	}
}
