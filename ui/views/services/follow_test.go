package services_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/ui/uitest"
)

// A program is killed while the job of its edit runs. The service shows the job to the next one, which
// cannot send another edit meanwhile and is led to that page, until the end is seen.
func TestAnEditWhoseProgramWasKilledIsFollowedToItsEnd(t *testing.T) {
	t.Parallel()
	sim, folder := uitest.NewSite(t, uitest.Scenario(t, "edit-slow")), t.TempDir()
	site, j := program(t, sim, folder, alice)
	edit := uitest.Edit(t, site, cities, "maxIdleTime", "999").Edit
	draft := operation.EditDraft{Base: edit.Base.Text(), Edited: edit.Edited.Text()}
	if _, err := site.Memory.SaveEditDraft(edit.Target, draft); err != nil {
		t.Fatal(err)
	}
	ctx, kill := context.WithCancel(t.Context())
	site.ApplyEdit(ctx, edit, func(p operation.EditProgress) {
		if p.Step == operation.StepEditJob {
			kill()
		}
	})
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	next, _ := program(t, sim, folder, bob)
	s := openOn(t, &screen{t: t, site: next}, uitest.Sizes[0])
	goesOn := "is still running: executing"
	s.rest = []tea.Cmd{s.do("services.open", cities.Path())}
	s.until(goesOn)
	s.Shows("result", "maxIdleTime 1800 → 999", "The program that sent it has ended.", "Nothing is sent again.")
	s.Hides("answer was lost")
	if what := s.whatNow(); !strings.Contains(what, "Not ended yet: change the definition") || !strings.Contains(what, "Wait for the job to end.") {
		t.Errorf("what now says\n%s", what)
	}

	s.Asks(s.Press("services.stop-waiting"), "Its job runs at the site, and goes on.")
	if s.hint("services.back") != "list" {
		t.Errorf("esc is said to lead %q", s.hint("services.back"))
	}
	s.Press("services.back")
	s.Hides("is still running")
	s.do("services.open", cities.Path())
	s.Shows("result", goesOn)

	other := uitest.Edit(t, next, cities, "maxIdleTime", "333").Edit
	_, refused := next.ApplyEdit(t.Context(), other, nil)
	if earlier, is := errors.AsType[*operation.EarlierJobError](refused.Err); !is || !errors.Is(refused.Err, adminapi.KindBusy) ||
		!strings.Contains(refused.Err.Error(), "cannot change SampleWorldCities.MapServer: job ") ||
		!strings.Contains(operation.Advice(refused.Err), "{command:job wait "+earlier.Job+"}") {
		t.Errorf("a second edit: %v", refused.Err)
	}

	s.until("The site has the new definition of SampleWorldCities.MapServer")
	s.Hides("only the answer was lost")
	if left := next.Memory.LeftEdits(); len(left) > 0 {
		t.Errorf("left are %+v", left)
	}
	if records, err := next.Memory.Journal.Actions(0); err != nil || operation.ResultOf(records[0]).Word() != "done" {
		t.Errorf("%+v, %v", records, err)
	}
}
