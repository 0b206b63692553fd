package main

import (
	"cmp"
	"context"
	"fmt"
	"os/exec"
	"path"
	"regexp"
	"slices"
	"strings"
)

// fails runs tests and returns one that fails with the fault only.
func (d *drill) fails(ctx context.Context, overlay string, tests promise) (string, error) {
	if len(tests.folders) == 0 {
		return "", nil
	}
	run := func(overlay, pattern string) (string, error) {
		arguments := []string{"-count=1", "-timeout", "10m", "-run", pattern}
		for _, folder := range tests.folders {
			arguments = append(arguments, "./"+folder)
		}
		output, err := d.goCommand(ctx, "test", overlay, arguments...).CombinedOutput()
		return string(output), err
	}
	output, err := run(overlay, tests.pattern)
	if err == nil {
		return "", nil
	}
	failed := failures(output)
	if strings.Contains(output, "[build failed]") || len(failed) == 0 {
		return "", fmt.Errorf("the tests cannot be run: %w\n%s", err, output)
	}
	var tops []string
	for _, name := range failed {
		top, _, _ := strings.Cut(name, "/")
		tops = append(tops, regexp.QuoteMeta(top))
	}
	slices.Sort(tops)
	output, _ = run("", "^("+strings.Join(slices.Compact(tops), "|")+")$")
	anyway := failures(output)
	for _, name := range failed {
		if !slices.Contains(anyway, name) {
			return name, nil
		}
	}
	return "", nil
}

// users are the packages whose code or tests import a package, by folder.
type users map[string][]string

// apart are the packages that try the whole program in another way than tests do.
var apart = []string{"ui/uitest/sweep", "ui/uitest/mutants", "ui/uitest/monkey", "ui/uitest/bench"}

// readUsers reads the imports of the module.
func readUsers(ctx context.Context, root string) (users, error) {
	command := exec.CommandContext(ctx, "go", "list", "-f",
		`{{.Module.Path}} {{.ImportPath}} {{join .Imports " "}} {{join .TestImports " "}} {{join .XTestImports " "}}`, "./...")
	command.Dir = root
	output, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	all := users{}
	for line := range strings.Lines(string(output)) {
		words := strings.Fields(line)
		folder := func(imported string) string {
			return cmp.Or(strings.TrimPrefix(strings.TrimPrefix(imported, words[0]), "/"), ".")
		}
		for _, imported := range words[1:] {
			if strings.HasPrefix(imported, words[0]) && !slices.Contains(apart, folder(words[1])) {
				all[folder(imported)] = append(all[folder(imported)], folder(words[1]))
			}
		}
	}
	return all, nil
}

// of returns some packages with those that import them, and then those that import these.
func (u users) of(folders []string) (near, far []string) {
	reach := func(from []string) (all []string) {
		for _, folder := range from {
			all = append(all, u[folder]...) // with itself, if it is none of those apart
		}
		slices.Sort(all)
		return slices.Compact(all)
	}
	near = reach(folders)
	for far = near; ; {
		wider := reach(far)
		if len(wider) == len(far) {
			break
		}
		far = wider
	}
	return near, slices.DeleteFunc(slices.Clone(far), func(folder string) bool { return slices.Contains(near, folder) })
}

// folders returns the packages that a mutant is another one in.
func (cuts mutant) folders(m *module) (all []string) {
	for _, c := range cuts {
		if where, err := m.find(c.in); err == nil {
			all = append(all, path.Dir(where.file.name))
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}
