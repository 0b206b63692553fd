package main

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// day is one that is told otherwise.
type day struct {
	seed      string
	play      string
	gone, new []string // lines, in the order in which they are told
}

// story is what a day tells: its lines, each once. Programs that run at once tell theirs in any order.
type story struct {
	lines []string
	has   map[string]bool
}

var (
	// clockTime is when a line is told, since the day began: later is not otherwise.
	clockTime = regexp.MustCompile(`^(\d+h)?(\d+m)?[\d.]+(m|µ)?s +`)
	// anyPlay are the parts of a line that differ from play to play: ids of processes, in sentences and in JSON, and names of
	// temporary folders.
	anyPlay = regexp.MustCompile(`process(?:":)? \d+|(geodeck-[a-z]+-)\d+`)
	// values are what differs between days on which the same has changed.
	values = regexp.MustCompile(`[0-9a-f]{8,}|\d+`)
)

// sure is how many bytes of a line are the same in each play where a name of any length is in it: the sweep cuts its
// lines, after some hundred bytes.
const sure = 160

func read(text string) story {
	s := story{has: map[string]bool{}}
	for line := range strings.SplitSeq(text, "\n") {
		line = clockTime.ReplaceAllString(strings.TrimSpace(line), "")
		line = strings.Join(strings.Fields(line), " ") // columns are as wide as what is in them
		if same := anyPlay.ReplaceAllString(line, "$1*"); same != line {
			line = same[:min(len(same), sure)]
		}
		if !s.has[line] {
			s.lines, s.has[line] = append(s.lines, line), true
		}
	}
	return s
}

// without are the lines that two other stories lack.
func (s story) without(a, b story) (lines []string) {
	for _, line := range s.lines {
		if !a.has[line] && !b.has[line] {
			lines = append(lines, line)
		}
	}
	return lines
}

// and is what is told in two stories.
func (s story) and(other story) story {
	s.lines = slices.DeleteFunc(slices.Clone(s.lines), func(line string) bool { return !other.has[line] })
	return s
}

// compare returns the days that are told otherwise, by their seeds. What two plays of the same program tell
// otherwise does not count.
func compare(was, again, is string) (days []day, err error) {
	entries, err := os.ReadDir(was)
	if err != nil {
		return nil, err
	}
	for _, entry := range entries {
		d, told := day{seed: entry.Name()}, [3]story{}
		for i, folder := range []string{was, again, is} {
			text, err := os.ReadFile(filepath.Join(folder, entry.Name()))
			if err != nil {
				return nil, fmt.Errorf("day %s was not played: %w", entry.Name(), err)
			}
			d.play, _, _ = strings.Cut(string(text), "\n")
			told[i] = read(string(text))
		}
		d.gone = told[0].and(told[1]).without(told[2], told[2])
		if d.new = told[2].without(told[0], told[1]); len(d.gone)+len(d.new) > 0 {
			days = append(days, d)
		}
	}
	slices.SortFunc(days, func(a, b day) int {
		return cmp.Or(cmp.Compare(len(a.seed), len(b.seed)), cmp.Compare(a.seed, b.seed))
	})
	return days, nil
}

// kind is what days have in common on which the same has changed: their first changed lines without numbers.
func (d day) kind() string {
	return values.ReplaceAllString(strings.Join(d.gone[:min(len(d.gone), 1)], "")+"\n"+strings.Join(d.new[:min(len(d.new), 1)], ""), "#")
}

// report prints how many days differ, and of each kind of change an example.
func report(w io.Writer, days []day, seeds int, base string) error {
	if len(days) == 0 {
		_, err := fmt.Fprintf(w, "Nothing is told otherwise than with %s; days played: %d.\n", base, seeds)
		return err
	}
	var out strings.Builder
	fmt.Fprintf(&out, "%d of %d days tell something else than with %s.\n", len(days), seeds, base)
	kinds, order := map[string][]day{}, []string(nil)
	for _, d := range days {
		if len(kinds[d.kind()]) == 0 {
			order = append(order, d.kind())
		}
		kinds[d.kind()] = append(kinds[d.kind()], d)
	}
	slices.SortStableFunc(order, func(a, b string) int { return len(kinds[b]) - len(kinds[a]) })
	for i, kind := range order {
		if i == examples {
			fmt.Fprintf(&out, "\nand %d others\n", len(order)-examples)
			break
		}
		d := kinds[kind][0]
		fmt.Fprintf(&out, "\n%d like seed %s (%s):\n", len(kinds[kind]), d.seed, d.play)
		some(&out, "- ", d.gone)
		some(&out, "+ ", d.new)
	}
	_, err := io.WriteString(w, out.String())
	return err
}

// some prints the first lines of a change, each as far as a terminal shows it.
func some(w io.Writer, sign string, lines []string) {
	const most, width = 4, 400
	for _, line := range lines[:min(len(lines), most)] {
		if len(line) > width {
			line = strings.ToValidUTF8(line[:width], "") + "…"
		}
		fmt.Fprintf(w, "  %s%s\n", sign, line)
	}
	if len(lines) > most {
		fmt.Fprintf(w, "  %sand %d more lines\n", sign, len(lines)-most)
	}
}
