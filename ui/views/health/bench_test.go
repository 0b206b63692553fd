package health_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"geodeck/adminapi/operation"
	"geodeck/ui/views/uitest"
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
	path := filepath.Join(folder, "big.json")
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
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
			s.Call("health.open", path)
			s.Press("enter")
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				if i%n == n-1 {
					s.Do("rows.top", "")
				}
				s.Do("rows.down", "")
				_ = s.View()
			}
		})
	}
}

func BenchmarkOpenAReportOf100000Tests(b *testing.B) {
	s, path := bigScreen(b, 100_000)
	for b.Loop() {
		s.Call("health.open", path)
		_ = s.View()
	}
}

func TestAReportOf100000TestsIsReadToItsEnd(t *testing.T) {
	s, path := bigScreen(t, 100_000)
	s.Call("health.open", path)
	s.Shows("99900 of 100000 passed, 100 failed")
	s.Press("enter G")
	s.Shows("test_number_099999")
	s.Press("f")
	s.Shows("failed")
}
