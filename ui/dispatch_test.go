package ui_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/ui"
	"geodeck/ui/uitest"
	"geodeck/ui/views"
	"geodeck/ui/widget"
)

type landed struct{}

func TestViewStartsOnceItKnowsItsSize(t *testing.T) {
	t.Parallel()
	d, v := one(t)
	if got := strings.Join(v.told, ","); got != "init,focus" {
		t.Errorf("the view was told %s", got)
	}
	if v.width != 80 || v.height != 24-5 {
		t.Errorf("the view got %dx%d", v.width, v.height)
	}
	d.send(tea.WindowSizeMsg{Width: 100, Height: 30})
	if v.width != 100 || v.height != 25 {
		t.Errorf("after the resize the view has %dx%d", v.width, v.height)
	}
}

func TestKeysGoToTheFirstWhoTakesThem(t *testing.T) {
	t.Parallel()
	question := func() *widget.Confirm {
		return widget.NewConfirm(uitest.Theme(), widget.Question{ID: "q", Text: "Sure?", Yes: "do it"})
	}
	tests := map[string]struct {
		texting, dialog bool
		key             string
		want            string // what the view hears of it
		screen          string // what is on the screen then
	}{
		"a key of the view runs its command":              {key: "r", want: "do alpha.run"},
		"a key of the root is not the view's":             {key: "help", screen: "Help for Alpha"},
		"a view that takes text gets keys of its table":   {key: "r", texting: true, want: "key r"},
		"a view that takes text gets keys of the root":    {key: "q", texting: true, want: "key q"},
		"a dialog hides the view":                         {key: "r", dialog: true, screen: "Sure?"},
		"a dialog hides the root's keys":                  {key: "!", dialog: true, screen: "Sure?"},
		"a dialog comes before a view that takes text":    {key: "r", dialog: true, texting: true, screen: "Sure?"},
		"ctrl+c comes before the dialog":                  {key: "ctrl+c", dialog: true, screen: "Quit geodeck?"},
		"a key that nobody knows does nothing":            {key: "x", screen: "note: x does nothing here."},
		"a key that only moves does nothing in silence":   {key: "left", screen: "this is alpha"},
		"a key of a command that is not there is nothing": {key: "e", screen: "note: e does nothing here."},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, v := one(t)
			if tt.dialog {
				d.send(views.Open{Dialog: question()})
			}
			v.texting, v.told = tt.texting, nil
			d.keys(tt.key)
			if v.last() != tt.want {
				t.Errorf("the view heard %q, want %q", v.last(), tt.want)
			}
			if tt.screen != "" {
				d.see(tt.screen)
			}
		})
	}
}

func TestKeysWaitInTheirOrderForABusyView(t *testing.T) {
	d, a, b := two(t)
	a.told = nil
	a.do = func(id, _ string) tea.Cmd {
		if id == "alpha.run" {
			a.busy = true
		}
		return nil
	}
	idle := func() {
		a.busy = false
		d.send(landed{}) // any message, such as the reply that ends what the view does
	}
	d.send(burst("jrj"))
	d.keys("r")
	d.send(uitest.Paste("text"))
	d.keys("j 2 j")
	if got := strings.Join(a.told, ","); got != "do alpha.move,do alpha.run" {
		t.Errorf("the busy view heard %s", got)
	}
	idle()
	if got := strings.Join(a.told[2:], ","); got != "msg ui_test.landed,do alpha.move,do alpha.run" {
		t.Errorf("after the first the view heard %s", got)
	}
	idle()
	if got := strings.Join(a.told[5:], ","); got != "msg ui_test.landed,do alpha.move" || b.last() != "do beta.move" {
		t.Errorf("after the second the view heard %s, the next one %s", got, b.last())
	}
}

func TestABusyViewCanBeQuit(t *testing.T) {
	d, v := one(t)
	v.busy = true
	d.keys("x ctrl+c")
	d.await("end", func() bool { return d.ended })
}

