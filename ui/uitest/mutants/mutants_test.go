package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

var root = filepath.Join("..", "..", "..")

var program = sync.OnceValues(func() (*module, error) { return readModule(root) })

func parsed(t *testing.T) *module {
	t.Helper()
	m, err := program()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestEveryGuardIsStillInTheProgram(t *testing.T) {
	t.Parallel()
	m := parsed(t)
	for _, g := range guards() {
		if _, err := g.cuts.mutated(m); err != nil {
			t.Errorf("%s: %v", g.holds, err)
		}
	}
}

const sample = `package sample

import "errors"

const limit = 3

func send(text string, sent *int) (bool, error) {
	if text == "" {
		return false, errors.New("no text")
	}
	if n := len(text); n > limit && *sent > limit {
		record(text)
		return false, errors.New("too long")
	}
	text = masked(text, 1)
	record(text)
	return options{Text: text, Sent: limit}.ok(), nil
}
`

func TestACutChangesItsPieceAndNothingElse(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		cut      cut
		old, now string
	}{
		{never("send", "n"), `n > limit &&`, `(false && (n > limit)) &&`},
		{always("send", "n sent"), `n > limit && *sent > limit`, `(true || (n > limit && *sent > limit))`},
		{onlyIf("send", "sent", "n < 9"), `*sent > limit`, `((n < 9) && (*sent > limit))`},
		{drop("send", "record len"), "\t\trecord(text)\n", "\t\tif false { record(text) }\n"},
		{drop("send", "masked"), "text = masked(text, 1)", "if false { text = masked(text, 1) }"},
		{then("send", "masked", "text += text"), "masked(text, 1)\n", "masked(text, 1); text += text\n"},
		{returns("send", "len", "nil"), `return false, errors.New("too long")`, `if false { return false, errors.New("too long") }; return false, nil`},
		{omit("send", "Sent"), `, Sent: limit`, ``},
		{argument("send", "masked"), `masked(text, 1)`, `text`},
		{receiver("send", "ok"), `options{Text: text, Sent: limit}.ok()`, `options{Text: text, Sent: limit}`},
		{becomes("send", "len", "9"), `len(text)`, `9`},
		{swap("send", "limit Sent", "0"), `Sent: limit`, `Sent: 0`},
		{swap("send", "long", "short"), `too long`, `too short`},
		{set("send", "Sent", "0"), `Sent: limit`, `Sent: 0`},
		{set("send", "masked", "2"), `masked(text, 1)`, `masked(text, 2)`},
		{set("limit", "limit", "4"), `limit = 3`, `limit = 4`},
		{drop("send", "record").nth(2), "1)\n\trecord(text)\n", "1)\n\tif false { record(text) }\n"},
	} {
		got, err := mutant{c.cut}.mutated(sampled(t))
		if want := strings.Replace(sample, c.old, c.now, 1); err != nil || string(got["sample.go"]) != want {
			t.Errorf("%s: %v\n%s\nwant\n%s", c.cut, err, got["sample.go"], want)
		}
	}
}

func TestAnImportThatAMutantDoesNotUseIsBlank(t *testing.T) {
	t.Parallel()
	got, err := mutant{becomes("send", "New text", "nil").nth(1), becomes("send", "New len", "nil")}.mutated(sampled(t))
	if err != nil || !strings.Contains(string(got["sample.go"]), "import _ \"errors\"") {
		t.Errorf("%v\n%s", err, got["sample.go"])
	}
}

func TestACutThatDoesNotFindOnePieceSaysWhatItFound(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		cut  cut
		want string
	}{
		{never("sent", "n"), "never in sent: n: the program has 0 functions, values or types of that name, not one; there is one in\n\tsend"},
		{never("send", "m"), "never in send: m: send has no such piece"},
		{set("send", "limit", "4"), "set in send: limit -> 4: send has no such piece; there is one in\n\tlimit"},
		{drop("send", "record"), "drop in send: record: send has 2 such pieces, not one" +
			"\n\tsample.go:12:3: record(text)\n\tsample.go:16:2: record(text)"},
	} {
		if _, err := c.cut.edits(sampled(t)); err == nil || err.Error() != c.want {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}

// sampled is a module of one file.
func sampled(t *testing.T) *module {
	t.Helper()
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "sample.go"), []byte(sample), 0o600); err != nil {
		t.Fatal(err)
	}
	m, err := readModule(folder)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestNoTwoGuardsHaveOneName(t *testing.T) {
	t.Parallel()
	known := map[string]bool{}
	for _, g := range guards() {
		if known[g.holds] || g.holds == "" {
			t.Errorf("the name is taken or empty: %q", g.holds)
		}
		known[g.holds] = true
	}
}

func TestEveryGuardNamesTestsThatExist(t *testing.T) {
	t.Parallel()
	m := parsed(t)
	for _, g := range guards() {
		if _, err := g.packages(m); err != nil {
			t.Errorf("%s: %v", g.holds, err)
		}
		_, script, _ := strings.Cut(g.tests, "/")
		if _, err := os.Stat(filepath.Join(root, "testdata", "script", script+".txtar")); script != "" && err != nil {
			t.Errorf("%s: %s is no script: %v", g.holds, g.tests, err)
		}
	}
}

func TestWhatTheGoCommandPrintsIsJudged(t *testing.T) {
	t.Parallel()
	failed := errors.Join(new(exec.ExitError))
	g := guarded("a promise", "TestA|TestB")
	for _, c := range []struct {
		output string
		err    error
		want   verdict
	}{
		{"ok  \tgeodeck/adminapi\t0.1s\n", nil, verdict{isNotCaught, "passed TestA|TestB"}},
		{"--- FAIL: TestB (0.00s)\n    --- FAIL: TestB/sub (0.00s)\nFAIL\n", failed, verdict{isCaught, "TestB/sub"}},
		{"panic: test timed out after 2m0s\n\trunning tests:\n\t\tTestA (2m0s)\n", failed, verdict{isCaught, "TestA, which does not end"}},
		{"panic: runtime error: index out of range\n", failed, verdict{isCaught, "panic: runtime error: index out of range"}},
		{"FAIL\tgeodeck/adminapi [build failed]\n", failed, verdict{isWrong, "it does not compile\nFAIL\tgeodeck/adminapi [build failed]\n"}},
		{"ok  \tgeodeck/adminapi\t0.1s [no tests to run]\n", nil, verdict{isWrong, "there is no test TestA|TestB"}},
	} {
		if got := g.read(c.output, c.err); got != c.want {
			t.Errorf("%q: %v, want %v", c.output, got, c.want)
		}
	}
}
