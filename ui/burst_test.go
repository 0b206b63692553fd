package ui_test

import (
	"slices"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/ui/keyboard"
	"geodeck/ui/uitest"
	"geodeck/ui/views"
	"geodeck/ui/widget"
)

// burst returns keys that came in one piece.
func burst(text string) keyboard.Burst {
	var keys keyboard.Burst
	for _, r := range text {
		switch r {
		case '\r':
			keys = append(keys, uitest.Key("enter"))
		case '\t':
			keys = append(keys, uitest.Key("tab"))
		default:
			keys = append(keys, uitest.Text(string(r))...)
		}
	}
	return keys
}

func TestKeysReadTogetherAreKeysOneByOne(t *testing.T) {
	t.Parallel()
	d, v := one(t)
	v.told = nil
	d.send(burst("jjr"))
	if got := strings.Join(v.told, ","); got != "do alpha.move,do alpha.move,do alpha.run" {
		t.Errorf("the view heard %s", got)
	}
}

func TestKeysReadTogetherThatWaitedStayBeforeTheNext(t *testing.T) {
	t.Parallel()
	d, v := one(t)
	v.busy, v.told = true, nil
	v.do = func(string, string) tea.Cmd { v.busy = true; return nil }
	d.send(burst("jr"))
	d.keys("o")
	for range 3 {
		v.busy = false
		d.send(landed{})
	}
	if got := strings.ReplaceAll(strings.Join(v.told, ","), "msg ui_test.landed,", ""); got != "do alpha.move,do alpha.run,do alpha.open" {
		t.Errorf("the view heard %s", got)
	}
}

func TestEscapeAndAKeyReadTogetherAreTwoKeys(t *testing.T) {
	t.Parallel()
	d, a, b := two(t)
	d.send(views.Navigate{View: "beta", Command: "beta.move"})
	d.send(keyboard.Burst(uitest.Keys("esc r")))
	d.see("this is alpha")
	if a.last() != "do alpha.run" {
		t.Errorf("alpha heard %v, beta %v", a.told, b.told)
	}
}

func TestKeysBehindAnEscapeAreForWhatIsBehindTheDialog(t *testing.T) {
	t.Parallel()
	d, v := one(t)
	d.keys("help")
	d.see("Help for Alpha")
	v.told = nil
	d.send(keyboard.Burst(uitest.Keys("esc r")))
	d.send(burst("j"))
	d.keys("o")
	d.await("last key", func() bool { return v.last() == "do alpha.open" })
	if got := strings.Join(v.told, ","); got != "do alpha.run,do alpha.move,do alpha.open" {
		t.Errorf("the view heard %s", got)
	}
}

func TestAKeyThatConsentsCountsAloneOnly(t *testing.T) {
	t.Parallel()
	d, v := one(t)
	v.commands = slices.Clone(v.commands)
	v.commands[1].Alone = true
	v.told = nil
	d.send(append(burst("jjr"), burst("rj")...))
	d.see("Press r again, alone.")
	d.await("last key", func() bool { return len(v.told) == 3 })
	if got := strings.Join(v.told, ","); got != "do alpha.move,do alpha.move,do alpha.move" {
		t.Errorf("the view heard %s", got)
	}
	d.keys("r")
	if v.last() != "do alpha.run" {
		t.Errorf("the view heard %s", v.last())
	}
}

func TestPastedTextPressesNoKey(t *testing.T) {
	t.Parallel()
	d, v := one(t)
	v.told = nil
	d.send(uitest.Paste("r"))
	d.see("Pasted text does nothing here: press the keys one by one.")
	ran := false
	d.send(views.Open{Dialog: widget.NewConfirm(uitest.Theme(), widget.Question{ID: "q", Text: "Sure?", Yes: "do it",
		Then: func() tea.Msg { ran = true; return nil }})})
	d.send(uitest.Paste("y"))
	d.send(burst("yes")) // a paste without brackets
	if len(v.told) > 0 || ran || !strings.Contains(d.model.View(), "Sure?") {
		t.Errorf("the paste acted: %v %v\n%s", v.told, ran, d.model.View())
	}
	d.keys("esc")
	d.gone("Sure?")
	v.texting = true
	d.send(uitest.Paste("some text"))
	if v.last() != "key [some text]" {
		t.Errorf("the field got %q", v.last())
	}
}

func TestAPasteThatWasTooLongSaysSo(t *testing.T) {
	t.Parallel()
	d, v := one(t)
	v.texting = true
	d.send(keyboard.Truncated(uitest.Paste("some text")))
	d.see("The pasted text is longer than 1 MiB; the rest was discarded.")
	if v.last() != "key [some text]" {
		t.Errorf("the field got %q", v.last())
	}
}

