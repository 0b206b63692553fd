package widget_test

import (
	"slices"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/huh"

	"geodeck/ui/uitest"
	"geodeck/ui/views"
	"geodeck/ui/widget"
)

// answers are what the form below is bound to.
type answers struct{ name, secret, place string }

func form(a *answers, stay bool) *widget.Form {
	f := widget.NewForm(uitest.Theme(), widget.FormOptions{
		ID: "f", Title: "A form", Note: "With a note.", Action: "send", Stay: stay,
		Build: func() *huh.Form {
			return huh.NewForm(
				huh.NewGroup(
					huh.NewInput().Title("Name").Value(&a.name).Validate(huh.ValidateNotEmpty()),
					huh.NewInput().Title("Secret").Value(&a.secret).EchoMode(huh.EchoModePassword)),
				huh.NewGroup(huh.NewInput().Title("Place").Value(&a.place)))
		},
		Submit: func() tea.Cmd { return views.Send(views.Copy{Text: a.name + "/" + a.secret + "/" + a.place}) },
	})
	f.SetSize(60, 14)
	return f
}

func TestFormSendsWhatWasFilledIn(t *testing.T) {
	t.Parallel()
	f := form(&answers{}, false)
	uitest.Drain(t, f, f.Init())
	up := give(t, f, append(append(uitest.Text("Ann"), uitest.Key("enter")), append(uitest.Text("s3"), uitest.Key("tab"))...)...)
	up = append(up, give(t, f, append(uitest.Text("here"), uitest.Key("enter"))...)...)
	shut := uitest.Find[views.Shut](t, up)
	if got := shut.Then().(views.Copy).Text; got != "Ann/s3/here" {
		t.Errorf("sent %q", got)
	}
	// The dashboard shuts it a moment later: what is still under way until then sends nothing again.
	for _, late := range []tea.Msg{huh.NextField(), uitest.Key("enter"), uitest.Text("x")[0], struct{}{}, uitest.Key("esc")} {
		if again := uitest.Drain(t, f, f.Update(late)); len(again) > 0 {
			t.Errorf("%v: sent once more: %+v", late, again)
		}
	}
}

func TestKeysReadTogetherGoToTheirOwnFields(t *testing.T) {
	t.Parallel()
	a := &answers{}
	f := form(a, false)
	uitest.Drain(t, f, f.Init())
	var cmds []tea.Cmd
	for _, key := range append(append(append(append(uitest.Text("Ann"), uitest.Key("tab")), uitest.Text("s3")...), uitest.Key("tab")), uitest.Text("here")...) {
		cmds = append(cmds, f.Update(key))
	}
	uitest.Drain(t, f, tea.Batch(cmds...))
	if *a != (answers{"Ann", "s3", "here"}) {
		t.Errorf("the fields hold %+v", *a)
	}
}

func TestFormSaysWhatIsWrongWithAField(t *testing.T) {
	t.Parallel()
	f := form(&answers{}, false)
	uitest.Drain(t, f, f.Init())
	if up := give(t, f, uitest.Key("enter")); len(up) > 0 || !strings.Contains(f.View(), "Input cannot be empty.") {
		t.Errorf("sent %v\n%s", up, f.View())
	}
	fits(t, f, 60, 14)
	give(t, f, uitest.Text("Ann")...)
	if strings.Contains(f.View(), "cannot be empty") {
		t.Errorf("the complaint stays\n%s", f.View())
	}
}

func TestFormMarksAndBlamesTheFieldInFocusAlone(t *testing.T) {
	t.Parallel()
	first, second := "one", ""
	f := widget.NewForm(uitest.Theme(), widget.FormOptions{ID: "f", Build: func() *huh.Form {
		return huh.NewForm(huh.NewGroup(huh.NewInput().Title("First").Value(&first), huh.NewInput().Title("Second").Value(&second).Validate(huh.ValidateNotEmpty())))
	}})
	f.SetSize(60, 16)
	uitest.Drain(t, f, f.Init())
	for _, key := range []string{"enter", "shift+tab", "x"} {
		give(t, f, uitest.Key(key))
		if screen := f.View(); strings.Count(screen, "> ") != 1 || strings.Contains(screen, "✗") {
			t.Errorf("after %s:\n%s", key, screen)
		}
	}
}