func TestKeysThatWaitForABusyViewAnswerNoDialogAndNoOtherView(t *testing.T) {
	t.Parallel()
	question := func(unrequested bool) views.Open {
		return views.Open{Unrequested: unrequested, Dialog: widget.NewConfirm(uitest.Theme(), widget.Question{ID: "q", Text: "Sure?", Yes: "do it", Then: views.Send(landed{})})}
	}
	for name, comes := range map[string]tea.Msg{
		"a question":             question(false),
		"a question unrequested": question(true),
		"another view":           views.Navigate{View: "beta"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, a, b := two(t)
			d.keys("j")
			a.busy, a.told = true, nil
			d.keys("j")
			d.send(comes)
			d.keys("y")
			if strings.Contains(d.model.View(), "Sure?") || len(a.told)+len(b.told) > 0 {
				t.Fatalf("alpha heard %v, beta %v while alpha was busy:\n%s", a.told, b.told, d.model.View())
			}
			a.busy = false
			d.send(landed{})
			if got := strings.Join(a.told, ","); got != "msg ui_test.landed,do alpha.move" || slices.Contains(b.told, "do beta.move") {
				t.Errorf("alpha heard %s, beta %v", got, b.told)
			}
			if _, asks := comes.(views.Open); asks {
				d.see("Sure?")
			} else {
				d.see("this is beta")
			}
		})
	}
}

func TestKeysThatWaitForABusyViewAreDroppedByCtrlC(t *testing.T) {
	t.Parallel()
	d, v := one(t)
	v.busy, v.told, v.leave = true, nil, "What is being typed is not in it yet."
	d.keys("y ctrl+c")
	d.see("Quit geodeck?")
	d.keys("n")
	d.gone("Quit geodeck?")
	v.busy = false
	d.send(landed{})
	if got := strings.Join(v.told, ","); got != "msg ui_test.landed" || d.ended {
		t.Errorf("the view heard %s, ended: %v", got, d.ended)
	}
}

func TestReplyOfAReplacedRequestIsDropped(t *testing.T) {
	t.Parallel()
	d, v := one(t)
	ask := func() tea.Cmd { return v.scope.Do("list", func(context.Context) tea.Msg { return landed{} }) }
	old, now := ask(), ask()
	v.told = nil
	d.send(old())
	if len(v.told) > 0 {
		t.Errorf("the view heard of the old reply: %v", v.told)
	}
	d.send(now())
	if v.last() != "msg ui_test.landed" {
		t.Errorf("the view did not hear of the new reply: %v", v.told)
	}
	late := ask()
	v.scope.Close()
	v.told = nil
	d.send(late())
	if len(v.told) > 0 {
		t.Errorf("a closed view heard %v", v.told)
	}
}

func TestReplyFindsAViewThatIsNotShown(t *testing.T) {
	t.Parallel()
	d, a, b := two(t)
	reply := a.scope.Do("list", func(context.Context) tea.Msg { return landed{} })
	d.keys("2")
	d.send(reply())
	if a.last() != "msg ui_test.landed" || slices.Contains(b.told, "msg ui_test.landed") {
		t.Errorf("alpha heard %v, beta %v", a.told, b.told)
	}
}

func TestUnknownMessageGoesToOnePlaceOnly(t *testing.T) {
	t.Parallel()
	d, a, b := two(t)
	d.keys("2")
	d.send(landed{})
	if b.last() != "msg ui_test.landed" || slices.Contains(a.told, "msg ui_test.landed") {
		t.Errorf("alpha heard %v, beta %v", a.told, b.told)
	}
	d.send(views.Open{Dialog: widget.NewMessage(uitest.Theme(), "m", "Title", "text")})
	b.told = nil
	d.send(landed{})
	if len(b.told) > 0 {
		t.Errorf("the view under a dialog heard %v", b.told)
	}
}

