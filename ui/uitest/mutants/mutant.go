package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// guard is a piece of the program that keeps a promise.
type guard struct {
	holds string // what it holds, as a sentence
	tests string // that have to fail without it, with | between them; or a script of the root, such as TestCommands/health
	cuts  mutant // what takes it out; the second where another guard catches what the first lets through
}

// guarded is a line of the list.
func guarded(holds, tests string, cuts ...cut) guard { return guard{holds, tests, cuts} }

// pattern is what the flag -run takes.
func (g guard) pattern() string {
	if name, sub, ok := strings.Cut(g.tests, "/"); ok {
		return "^" + name + "$/^" + sub + "$"
	}
	return "^(" + g.tests + ")$"
}

// packages returns the folders that have the tests: one each, mostly.
func (g guard) packages(m *module) (folders []string, err error) {
	names, _, _ := strings.Cut(g.tests, "/")
	for name := range strings.SplitSeq(names, "|") {
		if len(m.tests[name]) == 0 {
			return nil, fmt.Errorf("no package has a test %s", name)
		}
		for _, folder := range m.tests[name] {
			if !slices.Contains(folders, folder) {
				folders = append(folders, folder)
			}
		}
	}
	return folders, nil
}

// mutant is the program with cuts.
type mutant []cut

// mutated returns the files that the cuts change, by their names.
func (cuts mutant) mutated(m *module) (map[string][]byte, error) {
	edits := map[*source][]edit{}
	for _, c := range cuts {
		more, err := c.edits(m)
		if err != nil {
			return nil, err
		}
		edits[more[0].file] = append(edits[more[0].file], more...)
	}
	files := map[string][]byte{}
	for file, all := range edits {
		text, err := apply(file, all)
		if err != nil {
			return nil, err
		}
		files[file.name] = text
	}
	return files, nil
}

// kind is the result of a trial.
type kind string

const (
	isCaught    kind = "caught"
	isNotCaught kind = "NOT CAUGHT"
	isWrong     kind = "WRONG ENTRY" // of the table: it does not compile, or names no test
)

// verdict is what the trial of a guard has shown.
type verdict struct {
	kind kind
	why  string // the test that failed, or those that did not
}

// try builds the mutant of a guard in a folder and runs its tests.
func (g guard) try(ctx context.Context, m *module, folder string) verdict {
	overlay, err := g.cuts.overlay(m, folder)
	if err != nil {
		return verdict{isWrong, err.Error()}
	}
	packages, err := g.packages(m)
	if err != nil {
		return verdict{isWrong, err.Error()}
	}
	return g.run(ctx, m.root, overlay, packages)
}

// overlay writes the mutant, and the file that the go command takes for it.
func (cuts mutant) overlay(m *module, folder string) (string, error) {
	files, err := cuts.mutated(m)
	if err != nil {
		return "", err
	}
	if err := os.Mkdir(folder, 0o700); err != nil {
		return "", err
	}
	replaced := map[string]string{}
	for name, content := range files {
		from, err := filepath.Abs(filepath.Join(m.root, filepath.FromSlash(name)))
		if err != nil {
			return "", err
		}
		to := filepath.Join(folder, strings.ReplaceAll(name, "/", "_"))
		if err := os.WriteFile(to, content, 0o600); err != nil {
			return "", err
		}
		replaced[from] = to
	}
	text, err := json.Marshal(map[string]any{"Replace": replaced})
	if err != nil {
		return "", err
	}
	path := filepath.Join(folder, "overlay.json")
	return path, os.WriteFile(path, text, 0o600)
}

// patience is how long the tests of a guard may take: a mutant may wait for
// ever, which counts as caught.
const patience = "1m"

// run runs the tests on a mutant.
func (g guard) run(ctx context.Context, root, overlay string, packages []string) verdict {
	arguments := []string{"test", "-overlay", overlay, "-vet=off", "-count=1", "-failfast", "-timeout", patience, "-run", g.pattern()}
	for _, folder := range packages {
		arguments = append(arguments, "./"+folder)
	}
	command := exec.CommandContext(ctx, "go", arguments...)
	command.Dir = root
	output, err := command.CombinedOutput()
	return g.read(string(output), err)
}

var (
	failedTest  = regexp.MustCompile(`(?m)^\s*--- FAIL: (\S+)`)
	endlessTest = regexp.MustCompile(`panic: test timed out[^\n]*\s+running tests:\s+(\S+)`)
	panicked    = regexp.MustCompile(`(?m)^(panic|fatal error): .*`)
)

// read judges what a run of tests has printed.
func (g guard) read(output string, err error) verdict {
	switch {
	case strings.Contains(output, "[build failed]"), strings.Contains(output, "[setup failed]"):
		return verdict{isWrong, "it does not compile\n" + output}
	case strings.Contains(output, "[no tests to run]"):
		return verdict{isWrong, "there is no test " + g.tests}
	case err == nil:
		return verdict{isNotCaught, "passed " + g.tests}
	case !errors.As(err, new(*exec.ExitError)):
		return verdict{isWrong, err.Error()}
	}
	if failed := failures(output); failed != nil {
		return verdict{isCaught, failed[0]}
	}
	return verdict{isWrong, "the tests cannot be run\n" + output}
}

// failures returns the tests that failed, with the last of their subtests that did.
func failures(output string) (names []string) {
	for _, m := range endlessTest.FindAllStringSubmatch(output, -1) {
		names = append(names, m[1]+", which does not end")
	}
	for _, m := range failedTest.FindAllStringSubmatch(output, -1) {
		if n := len(names); n > 0 && strings.HasPrefix(m[1], names[n-1]+"/") {
			names[n-1] = m[1] // a subtest is printed after its test
			continue
		}
		names = append(names, m[1])
	}
	if m := panicked.FindString(output); m != "" && names == nil {
		names = append(names, m)
	}
	return names
}
