package whatnow_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"geodeck/adminapi"
	"geodeck/adminapi/explain"
	"geodeck/ui/uitest"
	"geodeck/ui/views"
	"geodeck/ui/widget/whatnow"
)

func failed() explain.Explanation {
	return explain.Explanation{
		Title: "Upgrade to 12.0.0.7286 failed", Fault: true,
		Cause: explain.Cause{ID: "database", Known: true, Sentence: "PostgreSQL did not finish upgrading."},
		Evidence: []explain.Evidence{
			{Text: "The newest message is 11.", At: explain.Place{Kind: explain.Message, Number: 10}},
			{Text: "This stands nowhere else."},
		},
		Site:  []string{"Read-only since 23:01."},
		Avoid: []string{"Do not start the upgrade again yet."},
		Next:  explain.Step{Text: "Check the pods of the relational store.", Action: explain.SaveEvidence.To()},
	}
}

func give(t *testing.T, p *whatnow.Panel, keys ...string) (up []tea.Msg) {
	t.Helper()
	for _, key := range keys {
		up = append(up, uitest.Drain(t, p, p.Update(uitest.Key(key)))...)
	}
	return up
}

func TestThePanelShowsEveryPartAndFollowsTheLineUnderTheCursor(t *testing.T) {
	t.Parallel()
	p := whatnow.New(uitest.Theme(), failed(), nil)
	p.SetSize(80, 20)
	shown := ansi.Strip(p.View())
	for _, want := range []string{"failed", "PostgreSQL did not", "newest message", "nowhere", "Read-only since", "Do not     start", "Check the pods", "Press x"} {
		if !strings.Contains(shown, want) {
			t.Errorf("%q is not in\n%s", want, shown)
		}
	}
	for _, step := range []struct {
		keys string
		want tea.Msg
	}{
		{"enter", views.Navigate{View: "progress", Command: "progress.evidence"}},
		{"down enter", views.Navigate{View: "progress", Command: "progress.message", Argument: "11"}},
	} {
		p := whatnow.New(uitest.Theme(), failed(), nil)
		p.SetSize(80, 20)
		shut := uitest.Find[views.Shut](t, give(t, p, strings.Fields(step.keys)...))
		if shut.ID != whatnow.ID || shut.Then == nil || shut.Then() != step.want {
			t.Errorf("%s sent %v", step.keys, shut)
		}
	}
	for key, want := range map[string]string{"enter": "This line leads nowhere.", "3": "3 does nothing here. Press esc to close."} {
		if told := uitest.NoticeText(t, give(t, p, "G", key)); told != want {
			t.Errorf("%s on a line that stands nowhere else told %q", key, told)
		}
	}
	if shut := uitest.Find[views.Shut](t, give(t, p, "q")); shut.Then != nil {
		t.Error("closing went on")
	}
}

// Only lines that lead somewhere look like it, and the key of the next step does it here.
func TestALineThatLeadsNowhereDoesNotLookLikeAJump(t *testing.T) {
	t.Parallel()
	p := whatnow.New(uitest.Theme(), failed(), nil)
	p.SetSize(80, 20)
	shown := ansi.Strip(p.View())
	if !strings.Contains(shown, "message is 11. →") || strings.Contains(shown, "nowhere else. →") {
		t.Errorf("\n%s", shown)
	}
	give(t, p, "G")
	if shown = ansi.Strip(p.View()); strings.Contains(shown, "›") || !strings.Contains(shown, "·") {
		t.Errorf("\n%s", shown)
	}
	if shut := uitest.Find[views.Shut](t, give(t, p, "x")); shut.Then() != tea.Msg(views.Navigate{View: "progress", Command: "progress.evidence"}) {
		t.Errorf("%v", shut)
	}
}

