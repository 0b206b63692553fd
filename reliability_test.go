package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

const (
	promises   = 50
	longestRow = 20 // words of a promise
)

// TestEveryPromiseIsHeldByTestsThatExist reads the table of docs/reliability.md: its rows are
// numbered, short, and name tests that are in the packages they name.
func TestEveryPromiseIsHeldByTestsThatExist(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("docs/reliability.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := regexp.MustCompile(`(?m)^\| (\d+) \| \*\*(.+?)\.\*\* (.+?) \| (.+) \|$`).FindAllStringSubmatch(string(page), -1)
	if len(rows) != promises {
		t.Fatalf("%d rows are read, want %d", len(rows), promises)
	}
	named := regexp.MustCompile("`([^`]+)`")
	test := regexp.MustCompile(`^(Test|Fuzz)[A-Z]`)
	in := testsOf{}
	for i, row := range rows {
		if row[1] != strconv.Itoa(i+1) {
			t.Errorf("row %s stands at %d", row[1], i+1)
		}
		if words := len(strings.Fields(row[3])); words > longestRow {
			t.Errorf("row %d, %s: %d words", i+1, row[2], words)
		}
		pkg, found := "", 0
		for _, name := range named.FindAllStringSubmatch(row[4], -1) {
			if !test.MatchString(name[1]) {
				pkg = name[1]
				continue
			}
			found++
			if !in.has(t, pkg, name[1]) {
				t.Errorf("row %d, %s: %s has no %s", i+1, row[2], pkg, name[1])
			}
		}
		if found == 0 {
			t.Errorf("row %d, %s: no test is named", i+1, row[2])
		}
	}
}

// testsOf are the test files of packages: their texts, and what was parsed so far.
type testsOf map[string][]testFile

type testFile struct {
	name, text string
	tests      map[string]bool // nil before it is parsed
}

// has reports whether a package has a test. It parses files that hold its name.
func (p testsOf) has(t *testing.T, pkg, test string) bool {
	t.Helper()
	if _, read := p[pkg]; !read {
		p[pkg] = nil
		names, _ := filepath.Glob(filepath.Join(filepath.FromSlash(pkg), "*_test.go"))
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			p[pkg] = append(p[pkg], testFile{name: name, text: string(text)})
		}
	}
	for i := range p[pkg] {
		file := &p[pkg][i]
		if !strings.Contains(file.text, "func "+test+"(") {
			continue
		}
		if file.tests == nil {
			file.parse(t)
		}
		if file.tests[test] {
			return true
		}
	}
	return false
}

func (f *testFile) parse(t *testing.T) {
	t.Helper()
	tree, err := parser.ParseFile(token.NewFileSet(), f.name, f.text, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	f.tests = map[string]bool{}
	for _, declared := range tree.Decls {
		if function, ok := declared.(*ast.FuncDecl); ok && function.Recv == nil {
			f.tests[function.Name.Name] = true
		}
	}
}
