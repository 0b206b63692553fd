package main

import (
	"bytes"
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
	cuts  []cut  // what takes it out
	judge judge  // whose tests have to fail without it
	also  []judge
}

// cut replaces a text of a file. Where another guard would catch what this one
// lets through, a second cut takes that out as well.
type cut struct {
	file string // from the root of the module, with slashes
	text string // that occurs once in it
	with string
}

// judge is tests of a package.
type judge struct {
	pkg   string // its folder
	tests string // names, with | between them; or a script of the root, such as TestCommands/health
}

// String names the tests for a person.
func (j judge) String() string { return j.tests + " in " + j.pkg }

// pattern is what the flag -run takes.
func (j judge) pattern() string {
	if name, sub, ok := strings.Cut(j.tests, "/"); ok {
		return "^" + name + "$/^" + sub + "$"
	}
	return "^(" + j.tests + ")$"
}

func (g guard) files() (files []string) {
	for _, c := range g.cuts {
		if !slices.Contains(files, c.file) {
			files = append(files, c.file)
		}
	}
	return files
}

// mutated returns the files of the guard without it, by their names.
func (g guard) mutated(root string) (map[string][]byte, error) {
	files := map[string][]byte{}
	for _, c := range g.cuts {
		content, known := files[c.file]
		if !known {
			var err error
			if content, err = os.ReadFile(filepath.Join(root, filepath.FromSlash(c.file))); err != nil {
				return nil, err
			}
		}
		if n := bytes.Count(content, []byte(c.text)); n != 1 {
			return nil, fmt.Errorf("%s has this %d times, not once: %s", c.file, n, c.text)
		}
		files[c.file] = bytes.Replace(content, []byte(c.text), []byte(c.with), 1)
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
func (g guard) try(ctx context.Context, root, folder string) verdict {
	overlay, err := g.overlay(root, folder)
	if err != nil {
		return verdict{isWrong, err.Error()}
	}
	var passed []string
	for _, j := range append([]judge{g.judge}, g.also...) {
		v := j.run(ctx, root, overlay)
		if v.kind != isNotCaught {
			return v
		}
		passed = append(passed, v.why)
	}
	return verdict{isNotCaught, strings.Join(passed, "; ")}
}

// overlay writes the mutant, and the file that the go command takes for it.
func (g guard) overlay(root, folder string) (string, error) {
	files, err := g.mutated(root)
	if err != nil {
		return "", err
	}
	if err := os.Mkdir(folder, 0o700); err != nil {
		return "", err
	}
	replaced := map[string]string{}
	for name, content := range files {
		from, err := filepath.Abs(filepath.Join(root, filepath.FromSlash(name)))
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
func (j judge) run(ctx context.Context, root, overlay string) verdict {
	command := exec.CommandContext(ctx, "go", "test", "-overlay", overlay, "-vet=off", "-count=1", "-failfast", "-timeout", patience,
		"-run", j.pattern(), "./"+j.pkg)
	command.Dir = root
	output, err := command.CombinedOutput()
	return j.read(string(output), err)
}

var (
	failedTest  = regexp.MustCompile(`(?m)^\s*--- FAIL: (\S+)`)
	endlessTest = regexp.MustCompile(`panic: test timed out[^\n]*\s+running tests:\s+(\S+)`)
	panicked    = regexp.MustCompile(`(?m)^(panic|fatal error): .*`)
)

// read judges what a run of tests has printed.
func (j judge) read(output string, err error) verdict {
	switch {
	case strings.Contains(output, "[build failed]"), strings.Contains(output, "[setup failed]"):
		return verdict{isWrong, "it does not compile\n" + output}
	case strings.Contains(output, "[no tests to run]"):
		return verdict{isWrong, "there is no test " + j.String()}
	case err == nil:
		return verdict{isNotCaught, "passed " + j.String()}
	case !errors.As(err, new(*exec.ExitError)):
		return verdict{isWrong, err.Error()}
	}
	if m := endlessTest.FindStringSubmatch(output); m != nil {
		return verdict{isCaught, m[1] + ", which does not end"}
	}
	if names := failedTest.FindAllStringSubmatch(output, -1); names != nil {
		name := names[0][1] // followed by its subtests
		for _, m := range names {
			if strings.HasPrefix(m[1], name+"/") {
				name = m[1]
			}
		}
		return verdict{isCaught, name}
	}
	if m := panicked.FindString(output); m != "" {
		return verdict{isCaught, "the tests of " + j.pkg + ": " + m}
	}
	return verdict{isWrong, "the tests cannot be run\n" + output}
}
