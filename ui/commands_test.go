package ui_test

import (
	"slices"
	"testing"

	"geodeck/adminapi/simulator"
	"geodeck/ui"
	"geodeck/ui/uitest"
	"geodeck/ui/views"
	"geodeck/ui/views/health"
	"geodeck/ui/views/services"
	"geodeck/ui/views/upgrade"
	"geodeck/ui/widget"
)

func TestTheScreensOwnCommandsAndThoseOfOtherViewsRunByName(t *testing.T) {
	t.Parallel()
	for typed, want := range map[string]struct{ alpha, beta string }{
		"run alpha":               {alpha: "do alpha.run"},
		"open alpha my file.json": {alpha: "do alpha.open my file.json"},
		"run beta":                {alpha: "focus", beta: "do beta.run"}, // of a view that is hidden
		"beta":                    {alpha: "focus", beta: "focus"},       // a view by its name
	} {
		d, a, b := two(t)
		d.keys("palette")
		d.text(typed)
		d.keys("enter")
		d.await("the command", func() bool { return a.last() == want.alpha && (want.beta == "" || b.last() == want.beta) })
	}
}

func TestWhatNeedsAChoiceInAnotherViewOnlyGoesThere(t *testing.T) {
	t.Parallel()
	d, a, b := wordy(t)
	b.rest = append(b.rest, views.Command{ID: "switch", Name: "start or stop", Group: "Words", Help: "Does it.", Needs: "a service under the cursor"})
	d.keys("palette")
	d.text("start")
	d.keys("enter")
	d.see(`"start or stop" needs a service under the cursor. Choose it here first.`)
	if b.last() != "focus" {
		t.Errorf("alpha heard %v, beta %v", a.told, b.told)
	}
}

// wordy opens a view with more commands, some of which cannot be done now.
func wordy(t *testing.T) (*driver, *fakeView, *fakeView) {
	t.Helper()
	a, makerA := fake("alpha", "Alpha")
	b, makerB := fake("beta", "Beta")
	named := func(id, name string) views.Command {
		return views.Command{ID: id, Name: name, Group: "Words", Help: "Does it."}
	}
	a.commands = append(a.commands, named("up", "move up"), named("down", "move down"), named("editor", "open alpha in editor"))
	a.rest = append(slices.Clone(a.commands), named("undo", "undo"), named("write", "write"), named("set", "set the weight"))
	b.rest = append(slices.Clone(b.rest), named("evidence", "write evidence"), named("burn", "burn everything"), named("beta.undo", "undo"))
	return start(t, ui.Options{}, 80, 24, makerA, makerB), a, b
}

func TestPaletteRemembersWhatWasRun(t *testing.T) {
	t.Parallel()
	d, v := one(t)
	d.keys("palette")
	d.text("open alpha one.json")
	d.keys("enter")
	d.await("the command", func() bool { return v.last() == "do alpha.open one.json" })
	v.told = nil
	d.keys("palette")
	d.see("open alpha one.json")
	d.keys("up enter")
	d.await("the command again", func() bool { return v.last() == "do alpha.open one.json" })
}

func TestEnterOnAnEmptyLineRunsNothing(t *testing.T) {
	t.Parallel()
	d, v := one(t)
	d.keys("palette")
	d.text("run alpha")
	d.keys("enter")
	d.await("the command", func() bool { return v.last() == "do alpha.run" })
	v.told = nil
	d.keys("palette")
	d.see("run before")
	d.keys("enter")
	d.gone("run before")
	if len(v.told) > 0 {
		t.Errorf("%v", v.told)
	}
}

func TestThePaletteOffersNoWayBackWithinAnotherView(t *testing.T) {
	t.Parallel()
	_, first := fake("alpha", "Alpha")
	b, second := fake("beta", "Beta")
	b.commands = append(b.commands, views.Command{ID: "beta.back", Key: "esc", Word: "back", Name: "withdraw", Help: "One step back.", Run: nil})
	b.rest = b.commands
	d := start(t, ui.Options{}, 80, 24, first, second)
	d.keys("palette")
	d.text("withdr")
	d.see("There is no command")
}

// A19: what is of an open review is offered by no other view.
func TestThePaletteOffersNothingOfAReviewElsewhere(t *testing.T) {
	t.Parallel()
	site := signedInSite(t, simulator.Scenario{Name: "elsewhere"})
	d := start(t, ui.Options{Site: site, Clock: site.Clock}, 100, 30, health.Maker, upgrade.Maker, services.Maker)
	d.see("13 of 13 passed")
	d.keys("palette")
	d.text("copy as")
	d.see("copy for a ticket")
	d.gone("copy as JSON")
	d.gone("copy as a command")
}

func TestTimesAreShownAsTheUserWants(t *testing.T) {
	t.Parallel()
	d, v := one(t)
	v.status.Updated = d.pace.Now().Add(-7 * 60e9)
	d.keys("times")
	d.see("updated 13:58:00Z")
	d.keys("times")
	d.see("updated 7 min ago")
	d.keys("times")
	d.see("updated 14:58:00")
	v.status.Updated = d.pace.Now().Add(-20 * 60e9)
	d.keys("times times times")
	d.see("updated 20 min ago")
	d.send(views.Open{Dialog: widget.NewConfirm(uitest.Theme(), widget.Question{ID: "q", Text: "Sure?", Yes: "do it", Read: d.pace.Now().Add(-12 * 60e9)})})
	d.see("updated 12 min ago")
	d.keys("n")
	d.see("updated 20 min ago")
}

func TestCopyWithoutATerminalSaysSo(t *testing.T) {
	t.Parallel()
	d, _ := one(t)
	d.send(views.Copy{Text: "x", What: "report id"})
	d.see("error: cannot copy the report id: there is no terminal")
}