func TestFormIsLeftByEscapeAndNothingElse(t *testing.T) {
	t.Parallel()
	a := &answers{}
	f := form(a, false)
	uitest.Drain(t, f, f.Init())
	if up := give(t, f, uitest.Key("ctrl+c"), uitest.Paste("q\n")); len(up) > 0 || f.View() == "" {
		t.Errorf("sent %v, drew %q", up, f.View())
	}
	uitest.Find[views.Shut](t, give(t, f, uitest.Key("esc")))
}

func TestFormThatStaysIsFilledInAgain(t *testing.T) {
	t.Parallel()
	a := &answers{name: "Ann"}
	f := form(a, true)
	uitest.Drain(t, f, f.Init())
	f.Wait("sending")
	if !strings.Contains(f.View(), "sending") || len(give(t, f, uitest.Text("xyz")...)) > 0 {
		t.Errorf("it does not wait\n%s", f.View())
	}
	uitest.Drain(t, f, f.Retry("the site said no"))
	if !strings.Contains(f.View(), "the site said no") || !strings.Contains(f.View(), "Ann") {
		t.Errorf("it does not ask again with what was typed\n%s", f.View())
	}
	fits(t, f, 60, 14)
	up := give(t, f, uitest.Keys("enter enter enter")...)
	if got := uitest.Find[views.Copy](t, up).Text; got != "Ann//" {
		t.Errorf("sent %q", got)
	}
}

func TestFormFitsALowTerminal(t *testing.T) {
	t.Parallel()
	f := form(&answers{}, false)
	uitest.Drain(t, f, f.Init())
	for _, size := range [][2]int{{56, 9}, {76, 18}, {116, 34}, {196, 54}} {
		f.SetSize(size[0], size[1])
		fits(t, f, size[0], size[1])
	}
}

func TestHintsOfAFormNameKeysAndDrawNone(t *testing.T) {
	t.Parallel()
	chosen, yes := "", false
	f := widget.NewForm(uitest.Theme(), widget.FormOptions{ID: "f", Title: "Form", Action: "apply", Build: func() *huh.Form {
		return huh.NewForm(huh.NewGroup(
			huh.NewSelect[string]().Options(huh.NewOption("a", "a"), huh.NewOption("b", "b")).Value(&chosen),
			huh.NewConfirm().Value(&yes)))
	}})
	f.SetSize(60, 12)
	uitest.Drain(t, f, f.Init())
	seen := map[string]string{}
	see := func() {
		for _, hint := range f.Hints() {
			seen[strings.TrimSpace(hint.Key+" "+hint.Also)] = hint.Text
		}
	}
	see()
	if seen["enter"] != "next" {
		t.Errorf("enter does %q in the first field", seen["enter"])
	}
	give(t, f, uitest.Key("enter"))
	see()
	if seen["enter"] != "apply" {
		t.Errorf("enter does %q in the last field", seen["enter"])
	}
	if seen["up down"] != "move" || seen["left right"] != "toggle" {
		t.Errorf("hints %v", seen)
	}
	for keys := range seen {
		if strings.ContainsAny(keys, "↑↓←→") {
			t.Errorf("%q is drawn already: without UTF-8 it cannot be", keys)
		}
	}
}

func TestAListIsLeftByQAndItsFilterByEscapeFirst(t *testing.T) {
	t.Parallel()
	chosen, text := 0, ""
	f := widget.NewForm(uitest.Theme(), widget.FormOptions{ID: "f", Build: func() *huh.Form {
		return huh.NewForm(huh.NewGroup(widget.NewChoice("Which", []string{"quick", "slow"}, &chosen), huh.NewInput().Title("Name").Value(&text)))
	}})
	f.SetSize(60, 16)
	uitest.Drain(t, f, f.Init())
	left := func(key string) bool {
		return slices.ContainsFunc(give(t, f, uitest.Key(key)), func(msg tea.Msg) bool { _, shut := msg.(views.Shut); return shut })
	}
	if len(f.Hooks().Keyed()) == 0 {
		t.Error("a list has no help")
	}
	for _, step := range []struct {
		key  string
		left bool
	}{{"/", false}, {"q", false}, {"esc", false}, {"q", true}, {"/", false}, {"esc", false}, {"esc", true}, {"enter", false}, {"q", false}} {
		if have := left(step.key); have != step.left {
			t.Errorf("%s leaves: %v", step.key, have)
		}
	}
	if text != "q" {
		t.Errorf("the text is %q", text)
	}
}