func TestEveryLineCanBeReachedAtAnySize(t *testing.T) {
	t.Parallel()
	x := failed()
	x.Evidence[0].Text = strings.Repeat("x", 1000)
	for i := range 30 {
		x.Evidence = append(x.Evidence, explain.Evidence{Text: fmt.Sprintf("Fact number %d.", i)})
	}
	for _, size := range [][2]int{{80, 24}, {20, 3}, {200, 60}, {1, 1}} {
		p := whatnow.New(uitest.Theme(), x, nil)
		p.SetSize(size[0], size[1])
		seen := ""
		for range 2 * len(x.Evidence) { // one is longer than the screen
			give(t, p, "down")
			seen += ansi.Strip(p.View())
		}
		if size[0] >= 80 && (!strings.Contains(ansi.Strip(p.View()), x.Title) || !strings.Contains(ansi.Strip(p.View()), x.Cause.Sentence)) {
			t.Errorf("at %v the fault and why are out of sight", size)
		}
		if size[0] >= 80 && (!strings.Contains(seen, "number 0") || !strings.Contains(seen, "number 29")) {
			t.Errorf("at %v a line cannot be reached", size)
		}
		if lines := strings.Count(p.View(), "\n") + 1; lines > size[1] {
			t.Errorf("at %v there are %d lines", size, lines)
		}
	}
}

// What is longer than the screen opens at its beginning and is read line by line, with or without evidence.
func TestAnExplanationThatIsLongerThanTheScreenIsReadWhole(t *testing.T) {
	t.Parallel()
	long := failed()
	long.Evidence[1].Text = strings.Repeat("word ", 500) + "its end."
	for i := range 30 {
		long.Then = append(long.Then, fmt.Sprintf("Step %d.", i))
		long.Look = append(long.Look, fmt.Sprintf("Place %d.", i))
	}
	bare := long
	bare.Evidence = nil
	for _, x := range []explain.Explanation{long, bare} {
		p := whatnow.New(uitest.Theme(), x, nil)
		p.SetSize(80, 20)
		shown := ansi.Strip(p.View())
		if !strings.Contains(shown, "› Check the pods") {
			t.Errorf("it does not open at the next step:\n%s", shown)
		}
		for _, key := range []string{"down", "up"} {
			seen := shown
			for before := ""; before != shown; shown = ansi.Strip(p.View()) {
				before = shown
				give(t, p, key)
				seen += ansi.Strip(p.View())
			}
			for i := range 30 {
				for _, want := range []string{fmt.Sprintf("Step %d.", i), fmt.Sprintf("Place %d.", i)} {
					if !strings.Contains(seen, want) {
						t.Fatalf("%s never shows %q", key, want)
					}
				}
			}
		}
		if !strings.Contains(shown, "› Check the pods") {
			t.Errorf("the way up ends at\n%s", shown)
		}
		if give(t, p, "G"); !strings.Contains(ansi.Strip(p.View()), "Place 29.") {
			t.Errorf("G does not lead to the end:\n%s", ansi.Strip(p.View()))
		}
	}
}

func TestWhatNotToDoIsInSightAndTheLinesAreCounted(t *testing.T) {
	t.Parallel()
	x := failed()
	for i := range 30 {
		x.Evidence = append(x.Evidence, explain.Evidence{Text: fmt.Sprintf("Fact number %d.", i)})
	}
	p := whatnow.New(uitest.Theme(), x, nil)
	p.SetSize(80, 20)
	shown := ansi.Strip(p.View())
	if !strings.Contains(shown, "Do not     start") || !strings.Contains(shown, "1-20 of 4") {
		t.Errorf("\n%s", shown)
	}
	give(t, p, "G")
	if shown = ansi.Strip(p.View()); strings.Contains(shown, "1-20 of") || !strings.Contains(shown, " of 4") {
		t.Errorf("\n%s", shown)
	}
	p = whatnow.New(uitest.Theme(), failed(), nil)
	p.SetSize(80, 20)
	if head, _, _ := strings.Cut(ansi.Strip(p.View()), "\n"); head != "What now" {
		t.Errorf("what fits is counted:\n%s", ansi.Strip(p.View()))
	}
}