func TestTabsAndBack(t *testing.T) {
	t.Parallel()
	d, a, b := two(t)
	d.keys("before")
	d.see("No other view was open before.")
	d.keys("esc")
	d.see("Nothing is open here. Press q to quit. ")
	d.keys("2")
	d.see("this is beta")
	if a.last() != "focus" || b.last() != "focus" {
		t.Errorf("alpha heard %v, beta %v", a.told, b.told)
	}
	d.keys("esc")
	d.see("Nothing is open here. Press q to quit, - for the previous view.")
	d.see("this is beta")
	d.keys("before")
	d.see("this is alpha")
	d.send(views.Navigate{View: "beta", Command: "beta.open", Argument: "x.json"})
	d.keys("esc")
	d.see("this is alpha") // which led to it
	d.keys("esc esc")
	d.see("this is alpha")
	d.send(views.Navigate{View: "beta", Command: "beta.open", Argument: "x.json"})
	if b.last() != "do beta.open x.json" || slices.Index(b.told, "init") != slices.Index(b.told[1:], "init")+1 && slices.Contains(b.told[1:], "init") {
		t.Errorf("beta heard %v", b.told)
	}
	d.send(views.Navigate{View: "gamma"})
	d.see("there is no view called gamma")
}

// A19: the footer says that esc leads back to the view that led here.
func TestTheFooterNamesTheViewThatEscLeadsBackTo(t *testing.T) {
	t.Parallel()
	d, _, b := two(t)
	d.keys("2")
	d.gone("esc back")
	d.keys("1")
	d.send(views.Navigate{View: "beta", Command: "beta.open"})
	d.see("esc back to Alpha")
	b.commands = append(b.commands, views.Command{ID: "beta.up", Key: "esc"})
	d.keys("j")
	d.gone("esc back to Alpha")
}

func TestEscapeGoesBackInsideAViewFirst(t *testing.T) {
	t.Parallel()
	d, _, b := two(t)
	d.keys("2")
	b.commands = append(b.commands, views.Command{ID: "beta.up", Key: "esc"})
	d.keys("esc")
	if b.last() != "do beta.up" || !strings.Contains(d.model.View(), "this is beta") {
		t.Errorf("beta heard %v", b.told)
	}
}

func TestQuitAsksWhereSomethingWouldBeLost(t *testing.T) {
	t.Parallel()
	d, v := one(t)
	v.leave = "The draft of gis.json is not saved."
	d.keys("esc")
	d.see("Press q to quit")
	d.keys("quit")
	d.see("The draft of gis.json is not saved.")
	d.gone("Press q to quit") // it is done
	d.keys("n")
	d.gone("Quit geodeck?")
	d.keys("quit y")
	d.await("end", func() bool { return d.ended })
}

func TestInterruptAlwaysAnswers(t *testing.T) {
	t.Parallel()
	t.Run("with a question while a text is typed", func(t *testing.T) {
		t.Parallel()
		d, v := one(t)
		v.texting = true
		d.keys("ctrl+c")
		d.see("What you type here may not be kept.")
		d.keys("ctrl+c")
		d.await("end", func() bool { return d.ended })
	})
	t.Run("at once where nothing is open", func(t *testing.T) {
		t.Parallel()
		d, v := one(t)
		d.keys("ctrl+c")
		d.await("end", func() bool { return d.ended })
		if v.scope.Context().Err() == nil {
			t.Error("the requests of the view go on")
		}
	})
	t.Run("at the second press in a dialog", func(t *testing.T) {
		t.Parallel()
		d, _ := one(t)
		d.keys("help")
		d.keys("ctrl+c")
		if d.ended {
			t.Fatal("quit without asking")
		}
		d.keys("ctrl+c")
		d.await("end", func() bool { return d.ended })
	})
	t.Run("on a terminal that is too small", func(t *testing.T) {
		t.Parallel()
		d, _ := one(t)
		d.send(tea.WindowSizeMsg{Width: 20, Height: 3})
		d.keys("ctrl+c")
		d.await("end", func() bool { return d.ended })
	})
}

