package main

import (
	"errors"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var root = filepath.Join("..", "..", "..")

func TestEveryGuardIsStillInTheProgram(t *testing.T) {
	t.Parallel()
	for _, g := range guards() {
		files, err := g.mutated(root)
		if err != nil {
			t.Errorf("%s: %v", g.holds, err)
			continue
		}
		for name, content := range files {
			if _, err := parser.ParseFile(token.NewFileSet(), name, content, parser.SkipObjectResolution); err != nil {
				t.Errorf("%s: the mutant cannot be parsed: %v", g.holds, err)
			}
		}
	}
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
	known := map[string]map[string]bool{}
	for _, g := range guards() {
		for _, j := range append([]judge{g.judge}, g.also...) {
			if known[j.pkg] == nil {
				known[j.pkg] = testsOf(t, j.pkg)
			}
			name, sub, _ := strings.Cut(j.tests, "/")
			for _, name := range strings.Split(name, "|") {
				if !known[j.pkg][name] {
					t.Errorf("%s: %s has no %s", g.holds, j.pkg, name)
				}
			}
			if strings.ContainsAny(sub, "|/") {
				t.Errorf("%s: a subtest is named alone: %s", g.holds, j.tests)
			}
		}
	}
}

// testsOf returns the names of the tests of a package.
func testsOf(t *testing.T, pkg string) map[string]bool {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(pkg), "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	declared := regexp.MustCompile(`(?m)^func (Test\w+)\(`)
	for _, path := range paths {
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range declared.FindAllSubmatch(content, -1) {
			names[string(m[1])] = true
		}
	}
	return names
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
		{"--- FAIL: TestB (0.00s)\n    --- FAIL: TestB/sub (0.00s)\nFAIL\n", failed, verdict{isCaught, "TestB"}},
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
