package activity_test

import (
	"testing"
	"time"

	"geodeck/adminapi/operation"
	"geodeck/ui/uitest"
)

// sizes are those of goldens, and the smallest.
var sizes = append([]uitest.Size{{Name: "60x15", Width: 60, Height: 10}}, uitest.Sizes...)

func atEachSize(t *testing.T, keys string, inSight ...string) {
	t.Helper()
	for _, size := range sizes {
		t.Run(size.Name, func(t *testing.T) {
			t.Parallel()
			s := running(t, worked(t), size.Width, size.Height)
			s.Press(keys)
			s.Shows(inSight...)
			s.Golden()
		})
	}
}

func TestScreenJobs(t *testing.T) {
	t.Parallel()
	atEachSize(t, "", "[Jobs · 1 running]", "● executing", "SampleWorld")
}

func TestScreenRecord(t *testing.T) {
	t.Parallel()
	atEachSize(t, "tab", "[Record of this machine]", "✓ done", "run a health check")
}

func TestScreenOneRecord(t *testing.T) {
	t.Parallel()
	atEachSize(t, "tab down enter", "Operation    start the service")
}

func TestScreenNothing(t *testing.T) {
	t.Parallel()
	sc := uitest.Scenario(t, "healthy")
	none := 0
	sc.Reports = &none
	s := open(t, newPlatform(t, sc).Site, 80, 19)
	s.Shows("The site has no jobs.", "Health checks, edits, and starts and stops")
	s.Press("tab")
	s.Shows("Nothing was sent to this site from this machine yet.")
}

func TestScreenWithoutASiteOrAJournal(t *testing.T) {
	t.Parallel()
	s := open(t, operation.Site{}, 80, 19)
	s.Shows("There is no site.")
	p := newPlatform(t, uitest.Scenario(t, "healthy"))
	p.Memory.Journal = nil
	s = open(t, p.Site, 80, 19)
	s.Press("tab")
	s.Shows("Nothing is recorded here: geodeck runs without a journal.")
}

// What was kept of earlier frames is what would be drawn without them: at another width nothing is.
func TestAFrameIsTheSameWithoutThoseBeforeIt(t *testing.T) {
	t.Parallel()
	for _, width := range []int{80, 120} {
		s := running(t, worked(t), width, 35)
		next := func() { s.env.Times.Next() }
		later := func() { _ = s.env.Clock.Sleep(t.Context(), 3*time.Second) }
		press := func(keys string) func() { return func() { s.Press(keys) } }
		for i, step := range []func(){
			press("enter"), later, press("esc down"), next, press("enter"), press("down"), func() { s.freshen() }, next, press("esc rows.top enter"),
			func() { s.freshen() }, next, press("esc tab"), press("enter"), press("down"), next, press("esc / q q enter"), press("esc activity.json"),
		} {
			step()
			kept := s.Draw()
			s.Resize(width+1, 35)
			s.Draw()
			s.Resize(width, 35)
			if drawn := s.Draw(); drawn != kept {
				t.Fatalf("at %d, step %d, is kept\n%s\nand drawn\n%s", width, i, kept, drawn)
			}
		}
	}
}