func TestEveryPlaceLeadsWhereItStandsOrNowhere(t *testing.T) {
	t.Parallel()
	for at, want := range map[explain.Place]views.Navigate{
		{Kind: explain.Message, Number: 3}:                     {View: "progress", Command: "progress.message", Argument: "4"},
		{Kind: explain.Report, ID: "r"}:                        {View: "health", Command: "health.report", Argument: "r"},
		{Kind: explain.Test, ID: "t", In: "r"}:                 {View: "health", Command: "health.report", Argument: "r"},
		{Kind: explain.ServiceAt, ID: "S.MapServer"}:           {View: "services", Command: "services.status", Argument: "S.MapServer"},
		{Kind: explain.Rule, ID: "S.MapServer"}:                {View: "services", Command: "services.placement", Argument: "S.MapServer"},
		{Kind: explain.Node, ID: "n", In: "S.MapServer"}:       {View: "services", Command: "services.placement", Argument: "S.MapServer n"},
		{Kind: explain.Deployment, ID: "d", In: "S.MapServer"}: {View: "services", Command: "services.status", Argument: "S.MapServer"},
		{Kind: explain.Node, ID: "n"}:                          {},
		{Kind: explain.Deployment, ID: "d"}:                    {},
		{Kind: explain.Job, ID: "j"}:                           {},
		{Kind: explain.Record}:                                 {},
		{Kind: explain.Access}:                                 {},
		{}:                                                     {},
	} {
		cmd := whatnow.Elsewhere(at)
		switch {
		case at.Kind == explain.Record && (cmd == nil || cmd() != tea.Msg(views.Navigate{Command: "unresolved"})):
			t.Errorf("%v does not lead to the requests", at)
		case at.Kind != explain.Record && want.View == "" && cmd != nil:
			t.Errorf("%v leads somewhere", at)
		case want.View != "" && (cmd == nil || cmd() != tea.Msg(want)):
			t.Errorf("%v does not lead to %v", at, want)
		}
	}
}

// A list that the site refuses to show has failed, though nothing is in it to explain.
func TestWhatAViewCannotReadIsExplained(t *testing.T) {
	t.Parallel()
	site, wire := uitest.NewSite(t, uitest.Scenario(t, "healthy")).Counted(t)
	env := uitest.Env(t, site, uitest.Theme())
	refused := &adminapi.Error{Kind: adminapi.KindPrivilege, Privilege: "portal:admin", Explicit: true, Method: "GET", Message: "no"}
	for _, status := range []views.Status{{Err: refused}, {Unreachable: &views.Unreachable{Err: refused}}} {
		panel := whatnow.None(env, status, "No request has failed here.")().(views.Open).Dialog
		panel.SetSize(80, 24)
		uitest.Drain(t, panel, panel.Init())
		as := "What now  as of " + env.Times.Clock(env.Clock.Now())
		if shown := ansi.Strip(panel.View()); !strings.Contains(shown, as) || !strings.Contains(shown, "You lack the privilege portal:admin.") || strings.Contains(shown, "was changed") {
			t.Error(shown)
		}
	}
	before := wire.Sent("GET mode")
	panel := whatnow.None(env, views.Status{}, "No request has failed here.")().(views.Open).Dialog
	panel.SetSize(80, 24)
	if shown := ansi.Strip(panel.View()); !strings.Contains(shown, "reading the site") || panel.Replies() == nil {
		t.Errorf("nothing says that it works, or nothing ends it:\n%s", shown)
	}
	shut := uitest.Find[views.Shut](t, uitest.Drain(t, panel, panel.Init()))
	if told, ok := shut.Then().(views.Notice); !ok || shut.ID != whatnow.ID || told.Text != "No request has failed here." {
		t.Errorf("%+v", told)
	}
	if after := wire.Sent("GET mode"); after != before {
		t.Errorf("%d requests for nothing", after-before)
	}
}

// A panel that no key opened meets keys that were typed for something else.
func TestOfAPanelThatComesUnaskedOnlyEnterGoesOn(t *testing.T) {
	t.Parallel()
	env := uitest.Env(t, uitest.NewSite(t, uitest.Scenario(t, "healthy")).Site, uitest.Theme())
	missing := &adminapi.Error{Kind: adminapi.KindNotFound, Explicit: true, Path: "/ctx/admin/services/X.MapServer"}
	facts := explain.WriteFacts{What: "edit X", Outcome: adminapi.OutcomeRefused, Err: missing}
	open := whatnow.Unasked(env, facts)().(views.Open)
	open.Dialog.SetSize(80, 24)
	p := open.Dialog.(*whatnow.Panel)
	if up := give(t, p, "R"); len(up) > 0 || !open.Unrequested || strings.Contains(ansi.Strip(p.View()), "Press R") {
		t.Errorf("%v\n%s", up, ansi.Strip(p.View()))
	}
	uitest.Find[views.Shut](t, give(t, p, "enter"))
	open = whatnow.Write(env, facts)().(views.Open)
	if uitest.Find[views.Shut](t, give(t, open.Dialog.(*whatnow.Panel), "R")); open.Unrequested {
		t.Error("a panel that was asked for swallows keys")
	}
}