func TestAWordThatConfirmsIsTypedAndAnEnterBehindItConfirmsNothing(t *testing.T) {
	t.Parallel()
	d, v := one(t)
	d.send(views.Open{Dialog: widget.NewConfirm(uitest.Theme(), widget.Question{ID: "q", Text: "Sure?", Yes: "do it", Word: "none",
		Then: views.Send(landed{})})})
	for _, pasted := range []string{"none\r", "n\rone\r", "no\tne\r", "no\rne\r\r"} {
		d.send(burst(pasted))
		d.see(": none")
		d.see("Press enter again.")
		d.keys("ctrl+u")
		d.gone("Press enter again.")
	}
	d.send(append(burst("x"), append(uitest.Keys("backspace x ctrl+u"), burst("none\r")...)...))
	d.see("Press enter again.")
	d.send(burst("\r\r")) // a held key
	d.gone("Sure?")
	d.await("answer", func() bool { return v.last() == "msg ui_test.landed" })
}

func TestKeysThatCameTogetherAnswerNoQuestion(t *testing.T) {
	t.Parallel()
	for _, together := range []keyboard.Burst{burst("y\r"), burst("yes, do it\ry\r"), burst("a y b"), uitest.Keys("down y"), uitest.Keys("y down"), burst("\ty")} {
		d, v := one(t)
		d.send(views.Open{Dialog: widget.NewConfirm(uitest.Theme(), widget.Question{ID: "q", Text: "Sure?", Yes: "do it", Then: views.Send(landed{})})})
		d.send(together)
		d.see("Pasted text answers no question")
		d.see("Sure?")
		d.keys("y")
		d.gone("Sure?")
		d.await("answer", func() bool { return v.last() == "msg ui_test.landed" })
	}
}

// hearing is a question that writes down which keys it gets.
type hearing struct {
	views.Dialog
	got []string
}

func (a *hearing) Update(msg tea.Msg) tea.Cmd {
	if key, ok := msg.(tea.KeyMsg); ok {
		a.got = append(a.got, key.String())
	}
	return nil
}

func TestTheNameOfAKeyThatIsTypedAtOnceIsNoKey(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"esc", "enter", "up"} {
		d, _ := one(t)
		a := &hearing{Dialog: widget.NewConfirm(uitest.Theme(), widget.Question{ID: "q", Text: "Sure?", Yes: "do it", Then: views.Send(landed{})})}
		d.send(views.Open{Dialog: a})
		d.send(burst(name))
		if slices.Contains(a.got, name) {
			t.Errorf("the letters %s are the key", name)
		}
	}
}

// The mouse is the terminal's. What one sends all the same, and a finger that rests on enter,
// agree to nothing.
func TestADoubleClickOrAHeldEnterAnswersNoQuestion(t *testing.T) {
	t.Parallel()
	for _, word := range []string{"", "11.5.0"} {
		d, v := one(t)
		d.send(views.Open{Dialog: widget.NewConfirm(uitest.Theme(), widget.Question{ID: "q", Text: "Sure?", Yes: "do it", Word: word, Then: views.Send(landed{})})})
		before := slices.Clone(v.told)
		for y := range 24 {
			for range 2 {
				for _, action := range []tea.MouseAction{tea.MouseActionPress, tea.MouseActionRelease} {
					d.send(tea.MouseMsg{X: 20, Y: y, Action: action, Button: tea.MouseButtonLeft})
				}
			}
		}
		for range 20 {
			d.keys("enter")
		}
		d.see("Sure?")
		if !slices.Equal(v.told, before) {
			t.Errorf("the view heard %q", v.told[len(before):])
		}
	}
}

func TestEscapeAmongKeysThatCameTogetherLeavesTheQuestion(t *testing.T) {
	t.Parallel()
	d, v := one(t)
	d.send(views.Open{Dialog: widget.NewConfirm(uitest.Theme(), widget.Question{ID: "q", Text: "Sure?", Yes: "do it", Then: views.Send(landed{})})})
	d.send(append(append(burst("y"), uitest.Key("esc")), burst("y")...))
	d.gone("Sure?")
	if v.last() == "msg ui_test.landed" {
		t.Error("it was answered")
	}
}

func TestLinesThatCameTogetherAreTextOfAPrompt(t *testing.T) {
	t.Parallel()
	d, _ := one(t)
	d.send(views.Open{Dialog: widget.NewPrompt(uitest.Theme(), widget.PromptOptions{ID: "p", Title: "Path"})})
	d.send(burst("one\rtwo\r"))
	d.see("one two")
	d.see("Path")
}

func TestWhatIsTypedAheadInAFilterIsKeys(t *testing.T) {
	t.Parallel()
	d, v := one(t)
	v.texting, v.told = true, nil
	d.send(burst("on\re"))
	if got := strings.Join(v.told, ","); got != "key o,key n,key enter,key e" {
		t.Errorf("the view got %q", got)
	}
}

func TestTheLineOfCommandsTakesWhatIsTypedFast(t *testing.T) {
	t.Parallel()
	d, _, _ := two(t)
	d.send(burst(":beta\r"))
	d.see("this is beta")
}
