package services_test

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"geodeck/adminapi"
	"geodeck/ui/uitest"
)

// renaming gives a service of the site another name, in what is sent and what is answered.
type renaming struct {
	http.RoundTripper
	was, is string
}

func (r renaming) RoundTrip(q *http.Request) (*http.Response, error) {
	q = q.Clone(q.Context())
	q.URL.Path = strings.ReplaceAll(q.URL.Path, r.is, r.was)
	q.URL.RawPath = ""
	if q.Body != nil {
		text, err := io.ReadAll(q.Body)
		if err != nil {
			return nil, err
		}
		text = bytes.ReplaceAll(text, []byte(r.is), []byte(r.was))
		q.Body, q.ContentLength = io.NopCloser(bytes.NewReader(text)), int64(len(text))
	}
	answer, err := r.RoundTripper.RoundTrip(q)
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(answer.Body)
	_ = answer.Body.Close()
	text = bytes.ReplaceAll(text, []byte(r.was), []byte(r.is))
	answer.Body, answer.ContentLength = io.NopCloser(bytes.NewReader(text)), int64(len(text))
	answer.Header.Del("Content-Length")
	return answer, err
}

// openNamed shows the view on a site whose sample service has another name.
func openNamed(t *testing.T, name string, size uitest.Size) *screen {
	t.Helper()
	sim := uitest.NewSite(t, uitest.Scenario(t, "healthy"))
	site, wire := sim.Counted(t)
	transport, err := adminapi.NewTransport(adminapi.TLS{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(transport.CloseIdleConnections)
	site.Client, err = adminapi.New(adminapi.Config{
		Base: sim.Server.URL(), Clock: sim.Steps, Token: site.Client.Session.Token(),
		Transport: renaming{transport, "CityBuildings_26", name},
	})
	if err != nil {
		t.Fatal(err)
	}
	return openOn(t, &screen{t: t, site: site, wire: wire}, size)
}

// A name of 253 characters hides neither the state nor the change beside it; both its ends tell
// it from others, and the question before it is stopped has it whole.
func TestAServiceWithAVeryLongNameIsToldFromOthers(t *testing.T) {
	t.Parallel()
	long := "CityBuild" + strings.Repeat("n", 241) + "_26"
	for _, size := range []uitest.Size{uitest.Sizes[0], uitest.Sizes[2]} {
		t.Run(size.Name, func(t *testing.T) {
			t.Parallel()
			s := openNamed(t, long, size)
			row := func(texts ...string) {
				t.Helper()
				line := s.Line("CityBuildnnn")
				for _, text := range texts {
					if !strings.Contains(line, text) {
						t.Errorf("%q is not in the row %q", text, line)
					}
				}
			}
			row("nnn_26 ", "MapServer", "✓ started")
			s.Press("down")
			question := s.Dialog(s.Press("services.switch"), size.Width, size.Height)
			if whole := strings.Join(strings.Fields(question), ""); !strings.Contains(whole, "Stop"+long+".MapServerat") || !strings.Contains(question, "Type stop and enter") {
				t.Errorf("the question is\n%s", question)
			}
			s.Press("rows.top space space space rows.top enter")
			s.set("maxUsageTime", "700")
			s.Press("services.write services.many")
			row("nnn_26.MapServer", "600 → 700")
			up := s.Press("services.send")
			s.Asks(up, "CityBuildnnn", "nnn_26.MapServer", "600 → 700", "Each current definition is saved in History first.")
			s.Answer(up, "y")
			row("✓ done, started", "nnn_26.MapServer")
		})
	}
}

// Letters that are wide, combined, or go from right to left take the cells that they take, and
// what stands beside them stays in its column.
func TestWideCombiningAndRightToLeftNamesKeepTheColumnsOfTheList(t *testing.T) {
	t.Parallel()
	column := func(s *screen, of string) int {
		before, _, found := strings.Cut(s.Line(of), "MapServer")
		if !found {
			t.Fatalf("no type beside %q:\n%s", of, s.Draw())
		}
		return ansi.StringWidth(before)
	}
	for _, name := range []string{"日本の地図", "مدينة", "עיר", "e\u0301te\u0301", "नक्शा", "mixed מפה 地図", "Été_" + strings.Repeat("地", 60)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := openNamed(t, name, uitest.Sizes[0])
			first, _, _ := strings.Cut(name, "地地")
			if named, other := column(s, first), column(s, "SampleWorldCities"); named != other {
				t.Errorf("the type of %q begins at %d, that of others at %d:\n%s", name, named, other, s.Draw())
			}
			s.Invoke("services.open", name+".MapServer")
			s.Shows(first, "Definition")
		})
	}
}