// On a large terminal nothing is below the screen, and what else was read fills it.
func TestALargeTerminalHasTheEvidenceBesideAndWhatElseWasRead(t *testing.T) {
	t.Parallel()
	x := failed()
	log := explain.Part{Name: "Log, newest first"}
	for i := range 60 {
		log.Lines = append(log.Lines, fmt.Sprintf("message %d.", i))
	}
	x.More = []explain.Part{log, {Name: "Deployments", Lines: log.Lines}, {Name: "Rules", Lines: []string{"one rule"}}}
	for _, tt := range []struct {
		width, height int
		wants, not    string
	}{
		{196, 54, "Evidence|Log, newest first|message 40.| more|Deployments", "1-"},
		{116, 34, "Evidence|Log, newest first|message 14.| more", "1-"},
		{80, 20, "Evidence", "Log, newest first"},
		{196, 12, "Evidence", "Log, newest first"},
	} {
		p := whatnow.New(uitest.Theme(), x, nil)
		p.SetSize(tt.width, tt.height)
		shown := ansi.Strip(p.View())
		for _, want := range append(strings.Split(tt.wants, "|"), "PostgreSQL did not", "nowhere") {
			if !strings.Contains(shown, want) || strings.Contains(shown, tt.not) {
				t.Errorf("%dx%d: no %q, or %q, in\n%s", tt.width, tt.height, want, tt.not, shown)
			}
		}
		if lines := strings.Count(shown, "\n") + 1; lines > tt.height {
			t.Errorf("%dx%d: %d lines", tt.width, tt.height, lines)
		}
		uitest.Fits(t, views.Block(strings.Split(p.View(), "\n"), tt.width, tt.height, ""), tt.width, tt.height)
		give(t, p, "down")
		if shown := ansi.Strip(p.View()); !strings.Contains(shown, "› The newest message") {
			t.Errorf("%dx%d: the cursor is not on the evidence:\n%s", tt.width, tt.height, shown)
		}
	}
}

// What the key does comes after what the text says: enter does only the second.
func TestAStepThatNoKeyDoesHasTheKeyOnALineOfItsOwn(t *testing.T) {
	t.Parallel()
	x := failed()
	x.Next = explain.Step{Text: "Check the pods of the object store.", Action: explain.RunHealth.To(), Later: "check again"}
	want := tea.Msg(views.Navigate{View: "health", Command: "health.run"})
	p := whatnow.New(uitest.Theme(), x, nil)
	p.SetSize(80, 20)
	if shown := ansi.Strip(p.View()); !strings.Contains(shown, "· Check the pods of the object store.\n") || !strings.Contains(shown, "Then press r to check again.") {
		t.Error(shown)
	}
	if up := give(t, p, "enter"); uitest.NoticeText(t, up) != "This line leads nowhere." || len(p.Hints()) == 0 || p.Hints()[0].Text == "go there" {
		t.Errorf("enter on what is to be checked leads to %v, %v", up, p.Hints())
	}
	for _, keys := range []string{"down enter", "r", "G r"} {
		if shut := uitest.Find[views.Shut](t, give(t, p, strings.Fields(keys)...)); shut.Then() != want {
			t.Errorf("%s sent %v", keys, shut)
		}
	}
	if shut := uitest.Find[views.Shut](t, give(t, p, "g", "down", "down", "enter")); shut.Then() != tea.Msg(views.Navigate{View: "progress", Command: "progress.message", Argument: "11"}) {
		t.Errorf("the evidence leads to %v", shut)
	}
}

func TestThePartInSightIsNamed(t *testing.T) {
	t.Parallel()
	x := failed()
	for i := range 12 {
		x.Then = append(x.Then, fmt.Sprintf("Do step %d.", i))
	}
	p := whatnow.New(uitest.Theme(), x, nil)
	p.SetSize(80, 14)
	give(t, p, strings.Fields("down down down down down down")...)
	if shown := ansi.Strip(p.View()); strings.Contains(shown, "\nThen\n") || !strings.Contains(shown, "\n\nThen       Do step ") || strings.Contains(shown, "step 0.") {
		t.Error(shown)
	}
}

