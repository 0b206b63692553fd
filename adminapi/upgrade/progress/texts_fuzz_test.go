package progress_test

import (
	"testing"
	"unicode/utf8"

	"geodeck/adminapi"
	"geodeck/adminapi/plain"
	"geodeck/adminapi/upgrade/progress"
)

// FuzzTexts reads whatever a server may write. What is found is within its limits,
// and a page about it is clean.
func FuzzTexts(f *testing.F) {
	for _, text := range []string{
		"23 of 41 deployments are upgraded, after 1 h 2 min 3 s.", "41 von 47", "47件中41件", "٤١ من ٤٧", "1.234/5.678", "PT1H2M3S", "01:02:03",
		"from 11.5.0.6835 to 12.0.0.7286", "2026-11-20T14:03:05Z", `{"stores":[{"a":{"b":[1,null]}},{"c":"\ud800"}]}`, `x [1] {"a":{"b":1}}.`,
		"99999999999999999999999 of 1e400", "1-2-3/4", "\xff1\xfe/2", "1\u202f234", "5'000'00",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if done, total, ok := progress.CountIn(text); ok && (done < 0 || done > total || total <= 0) || !ok && total != 0 {
			t.Errorf("%d of %d, %v", done, total, ok)
		}
		if d, ok := progress.DurationIn(text); d < 0 || !ok && d != 0 {
			t.Errorf("%v, %v", d, ok)
		}
		if from, to := progress.VersionsIn(text); (from == "") != (to == "") || !isVersion(from) || !isVersion(to) {
			t.Errorf("%q, %q", from, to)
		}
		table, _ := progress.TableIn(text)
		for _, row := range table.Rows {
			if len(row) != len(table.Columns) {
				t.Errorf("%d cells in %d columns", len(row), len(table.Columns))
			}
		}
		m := progress.NewMerger(progress.LogBudget)
		for i, code := range []int{2010, 2101, 2101, 2103, 2175, 2153, 7, 2011} {
			m.Merge([]adminapi.UpgradeMessage{{Code: code, Message: text, When: at(i)}})
		}
		page := summaryOf(m.Log(), progress.StateFailed, progress.Usual{})
		if !utf8.ValidString(page) || len(text) < plain.MaxLine/4 && page != plain.Text(page) {
			t.Errorf("%.300q", page)
		}
	})
}

func isVersion(text string) bool {
	for _, r := range text {
		if r != '.' && (r < '0' || r > '9') {
			return false
		}
	}
	return true
}
