package bench_test

import (
	"fmt"
	"math"
	"os"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"geodeck/ui/uitest/bench"
)

// row is a line of the table of docs/performance.md. What stands beside our samples was
// measured once, by the same means; the page says on what.
type row struct {
	measure               string
	digits                int // behind the point
	before, lazygit, less string
	goal                  string
	samples               bench.Samples
}

const tableHead = `| measure | before | lazygit | less | goal | median | 95 % | largest | n |
|---|---|---|---|---|---|---|---|---|
`

func (r row) String() string {
	cells := []string{r.measure, r.before, r.lazygit, r.less, r.goal}
	for _, part := range []float64{0.5, 0.95, 1} {
		value := r.samples.Quantile(part)
		cell := strconv.FormatFloat(value, 'f', r.digits, 64)
		if math.IsNaN(value) || part != 0.5 && len(r.samples) == 1 {
			cell = ""
		}
		cells = append(cells, cell)
	}
	cells = append(cells, strconv.Itoa(len(r.samples)))
	return "| " + strings.Join(cells, " | ") + " |\n"
}

// table prints rows as they are measured, and keeps them for the page.
type table struct{ text strings.Builder }

func newTable() *table {
	t := new(table)
	t.print(tableHead)
	return t
}

func (t *table) print(text string) {
	fmt.Print(text)
	t.text.WriteString(text)
}

func (t *table) add(r row) { t.print(r.String()) }

// measured is the part of a page that is made from a table.
var measured = regexp.MustCompile(`(?s)(<!-- measured -->\n).*(<!-- end -->\n)`)

// rewrite puts the table and where it was measured into a page.
func (t *table) rewrite(name, machine string) error {
	page, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	if !measured.Match(page) {
		return fmt.Errorf("%s has no place for the table: %v", name, measured)
	}
	text := "\n" + t.text.String() + "\n" + machine + "\n\n"
	return os.WriteFile(name, measured.ReplaceAll(page, []byte("${1}"+strings.ReplaceAll(text, "$", "$$")+"${2}")), 0o644)
}

// machine says where and when it was measured, and how busy the machine was before.
func machine() string {
	about := fmt.Sprintf("Measured on %s, %s/%s, %d processors", time.Now().UTC().Format("2006-01-02"), runtime.GOOS, runtime.GOARCH, runtime.NumCPU())
	if info, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		if name := regexp.MustCompile(`(?m)^model name\s*: (.*)$`).FindSubmatch(info); name != nil {
			about += " (" + string(name[1]) + ")"
		}
	}
	load, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return about + "."
	}
	before := strings.Fields(string(load))[0]
	about += ", load average before: " + before + "."
	if busy, err := strconv.ParseFloat(before, 64); err == nil && busy >= 1 {
		about += " The machine was busy: the times are too long, the bytes are right."
	}
	return about
}

func TestARowOfTheTable(t *testing.T) {
	t.Parallel()
	r := row{measure: "bytes a move", before: "553", lazygit: "716", less: "115", goal: "120", samples: bench.Samples{3, 1, 2}}
	if got, want := r.String(), "| bytes a move | 553 | 716 | 115 | 120 | 2 | 3 | 3 | 3 |\n"; got != want {
		t.Errorf("%q is not %q", got, want)
	}
	r = row{measure: "start, ms", digits: 1, samples: bench.Samples{12.345}}
	if got, want := r.String(), "| start, ms |  |  |  |  | 12.3 |  |  | 1 |\n"; got != want {
		t.Errorf("%q is not %q", got, want)
	}
}

func TestThePageHasAPlaceForTheTable(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../../docs/performance.md")
	if err != nil {
		t.Fatal(err)
	}
	copied := t.TempDir() + "/page.md"
	if err := os.WriteFile(copied, page, 0o600); err != nil {
		t.Fatal(err)
	}
	table := new(table)
	table.text.WriteString("a table that costs $1\n")
	if err := table.rewrite(copied, "a machine"); err != nil {
		t.Fatal(err)
	}
	rewritten, err := os.ReadFile(copied)
	if err != nil {
		t.Fatal(err)
	}
	before, _, _ := strings.Cut(string(page), "<!-- measured -->\n")
	_, after, _ := strings.Cut(string(page), "<!-- end -->\n")
	if want := before + "<!-- measured -->\n\na table that costs $1\n\na machine\n\n<!-- end -->\n" + after; string(rewritten) != want {
		t.Errorf("the page is\n%s", rewritten)
	}
}