// What the header says is explained in a view where nothing has failed.
func TestAnUpgradeThatFailedUnwatchedIsExplainedWhereNothingElseFailed(t *testing.T) {
	t.Parallel()
	site := uitest.NewSite(t, uitest.Scenario(t, "running-release-fails"))
	site.Steps.Advance(3 * time.Hour)
	env := uitest.Env(t, site.Site, uitest.Theme())
	uitest.Refresh(env)
	panel := whatnow.None(env, views.Status{}, "No test failed here.")().(views.Open).Dialog
	panel.SetSize(80, 40)
	uitest.Drain(t, panel, panel.Init())
	shown := ansi.Strip(panel.View())
	for _, want := range []string{"No test failed here. Upgrade to 12.0.0.7286 failed in PostgreSQL", "Open it in Progress. Press enter.", "Save the evidence."} {
		if !strings.Contains(shown, want) || strings.Contains(shown, "→") {
			t.Errorf("no %q, or a line of a log that is not open leads there, in\n%s", want, shown)
		}
	}
	if shut := uitest.Find[views.Shut](t, give(t, panel.(*whatnow.Panel), "enter")); shut.Then() != tea.Msg(views.Navigate{View: "progress", Command: "progress.watch"}) {
		t.Errorf("%v", shut)
	}
}

// The panel is handed on whole: with the site, its version, when, by whom, the next step, and how.
func TestThePanelIsCopiedAndWrittenWhole(t *testing.T) {
	t.Parallel()
	site, _ := uitest.NewSite(t, uitest.Scenario(t, "healthy")).Counted(t)
	env := uitest.Env(t, site, uitest.Theme())
	env.SiteName = "harbour"
	uitest.Refresh(env)
	x := failed()
	x.Kubectl = explain.Kubectl("arcgis-web-proxy-nny8f")
	open := func() (*whatnow.Panel, []tea.Msg) {
		p, cmd := whatnow.OpenFollowed(env, x, nil)
		p.SetSize(78, 18)
		return p, []tea.Msg{cmd()}
	}
	p, _ := open()
	copied := uitest.Find[views.Copy](t, give(t, p, "Y")).Text
	wants := append([]string{"Site: harbour, " + site.Client.Base().Redacted() + "\n", "Version: 11.5.0.6745\n", "Exported: 2026-11-20 14:05:", " UTC by admin of the site, ",
		"Times below: local (CET); those without a date are of 2026-11-20\n\nUpgrade to 12.0.0.7286 failed\n", "Next      Check the pods of the relational store.\n          geodeck upgrade evidence --url ", "Do not    start the upgrade", "This stands nowhere else."}, x.Kubectl...)
	for _, want := range wants {
		if !strings.Contains(copied, want) {
			t.Errorf("%q is not in\n%s", want, copied)
		}
	}
	asked := give(t, p, "whatnow.save")
	for _, msg := range asked {
		if _, shuts := msg.(views.Shut); shuts {
			t.Error("the panel is shut before the file is written: esc does not lead back to it")
		}
	}
	wrote := uitest.AnswerOnly(t, asked, uitest.Key("enter"))
	notice, _ := wrote().(views.Notice)
	written, err := os.ReadFile(notice.Path)
	if err != nil || string(written) != copied || !filepath.IsAbs(notice.Path) {
		t.Errorf("%v %+v\n%s", err, notice, written)
	}
}

// The key that "Then" names does what it says, also where the next step is another one.
func TestTheKeyOfTheEvidenceThatFollowsTheNextStepWorks(t *testing.T) {
	t.Parallel()
	x := failed()
	x.Next = explain.Step{Text: "Check the pods of the relational store.", Action: explain.KeepWatching.To()}
	x.Then = []string{"If the pods are well, or cannot be mended, save the evidence."}
	p := whatnow.New(uitest.Theme(), x, nil)
	p.SetSize(80, 24)
	if shown := strings.Join(strings.Fields(ansi.Strip(p.View())), " "); !strings.Contains(shown, "save the evidence (x)") {
		t.Error(shown)
	}
	shut := uitest.Find[views.Shut](t, give(t, p, "progress.export"))
	if shut.Then == nil || shut.Then() != tea.Msg(views.Navigate{View: "progress", Command: "progress.evidence"}) {
		t.Errorf("it sent %v", shut)
	}
	x.Then = nil
	p = whatnow.New(uitest.Theme(), x, nil)
	p.SetSize(80, 24)
	if told := uitest.NoticeText(t, give(t, p, "progress.export")); !strings.Contains(told, "does nothing here") {
		t.Errorf("it told %q", told)
	}
}
