package main

import (
	"errors"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

var root = filepath.Join("..", "..", "..")

func TestEveryGuardIsStillInTheProgram(t *testing.T) {
	t.Parallel()
	for _, g := range guards() {
		if _, err := g.mutated(root); err != nil {
			t.Errorf("%s: %v", g.holds, err)
			continue
		}
		for _, c := range g.cuts {
			if err := c.parse(); err != nil {
				t.Errorf("%s: the mutant cannot be parsed: %v", g.holds, err)
			}
		}
	}
}

// parse parses the declarations that a cut changes: the whole file takes ten times as long.
func (c cut) parse() error {
	before, after, err := c.around(root)
	if err != nil {
		return err
	}
	_, err = parser.ParseFile(token.NewFileSet(), c.file, "package p\n"+before+c.with+after, parser.SkipObjectResolution)
	return err
}

// around returns what stands before and behind the text in its declarations.
func (c cut) around(root string) (before, after string, err error) {
	content, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(c.file)))
	if err != nil {
		return "", "", err
	}
	before, after, _ = strings.Cut(string(content), c.text)
	from, to := 0, len(after)
	for _, word := range []string{"\nfunc ", "\ntype ", "\nvar ", "\nconst ", "\nimport "} {
		from = max(from, strings.LastIndex(before, word))
		if end := strings.Index(after, word); end >= 0 {
			to = min(to, end)
		}
	}
	return before[from:], after[:to], nil
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

func TestEveryJudgeNamesTestsThatExist(t *testing.T) {
	t.Parallel()
	tests := map[string]string{}
	for _, g := range guards() {
		for _, j := range append([]judge{g.judge}, g.also...) {
			if tests[j.pkg] == "" {
				tests[j.pkg] = testsOf(t, j.pkg)
			}
			names, sub, _ := strings.Cut(j.tests, "/")
			for name := range strings.SplitSeq(names, "|") {
				if !strings.Contains(tests[j.pkg], "\nfunc "+name+"(") {
					t.Errorf("%s: %s has no %s", g.holds, j.pkg, name)
				}
			}
			if _, err := os.Stat(filepath.Join(root, "testdata", "script", sub+".txtar")); sub != "" && err != nil {
				t.Errorf("%s: %s is no script: %v", g.holds, j.tests, err)
			}
		}
	}
}

// testsOf returns the source of the tests of a package.
func testsOf(t *testing.T, pkg string) string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(pkg), "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, path := range paths {
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(content)
	}
	return all.String()
}

func TestWhatTheGoCommandPrintsIsJudged(t *testing.T) {
	t.Parallel()
	failed := errors.Join(new(exec.ExitError))
	j := judge{"adminapi", "TestA|TestB"}
	for _, c := range []struct {
		output string
		err    error
		want   verdict
	}{
		{"ok  \tgeodeck/adminapi\t0.1s\n", nil, verdict{isNotCaught, "passed TestA|TestB in adminapi"}},
		{"--- FAIL: TestB (0.00s)\n    --- FAIL: TestB/sub (0.00s)\nFAIL\n", failed, verdict{isCaught, "TestB/sub"}},
		{"panic: test timed out after 2m0s\n\trunning tests:\n\t\tTestA (2m0s)\n", failed, verdict{isCaught, "TestA, which does not end"}},
		{"panic: runtime error: index out of range\n", failed, verdict{isCaught, "the tests of adminapi: panic: runtime error: index out of range"}},
		{"FAIL\tgeodeck/adminapi [build failed]\n", failed, verdict{isWrong, "it does not compile\nFAIL\tgeodeck/adminapi [build failed]\n"}},
		{"ok  \tgeodeck/adminapi\t0.1s [no tests to run]\n", nil, verdict{isWrong, "there is no test TestA|TestB in adminapi"}},
	} {
		if got := j.read(c.output, c.err); got != c.want {
			t.Errorf("%q: %v, want %v", c.output, got, c.want)
		}
	}
}
