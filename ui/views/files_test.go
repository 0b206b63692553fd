package views_test

import (
	"strings"
	"testing"

	"geodeck/ui/views"
)

func TestPathsAsPeopleTypeThem(t *testing.T) {
	t.Setenv("HOME", "/home/somebody")
	for typed, want := range map[string]string{
		" ~/a.json ": "/home/somebody/a.json", "b/../c.json": "/here/c.json", "/d.json": "/d.json", "~": "/home/somebody",
	} {
		if got, err := views.ResolvePath(typed, "/here"); err != nil || got != want {
			t.Errorf("%q: %q, error %v; want %q", typed, got, err, want)
		}
	}
}

func TestATextOfTheSiteBecomesASafeFileName(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"12.0.0-beta_1": "12.0.0-beta_1", "../a b/c\x1b": "_a_b_c_", "..": "", "../../x": "_.._x", "CON": "CON", "a\nb\x00\u202e": "a_b__",
		"Bäume": "B_ume", strings.Repeat("n", 300): strings.Repeat("n", 100),
	} {
		if got := views.FileSafe(text); got != want {
			t.Errorf("%q became %q, not %q", text, got, want)
		}
	}
}
