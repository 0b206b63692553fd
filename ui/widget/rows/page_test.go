package rows_test

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"geodeck/ui/uitest"
	"geodeck/ui/widget/rows"
)

func TestAPageCleansAndWrapsWhatIsForeign(t *testing.T) {
	t.Parallel()
	inks := rows.NewInks(uitest.Theme())
	p := &rows.Page{Inks: &inks, Width: 40}
	hostile := "\x1b[2Jone two three four five six seven eight nine ten\x07 \u202eeleven"
	p.Heading(hostile)
	p.Text(inks.Plain, hostile)
	p.Fact("Name", hostile)
	p.Fact("A name that is longer than its column", hostile)
	p.Fact("Empty", "")
	p.Signed("!", inks.Warn, hostile)
	p.Key("R", "refresh now")
	for _, line := range p.Lines {
		if ansi.StringWidth(line) > 40 {
			t.Errorf("%q does not fit", line)
		}
	}
	whole := strings.Join(p.Lines, "\n")
	uitest.Harmless(t, whole)
	if strings.Contains(whole, "Empty") || !strings.Contains(whole, "Name           one two") || strings.Count(whole, "! ") != 1 {
		t.Errorf("the page:\n%s", whole)
	}
}

func TestPanesFillTheirCellsAtEveryHeight(t *testing.T) {
	t.Parallel()
	inks := rows.NewInks(uitest.Theme())
	for height := 1; height < 5; height++ {
		body := strings.TrimSuffix(strings.Repeat("below\n", max(0, height-2)), "\n")
		pane := inks.Headed(5, height, body, "a long head", "")
		uitest.Fits(t, pane, 5, height)
		uitest.Fits(t, inks.Abreast(height, "", pane, "", pane), 5+3+5+2, height)
	}
	if got := inks.Abreast(2, "ab\ncd", "", "ef\ngh"); got != " ab │ ef \n cd │ gh " {
		t.Errorf("two panes are %q", got)
	}
}

// An id is whole even where the column of values is narrower.
func TestAPageBreaksNoWordThatFitsALine(t *testing.T) {
	t.Parallel()
	inks := rows.NewInks(uitest.Theme())
	p := &rows.Page{Inks: &inks, Width: 35}
	p.Fact("Deployment", "shared iqszeqagcu27jztyox0rr, with others")
	p.Fact("Type", "MapServer")
	if got := ansi.Strip(strings.Join(p.Lines, "\n")); !strings.Contains(got, "iqszeqagcu27jztyox0rr,") || !strings.Contains(got, "Type           MapServer") {
		t.Errorf("the page:\n%s", got)
	}
}
