package complete_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"geodeck/ui/uitest"
	"geodeck/ui/views"
	"geodeck/ui/widget/complete"
	"geodeck/ui/widget/rows"
)

func TestTabCompletesAsFarAsAllAgreeAndGoesOn(t *testing.T) {
	t.Parallel()
	words := views.Choices([]string{"größe-1", "größe-2", "pool", "pool-b", "zone"})
	for typed, want := range map[string][]string{
		"gr":   {"größe-", "größe-1", "größe-2", "größe-1"},
		"p":    {"pool", "pool"}, // whole: the next field follows
		"pool": {"pool"},
		"z":    {"zone", "zone"},
		"OL":   {"pool", "pool-b", "pool"},
		"ONE":  {"zone", "zone"},
		"x":    {"x"},
	} {
		l, text := complete.Words(func() []views.Choice { return words }), typed
		l.Typed(text)
		for i, want := range want {
			if text, _, _ = l.Tab(text); text != want {
				t.Errorf("%q: tab %d makes %q, not %q", typed, i+1, text, want)
			}
		}
	}
}

func TestPathsAreCompletedFromTheirFolder(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("HOME", folder)
	for _, name := range []string{"licence.json", "licence-old.json", "list.txt", ".hidden.json", "deep/er/x.json"} {
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for typed, want := range map[string][]string{
		"":            {"", "deep/", "licence-old.json", "licence.json"},
		"lic":         {"licence", "licence-old.json", "licence.json"},
		"licence.":    {"licence.json"},
		"de":          {"deep/"},
		"deep/":       {"deep/er/"},
		"~":           {"~/"},
		"~/de":        {"~/deep/"},
		"no/where":    {"no/where"},
		"nothing":     {"nothing"},
		".h":          {".hidden.json"},
		folder + "/l": {folder + "/licence", "licence-old.json", "licence.json"},
	} {
		l := complete.Files(folder, "json")
		l.Typed(typed)
		text, _, cmd := l.Tab(typed)
		if cmd != nil {
			text, _, _ = l.Listed(cmd().(complete.Listed), typed)
		}
		inks := rows.NewInks(uitest.Theme())
		got := []string{text}
		for _, line := range l.Lines(&inks, 40, 9) {
			got = append(got, strings.Trim(ansi.Strip(line), " ›"))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", typed, got, want)
		}
	}
}

func TestAnswersForAnotherTextAreDropped(t *testing.T) {
	t.Parallel()
	l, other := complete.Files(t.TempDir()), complete.Files(t.TempDir())
	_, _, cmd := l.Tab("a")
	late := cmd().(complete.Listed)
	_, _, cmd = l.Tab("a")
	now := cmd().(complete.Listed)
	if _, _, ok := l.Listed(late, "a"); ok {
		t.Error("an older answer counts")
	}
	if _, _, ok := l.Listed(now, "ab"); ok {
		t.Error("an answer for another text counts")
	}
	if _, _, ok := other.Listed(now, "a"); ok {
		t.Error("an answer for another line counts")
	}
	if _, _, ok := l.Listed(now, "a"); !ok {
		t.Error("the newest answer does not count")
	}
	if _, _, ok := l.Listed(now, "a"); ok {
		t.Error("one answer counts twice")
	}
}

func TestCandidatesAreBoundedAndCleaned(t *testing.T) {
	t.Parallel()
	l := complete.Words(func() []views.Choice {
		return append(views.Choices(strings.Split(strings.Repeat("a ", 20), " ")[:20]), views.Choice{Text: "b\x1b[31m" + strings.Repeat("w", 5000), Note: "n\x1b]0;\x07"})
	})
	inks := rows.NewInks(uitest.Theme())
	for _, typed := range []string{"", "b"} {
		l.Typed(typed)
		for height := range 9 {
			if lines := l.Lines(&inks, 40, height); len(lines) > height {
				t.Errorf("%d lines for %d", len(lines), height)
			}
		}
	}
	l.Choose(-1)
	for _, line := range l.Lines(&inks, 40, 7) {
		if strings.ContainsAny(ansi.Strip(line), "\x1b\x07") || len([]rune(ansi.Strip(line))) > 40 {
			t.Errorf("%q", line)
		}
	}
}
