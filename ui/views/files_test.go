package views_test

import (
	"os"
	"path/filepath"
	"slices"
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

func TestPathsAreCompletedAsFarAsFilesAllow(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	for _, name := range []string{"licence.json", "licence-old.json", "list.txt", "größe-1.json", "größe-2.json", ".hidden.json"} {
		if err := os.WriteFile(filepath.Join(folder, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(filepath.Join(folder, "deep", "er"), 0o700); err != nil {
		t.Fatal(err)
	}
	for typed, want := range map[string][]string{
		"":            {"", "deep/", "größe-1.json", "größe-2.json", "licence-old.json", "licence.json"},
		"lic":         {"licence", "licence-old.json", "licence.json"},
		"licence.":    {"licence.json", "licence.json"},
		"li":          {"licence", "licence-old.json", "licence.json"}, // the text does not fit
		"g":           {"größe-", "größe-1.json", "größe-2.json"},
		"de":          {"deep/", "deep/"},
		"deep/":       {"deep/er/", "er/"},
		"no/where":    {"no/where"},
		"nothing":     {"nothing"},
		".h":          {".hidden.json", ".hidden.json"},
		folder + "/l": {folder + "/licence", "licence-old.json", "licence.json"},
	} {
		text, choices := views.CompletePath(typed, folder, []string{"json"})
		if got := append([]string{text}, choices...); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", typed, got, want)
		}
	}
}

func TestATextBecomesTheNameOfAFile(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"12.0.0-beta_1": "12.0.0-beta_1", "../a b/c\x1b": "_a_b_c_", "..": ""} {
		if got := views.FileSafe(text); got != want {
			t.Errorf("%q became %q, not %q", text, got, want)
		}
	}
}
