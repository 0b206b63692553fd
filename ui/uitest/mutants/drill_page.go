package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// page is docs/reliability.md: the promises with the tests that hold them, and what became of each fault.
type page struct {
	text  string
	lines map[string]line // by the fault
}

// line is a row of the table of the faults.
type line struct {
	promise             int
	what, median, worst string
	test                string // that notices, or why none does
}

// What stands in a row where there is no number and no test.
const (
	none     = "none"
	notTried = ""        // the sweep has noticed, or the fault is new
	nothing  = "nothing" // notices; a reason follows, which a person writes
)

const (
	tableBegin = "| | Planted fault | Median | Worst | Other test that notices |\n|---|---|---|---|---|\n"
	tableEnd   = "\n\n"
)

var rowOfFault = regexp.MustCompile(`(?m)^\| (\d+) \| ([^|]+) \| ([^|]*) \| ([^|]*) \| ([^|]*) \|$`)

func readPage(root string) (page, error) {
	text, err := os.ReadFile(filepath.Join(root, "docs", "reliability.md"))
	if err != nil {
		return page{}, err
	}
	p := page{string(text), map[string]line{}}
	for _, row := range rowOfFault.FindAllStringSubmatch(p.table(), -1) {
		promise, _ := strconv.Atoi(row[1])
		p.lines[row[2]] = line{promise, row[2], row[3], row[4], strings.Trim(row[5], "` ")}
	}
	return p, nil
}

// table is what stands there of the faults.
func (p page) table() string {
	_, after, _ := strings.Cut(p.text, tableBegin)
	table, _, _ := strings.Cut(after, tableEnd)
	return table
}

// promise is a row of the table of promises: the tests that hold it.
type promise struct {
	pattern string
	folders []string
}

var rowOfPromise = regexp.MustCompile(`(?m)^\| (\d+) \| \*\*.+ \| (.+) \|$`)

func (p page) promises() map[int]promise {
	all := map[int]promise{}
	for _, row := range rowOfPromise.FindAllStringSubmatch(p.text, -1) {
		number, _ := strconv.Atoi(row[1])
		var tests, folders []string
		for _, name := range strings.Split(row[2], "`") {
			switch {
			case strings.HasPrefix(name, "Test"), strings.HasPrefix(name, "Fuzz"):
				tests = append(tests, name)
			case strings.Trim(name, "; ") != "" && !slices.Contains(apart, name):
				folders = append(folders, name)
			}
		}
		all[number] = promise{"^(" + strings.Join(tests, "|") + ")$", folders}
	}
	return all
}

// note keeps what became of a fault, what was known of the part that was not tried, and the reason that is given
// where nothing notices.
func (p page) note(f fault, r result) line {
	days := func(n int) string {
		switch {
		case n == 0:
			return none
		case r.hangs:
			return strconv.Itoa(n) + ", hangs"
		}
		return strconv.Itoa(n)
	}
	before := p.lines[f.what]
	l := line{f.promise, f.what, before.median, before.worst, before.test}
	if len(r.days) > 0 {
		l.median, l.worst = days(r.median()), days(r.worst())
	}
	switch {
	case r.test != "":
		l.test = r.test
	case r.tried && !strings.HasPrefix(before.test, nothing):
		l.test = nothing
	}
	p.lines[f.what] = l
	return l
}

func (l line) bySweep() bool { return l.median != none && l.median != "" }

// isCaught reports whether the sweep notices, or the suite.
func (l line) isCaught() bool {
	return l.bySweep() || l.test != notTried && !strings.HasPrefix(l.test, nothing)
}

// isMissed reports whether nothing notices, and nobody says why.
func (l line) isMissed() bool { return l.median == none && l.test == nothing }

// String is the row of the table.
func (l line) String() string {
	test := l.test
	if strings.HasPrefix(test, "Test") || strings.HasPrefix(test, "Fuzz") {
		name, rest, _ := strings.Cut(test, ",")
		test = "`" + name + "`" + strings.TrimSuffix(","+rest, ",")
	}
	return fmt.Sprintf("| %d | %s | %s | %s | %s |", l.promise, l.what, l.median, l.worst, test)
}

// total says how many of all faults were noticed.
func (p page) total() string {
	var bySweep, caught, tried int
	for _, f := range faults() {
		l := p.lines[f.what]
		switch {
		case l.bySweep():
			bySweep++
			fallthrough
		case l.isCaught():
			caught++
			fallthrough
		case l.median != "":
			tried++
		}
	}
	return fmt.Sprintf("sweep %d of %d, sweep and suite %d of %[2]d", bySweep, tried, caught)
}

// write puts the table into the page. A fault that was never tried has a row without numbers.
func (p page) write(root string) error {
	var rows []string
	for _, f := range faults() {
		l := p.lines[f.what]
		l.promise, l.what = f.promise, f.what
		rows = append(rows, l.String())
	}
	text := strings.Replace(p.text, tableBegin+p.table(), tableBegin+strings.Join(rows, "\n"), 1)
	text = regexp.MustCompile(`(?m)^Together: .*`).ReplaceAllLiteralString(text, "Together: "+p.total()+".")
	return os.WriteFile(filepath.Join(root, "docs", "reliability.md"), []byte(text), 0o644)
}
