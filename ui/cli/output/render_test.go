package output_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"geodeck/ui/cli/output"
)

// wideNames are names as people write them where letters are wide, combined, or go from right
// to left.
var wideNames = []string{
	"plain", "日本の地図", "한국어", "مدينة", "עיר", "e\u0301te\u0301", "नक्शा", "👩‍👩‍👧‍👦 family", "🇩🇪", "a\u0301\u0302\u0303\u0304",
	"mixed מפה 地図", strings.Repeat("地", 100), strings.Repeat("e\u0301", 100), "\u200dzero", "ﷺ",
}

func TestWideCombiningAndRightToLeftTextKeepsTheColumnsOfATable(t *testing.T) {
	t.Parallel()
	for _, width := range []int{0, 40, 80} {
		for _, middle := range []bool{false, true} {
			var out bytes.Buffer
			o := output.New(&out, &out, func(string) string { return "" }, t.Context)
			o.Renderer().Width = width
			var table [][]output.Cell
			for _, name := range wideNames {
				table = append(table, []output.Cell{{Text: name, Middle: middle}, {Text: "|second"}, {Text: name}})
			}
			if err := o.PrintTable([]string{"NAME", "|", "AGAIN"}, table); err != nil {
				t.Fatal(err)
			}
			var columns []int
			for line := range strings.Lines(out.String()) {
				before, _, found := strings.Cut(line, "|")
				if columns = append(columns, ansi.StringWidth(before)); !found || width > 0 && ansi.StringWidth(strings.TrimRight(line, "\n")) > width {
					t.Errorf("width %d: %q", width, line)
				}
			}
			if slices.Min(columns) != slices.Max(columns) || len(columns) != len(wideNames)+1 {
				t.Errorf("width %d: the second column begins at %v:\n%s", width, columns, out.String())
			}
		}
	}
}