func TestTooSmallTerminalSaysSoAndTakesNoKeys(t *testing.T) {
	t.Parallel()
	d, v := one(t)
	v.told = nil
	for _, size := range [][2]int{{59, 15}, {60, 14}, {20, 2}, {1, 1}} {
		d.send(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
		uitest.Fits(t, d.model.View(), size[0], size[1])
	}
	d.send(tea.WindowSizeMsg{Width: 59, Height: 14})
	if want := "too small, needs 60x15"; !strings.HasPrefix(d.model.View(), want) {
		t.Errorf("the screen says %q", d.model.View())
	}
	d.keys("r")
	if slices.Contains(v.told, "do alpha.run") {
		t.Error("a key acted on a screen that nobody sees")
	}
}

func TestDialogThatOpensByItselfSwallowsWhatIsBeingTyped(t *testing.T) {
	t.Parallel()
	d, v := one(t)
	ask := widget.NewConfirm(uitest.Theme(), widget.Question{ID: "q", Text: "Sure?", Yes: "do it",
		Then: views.Send(landed{})})
	d.keys("j")
	d.send(views.Open{Dialog: ask, Unrequested: true})
	for range 3 {
		if _, cmd := d.model.Update(uitest.Key("y")); cmd != nil {
			t.Error("a key that was on its way to something else has answered")
		}
		d.pace.Advance(300 * time.Millisecond)
	}
	d.see("Sure?")
	d.pace.Advance(time.Second)
	d.keys("y")
	d.gone("Sure?")
	d.await("answer", func() bool { return v.last() == "msg ui_test.landed" })
}

func TestOnlyAQuestionIsAsked(t *testing.T) {
	t.Parallel()
	d, _ := one(t)
	for open, want := range map[views.Dialog]bool{
		widget.NewMessage(uitest.Theme(), "m", "Title", "text"):                                                              false,
		widget.NewConfirm(uitest.Theme(), widget.Question{ID: "q", Text: "Sure?", Yes: "do it", Then: views.Send(landed{})}): true,
	} {
		if ui.AsksAfter(d.model, views.Open{Dialog: open}) != want {
			t.Errorf("%s asks: %t", open.ID(), !want)
		}
		d.keys("esc")
		d.gone("Title")
		d.gone("Sure?")
	}
	if ui.AsksAfter(d.model, landed{}) {
		t.Error("the list asks")
	}
}

func TestCommandsOfTheRootAndOfViewsDoNotClash(t *testing.T) {
	t.Parallel()
	const typing = "While typing"
	taken := map[string]string{}
	for _, group := range ui.KeyTable() {
		typed := map[string]string{} // in a line or a dialog, where no other key works
		for _, c := range group.Commands {
			for _, key := range c.Keys() {
				in := taken
				switch group.View {
				case "":
				case typing:
					in = typed
				default:
					continue
				}
				if other := in[key]; other != "" {
					t.Errorf("%s is the key of %s and of %s", key, other, c.ID)
				}
				in[key] = c.ID
			}
		}
	}
	ids := map[string]bool{}
	for _, group := range ui.KeyTable() {
		for _, c := range group.Commands {
			if ids[group.View+" "+c.ID] { // views share the commands of lists
				t.Errorf("two commands of %q are called %s", group.View, c.ID)
			}
			ids[group.View+" "+c.ID] = true
			if c.Help == "" || c.Group == "" {
				t.Errorf("%s has no help, or no group", c.ID)
			}
			for _, key := range c.Keys() {
				if group.View != "" && group.View != typing && key != "esc" && taken[key] != "" {
					t.Errorf("%s of %s is a key of the root (%s)", key, c.ID, taken[key])
				}
			}
		}
	}
}
