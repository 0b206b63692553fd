package diff_test

import (
	"os"
	"testing"

	"geodeck/adminapi/document"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/simulator/simtest"
	"geodeck/theme"
	"geodeck/ui/uitest"
	"geodeck/ui/views"
	"geodeck/ui/widget/diff"
)

func TestMain(m *testing.M) {
	uitest.SetUp()
	os.Exit(m.Run())
}

// screen is a review under test.
type screen struct {
	*diff.Review
	*uitest.Part
	clock *simtest.SteppedClock
}

// part is the review with what its replies are addressed to.
type part struct {
	*diff.Review
	replies *views.Scope
}

func (p part) Replies() *views.Scope { return p.replies }

func openIn(t testing.TB, th *theme.Theme, width, height int, plans ...document.Review) *screen {
	t.Helper()
	clock := simtest.NewSteppedClock(uitest.Start)
	base := views.NewBase(uitest.Env(t, operation.Site{Clock: clock}, th))
	r := diff.NewAsking(base)
	s := &screen{r, uitest.NewPart(t, part{r, base.Scope}, width, height), clock}
	s.Set(plans...)
	return s
}

func open(t testing.TB, plans ...document.Review) *screen {
	t.Helper()
	return openIn(t, uitest.Theme(), 120, 35, plans...)
}

// parse reads a document of a test.
func parse(t testing.TB, text string) *document.Document {
	t.Helper()
	d, err := document.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// planOf compares two texts as an edit does.
func planOf(t testing.TB, before, after string) document.Review {
	t.Helper()
	base, edited := parse(t, before), parse(t, after)
	changes := document.Diff(base, edited)
	return document.Review{
		Changes: changes, Risks: document.Risks(changes, edited), Findings: document.Check(edited, base),
	}
}
