package health_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"geodeck/adminapi/operation"
	"geodeck/ui/uitest"
	"geodeck/ui/widget/rows"
)

// bigReport writes a report of n tests into a folder.
func bigReport(t testing.TB, folder string, n int) string {
	t.Helper()
	var b bytes.Buffer
	b.WriteString(`{"id":"big","name":"big","result":"failed","state":"completed","startTime":1795183500000,"endTime":1795183600000,` +
		`"suiteStatus":[{"id":"S","name":"Suite","result":"failed","state":"completed","startTime":1795183500000,"endTime":1795183600000,"criticalTestStatus":[],"generalTestStatus":[`)
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		result := "pass"
		if i%1000 == 7 {
			result = "fail"
		}
		fmt.Fprintf(&b, `{"id":"HC_%06d","name":"test_number_%06d","description":"Looks at part %d of the site","severity":"general","result":%q,"state":"completed","startTime":1795183500000,"endTime":%d}`,
			i, i, i, result, 1795183500000+i)
	}
	b.WriteString(`]}]}`)
	return writeReport(t, folder, "big.json", b.String())
}

// writeReport writes a report into a folder.
func writeReport(t testing.TB, folder, name, text string) (path string) {
	t.Helper()
	path = filepath.Join(folder, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func bigScreen(b testing.TB, n int) (*screen, string) {
	s := openIn(b, uitest.Env(b, operation.Site{}, uitest.Theme()), 120, 35)
	return s, bigReport(b, s.env.Folder, n)
}

func BenchmarkFrameOfTheTree(b *testing.B) {
	for _, n := range []int{13, 100_000} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			s, path := bigScreen(b, n)
			s.Invoke("health.open", path)
			s.Press("enter")
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				if i%n == n-1 {
					s.Do(rows.Top, "")
				}
				s.Do(rows.Down, "")
				_ = s.View()
			}
		})
	}
}

func BenchmarkOpenAReportOf100000Tests(b *testing.B) {
	s, path := bigScreen(b, 100_000)
	for b.Loop() {
		s.Invoke("health.open", path)
		_ = s.View()
	}
}

// BenchmarkScrollAReportOf100000Tests goes page by page, to the end and back to the top.
func BenchmarkScrollAReportOf100000Tests(b *testing.B) {
	s, path := bigScreen(b, 100_000)
	s.Invoke("health.open", path)
	s.Press("enter")
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		switch i % 1000 {
		case 998:
			s.Do(rows.Bottom, "")
		case 999:
			s.Do(rows.Top, "")
		default:
			s.Do(rows.PageDown, "")
		}
		_ = s.View()
	}
}

// BenchmarkFilterKeyInAReportOf100000Tests types a filter, a key and a frame at a time.
func BenchmarkFilterKeyInAReportOf100000Tests(b *testing.B) {
	s, path := bigScreen(b, 100_000)
	s.Invoke("health.open", path)
	s.Press("enter /")
	const text = "number_0990"
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		s.Type(text[i%len(text) : i%len(text)+1])
		_ = s.View()
		if i%len(text) == len(text)-1 {
			s.Press("ctrl+u")
		}
	}
}

func TestAReportOf100000TestsIsShownRight(t *testing.T) {
	t.Parallel()
	s, path := bigScreen(t, 100_000)
	s.Invoke("health.open", path)
	s.Shows("99900 of 100000 passed, 100 failed")
	s.Press("enter")
	s.Shows("test_number_000007", "test_number_014007") // what has failed comes first
	s.Hides("test_number_000006")
	s.fits(t)

	s.Press("rows.bottom") // the last of those that passed
	s.Shows("test_number_099999", "Looks at part 99999", "1 min 39 s")
	s.Hides("test_number_050007")
	s.fits(t)

	s.Press("rows.top health.failed rows.bottom") // the last of those that did not
	s.Shows("not passed", "test_number_099007")
	s.Hides("test_number_099999")
	s.fits(t)

	s.Press("health.failed rows.top rows.filter")
	s.Type("number_0990")
	s.Shows("/number_0990", "100 of 100000", "test_number_099000")
	s.Press("enter rows.bottom")
	s.Shows("test_number_099099", "Looks at part 99099")
	s.Hides("test_number_050007", "test_number_099100")
	s.fits(t)

	s.Press("esc rows.bottom")
	s.Shows("test_number_099999")
	s.Press("rows.top")
	s.numbersAreWholeOrLeftOut(t)
}

// numbersAreWholeOrLeftOut checks the counts of the report at several widths.
func (s *screen) numbersAreWholeOrLeftOut(t *testing.T) {
	t.Helper()
	for _, width := range []int{60, 80, 100, 120, 160, 200} {
		s.Resize(width, 35)
		v := s.Draw()
		for _, cut := range []string{"10000…", "1000…", "9990…", "of …", "100000 o…"} {
			if strings.Contains(v, cut) {
				t.Errorf("at %d a number is cut: %q\n%s", width, cut, v)
			}
		}
		if !strings.Contains(v, "99.9k of 100k") && !strings.Contains(v, "99900 of 100000") {
			t.Errorf("at %d there is no count", width)
		}
	}
}

// fits fails where the view is not of the size that it was given, or not harmless.
func (s *screen) fits(t *testing.T) {
	t.Helper()
	uitest.Fits(t, s.View(), 120, 35)
	uitest.Harmless(t, s.View())
}
