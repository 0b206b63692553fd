package activity_test

import (
	"testing"

	"geodeck/adminapi/operation"
	"geodeck/ui/uitest"
)

func TestAKeyThatDoesNothingSaysWhy(t *testing.T) {
	t.Parallel()
	work := func(t testing.TB) *screen { return open(t, worked(t).Site, 120, 35) }
	none := func(t testing.TB) *screen { return open(t, operation.Site{}, 120, 35) }
	other := func(t testing.TB) *screen {
		p := newPlatform(t, uitest.Scenario(t, "healthy"))
		p.record(t, "change something", "/ctx/admin/other", 1)
		return open(t, p.Site, 120, 35)
	}
	for _, c := range []struct {
		state    string
		open     func(testing.TB) *screen
		way      string
		keys     string // each alone
		sentence string
	}{
		{"no site", none, "", "R f5", "No site to read from."},
		{"no site", none, "", "enter activity.json activity.copy activity.copy-text", "No job is selected."},
		{"no record", none, "tab", "enter activity.json activity.copy activity.copy-text", "No record is selected."},
		{"a filter that finds no job", work, "rows.filter q q q enter", "enter activity.json activity.copy activity.copy-text", "No job is selected."},
		{"a filter that finds no record", work, "tab rows.filter q q q enter", "enter activity.json activity.copy activity.copy-text", "No record is selected."},
		{"a record that is about nothing here", other, "tab enter", "enter", "No view shows what this is about."},
	} {
		s := c.open(t)
		s.Press(c.way)
		s.Refuses(c.state, c.keys, c.sentence)
	}
}

func TestANameThatDoesNothingSaysWhy(t *testing.T) {
	t.Parallel()
	s := open(t, operation.Site{}, 120, 35)
	for id, sentence := range map[string]string{
		"activity.verify": "Nothing is recorded here: geodeck runs without a journal.",
		"activity.go":     "No job is selected.",
	} {
		if text := uitest.NoticeText(t, s.Invoke(id, "")); text != sentence {
			t.Errorf("%s says %q", id, text)
		}
	}
}
