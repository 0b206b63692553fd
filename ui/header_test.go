package ui_test

import (
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/ui"
	"geodeck/ui/uitest"
	"geodeck/ui/views"
)

func TestTabsKeepTheirNamesOnNarrowScreens(t *testing.T) {
	v, alpha := fake("alpha", "Alpha")
	_, beta := fake("beta", "Upgrades")
	_, gamma := fake("gamma", "Progress")
	d := start(t, ui.Options{Demo: true}, 60, 15, alpha, beta, gamma)
	now := d.pace.Now()
	v.status = views.Status{
		Busy: "reading the reports of the site", Updated: now,
		Away: &views.Away{Since: now.Add(-46 * time.Second), Next: now.Add(9 * time.Second), Err: &adminapi.Error{Kind: adminapi.KindNotJSON}},
	}
	uitest.Fits(t, d.model.View(), 60, 15)
	line := strings.Split(d.model.View(), "\n")[1]
	if !strings.HasPrefix(line, " Alpha   Upgrades   Progress ") {
		t.Errorf("the tabs are cut: %q", line)
	}
	d.send(tea.WindowSizeMsg{Width: 80, Height: 24})
	line = strings.Split(d.model.View(), "\n")[1]
	if !strings.Contains(line, "answers with a web page for 46 s") || !strings.Contains(line, "Progress ") {
		t.Errorf("it is not said what is wrong: %q", line)
	}
}

func TestTheTimeOfAnAbsenceStartsAnewWhenSomethingElseIsWrong(t *testing.T) {
	silent := &adminapi.Error{Kind: adminapi.KindUnreachable}
	page := &adminapi.Error{Kind: adminapi.KindNotJSON}
	first := views.StillAway(nil, uitest.Start, time.Second, silent)
	second := views.StillAway(first, uitest.Start.Add(40*time.Second), time.Second, silent)
	third := views.StillAway(second, uitest.Start.Add(46*time.Second), time.Second, page)
	if second.Since != uitest.Start || third.Since != uitest.Start.Add(46*time.Second) {
		t.Errorf("since %v, then %v", second.Since, third.Since)
	}
	if second.What() != "no answer" || third.What() != "answers with a web page" {
		t.Errorf("%q, then %q", second.What(), third.What())
	}
}
