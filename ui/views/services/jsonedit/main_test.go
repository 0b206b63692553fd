package jsonedit_test

import (
	"os"
	"strings"
	"testing"

	"geodeck/adminapi/document"
	"geodeck/theme"
	"geodeck/ui/uitest"
	"geodeck/ui/views"
	"geodeck/ui/views/services/jsonedit"
)

func TestMain(m *testing.M) {
	uitest.SetUp()
	os.Exit(m.Run())
}

// screen is an editor under test.
type screen struct {
	part
	*uitest.Part
	t testing.TB
}

// part is an editor with the scope that its replies are addressed to.
type part struct {
	*jsonedit.Editor
	scope *views.Scope
}

func (p part) Replies() *views.Scope { return p.scope }

func openIn(t testing.TB, th *theme.Theme, width, height int, text string) *screen {
	t.Helper()
	scope := views.NewScope(t.Context())
	p := part{jsonedit.New(th, scope), scope}
	p.Known = func() document.Keys { // another map service of the site has these
		return document.Keys{"MapServer definition": {"x-note": "an object"}, "MapServer properties": {"floodLevel": "a number"}}
	}
	s := &screen{p, uitest.NewPart(t, p, width, height), t}
	s.set(text, text)
	return s
}

// set opens a text, to be compared with another.
func (s *screen) set(text, base string) {
	s.t.Helper()
	was := parse(s.t, base)
	now := was
	if text != base {
		now = parse(s.t, text)
	}
	s.Prepare(now, was)()
}

func open(t testing.TB, text string) *screen {
	t.Helper()
	return openIn(t, uitest.Theme(), 120, 35, text)
}

// definition is a definition as a site sends it.
func definition(t testing.TB) string {
	t.Helper()
	text, err := os.ReadFile("testdata/mapserver.json")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func parse(t testing.TB, text string) *document.Document {
	t.Helper()
	d, err := document.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func (s *screen) at(path document.Path) *screen {
	s.t.Helper()
	if !s.Go(path) || s.Path() != path {
		s.t.Fatalf("the cursor is on %q instead of %q", s.Path(), path)
	}
	return s
}

// is checks the document byte for byte.
func (s *screen) is(want string) {
	s.t.Helper()
	if got := s.Document().Text(); got != want {
		s.t.Errorf("the document is\n%s\ninstead of\n%s", got, want)
	}
}

// offers fails unless the footer has these keys.
func (s *screen) offers(want string) {
	s.t.Helper()
	var hints []string
	for _, h := range views.Footer(s.Commands(), s.Footer()...) {
		hints = append(hints, h.Label(false)+" "+h.Text)
	}
	if got := strings.Join(hints, ", "); !strings.Contains(got, want) {
		s.t.Errorf("the footer has %q, not %q", got, want)
	}
}
