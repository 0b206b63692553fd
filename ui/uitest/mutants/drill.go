package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// fault is a mistake that somebody might make in the program, planted to see who notices.
//
// Guards and faults are two tables, since they ask two things. A guard is written with its
// code and names the tests that must need it: it proves those tests, in half an hour. A fault
// is written without looking for a test, those of sending by somebody who has not read the
// sweep, and names none: it shows what all of them together miss. No fault repeats a guard.
type fault struct {
	promise int    // the row of docs/reliability.md that it breaks
	what    string // what the program does wrong then, as a sentence without its end
	cuts    mutant
}

// planted is a line of the list. What is replaced is told by function and kind of change.
func planted(promise int, what string, cuts ...cut) fault { return fault{promise, what, cuts} }

// faults returns all faults, by topic.
func faults() []fault { return slices.Concat(ofSending, ofKeeping) }

// ranges are the seeds of the first days: what a fault is caught by is partly luck.
var ranges = []int{1, 10_001, 20_001}

// daysOfPage is how many days of a range the page speaks of.
const daysOfPage = 500

// drill plants faults, one at a time, and notes who notices.
type drill struct {
	m        *module
	days     int  // of each range; with none the tests are tried alone
	suite    bool // try the suite also where the sweep has noticed
	promises map[int]promise
	users    users
}

// result is what became of a fault.
type result struct {
	days   []int  // up to the first wrong one of each range, in order; 0 for none
	hangs  bool   // one did not end
	test   string // of the suite, the first that noticed
	tried  bool   // the suite
	broken error  // the fault cannot be planted
}

// bySweep reports whether most ranges have a wrong day.
func (r result) bySweep() bool { return r.median() > 0 }

// median is the number of days in the range between the best and the worst one, 0 for none.
func (r result) median() int { return r.ranked(len(ranges) / 2) }

// worst is the number of days in the worst range, 0 for none.
func (r result) worst() int { return r.ranked(len(ranges) - 1) }

func (r result) ranked(n int) int {
	days := slices.DeleteFunc(slices.Clone(r.days), func(days int) bool { return !found(days) })
	slices.Sort(days)
	if n >= len(days) {
		return 0
	}
	return days[n]
}

func found(days int) bool { return days > 0 }

// newDrill reads what the drill goes by. The sweep has to pass without a fault.
func newDrill(ctx context.Context, root, folder string, promises map[int]promise, want wanted) (*drill, error) {
	d := &drill{days: want.days, suite: want.suite, promises: promises}
	var err error
	if d.m, err = readModule(root); err != nil {
		return nil, err
	}
	if d.users, err = readUsers(ctx, root); err != nil {
		return nil, err
	}
	if d.days == 0 {
		return d, nil
	}
	switch r := d.sweep(ctx, "", folder); {
	case r.broken != nil:
		return nil, r.broken
	case slices.ContainsFunc(r.days, found):
		return nil, fmt.Errorf("without a fault the first wrong days are %v: see make sweep", r.days)
	}
	return d, nil
}

// try plants a fault.
func (d *drill) try(ctx context.Context, f fault, folder string) (r result) {
	overlay, err := f.cuts.overlay(d.m, folder)
	if err != nil {
		return result{broken: err}
	}
	if d.days > 0 {
		r = d.sweep(ctx, overlay, folder)
	}
	if r.broken != nil || r.bySweep() && !d.suite {
		return r
	}
	r.tried = true
	own := f.cuts.folders(d.m)
	near, far := d.users.of(own)
	for _, stage := range []promise{{".", own}, d.promises[f.promise], {".", near}, {".", far}} {
		if r.test, r.broken = d.fails(ctx, overlay, stage); r.test != "" || r.broken != nil {
			break
		}
	}
	return r
}

var begunDay = regexp.MustCompile(`(?m)^day (\d+)$`)

// sweep plays the days of each range up to the first wrong one.
func (d *drill) sweep(ctx context.Context, overlay, folder string) (r result) {
	binary, err := filepath.Abs(filepath.Join(folder, "sweep.test"))
	if err != nil {
		return result{broken: err}
	}
	defer os.Remove(binary)
	built, err := d.goCommand(ctx, "test", overlay, "-c", "-o", binary, "./ui/uitest/sweep").CombinedOutput()
	if err != nil {
		return result{broken: fmt.Errorf("it does not compile: %w\n%s", err, built)}
	}
	for _, from := range ranges {
		if missed := slices.DeleteFunc(slices.Clone(r.days), found); overlay != "" && len(missed) > len(ranges)/2 {
			break // there is no median
		}
		command := exec.CommandContext(ctx, binary, "-test.run", "^TestSweep$", "-test.timeout", "1h", "-first",
			"-seeds", strconv.Itoa(d.days), "-from", strconv.Itoa(from))
		command.Dir = filepath.Join(d.m.root, "ui", "uitest", "sweep")
		command.Env = append(os.Environ(), "GOMAXPROCS=1")
		output, err := command.CombinedOutput()
		begun := begunDay.FindAllSubmatch(output, -1)
		switch {
		case err == nil:
			r.days = append(r.days, 0)
			continue
		case len(begun) == 0:
			return result{broken: fmt.Errorf("the sweep cannot be run: %w\n%s", err, output)}
		}
		last, _ := strconv.Atoi(string(begun[len(begun)-1][1]))
		r.days = append(r.days, last-from+1)
		r.hangs = r.hangs || strings.Contains(string(output), "the day does not end")
	}
	return r
}

// goCommand is a command of go on the program, with what an overlay replaces.
func (d *drill) goCommand(ctx context.Context, verb, overlay string, arguments ...string) *exec.Cmd {
	flags := []string{verb, "-vet=off"}
	if overlay != "" {
		flags = append(flags, "-overlay", overlay)
	}
	command := exec.CommandContext(ctx, "go", append(flags, arguments...)...)
	command.Dir = d.m.root
	return command
}

// wanted is what a drill is asked for.
type wanted struct {
	only        string // with this text in what they are or in their cuts; empty for all
	days, jobs  int
	suite, keep bool // look for a test in any case; write the page
}

// drillAll plants faults, some at a time, and prints a row for each. It reports whether each
// could be planted, and was noticed or is known to be missed, with its reason.
func drillAll(ctx context.Context, out io.Writer, root string, want wanted) (ok bool, err error) {
	if want.keep && want.days != daysOfPage && want.days != 0 {
		return false, fmt.Errorf("the page is about %d days for each fault, not %d", daysOfPage, want.days)
	}
	page, err := readPage(root)
	if err != nil {
		return false, err
	}
	chosen := slices.DeleteFunc(faults(), func(f fault) bool {
		return !strings.Contains(strings.ToLower(fmt.Sprint(f.what, f.cuts)), strings.ToLower(want.only))
	})
	if ok = true; len(chosen) > 0 {
		if ok, err = page.drill(ctx, out, root, chosen, want); err != nil {
			return false, err
		}
	}
	fmt.Fprintln(out, page.total())
	if want.keep {
		return ok, page.write(root)
	}
	return ok, nil
}

// drill plants some faults and notes what became of them on the page.
func (p page) drill(ctx context.Context, out io.Writer, root string, chosen []fault, want wanted) (ok bool, err error) {
	folder, err := os.MkdirTemp("", "drill-")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(folder)
	d, err := newDrill(ctx, root, folder, p.promises(), want)
	if err != nil {
		return false, err
	}
	var (
		working  sync.WaitGroup
		printing sync.Mutex
	)
	ok = true
	turns := make(chan struct{}, want.jobs)
	for i, f := range chosen {
		turns <- struct{}{}
		working.Go(func() {
			defer func() { <-turns }()
			began := time.Now()
			r := d.try(ctx, f, filepath.Join(folder, strconv.Itoa(i)))
			printing.Lock()
			defer printing.Unlock()
			if ctx.Err() != nil {
				return
			}
			if r.broken != nil {
				ok = false
				fmt.Fprintf(out, "%s %s: %v\n", isWrong, f.what, r.broken)
				return
			}
			noted := p.note(f, r)
			ok = ok && !noted.isMissed()
			fmt.Fprintf(out, "%s %s\n", noted, time.Since(began).Round(time.Second))
			if want.keep { // at once: a drill may be stopped
				if err := p.write(root); err != nil {
					fmt.Fprintln(out, err)
					ok = false
				}
			}
		})
	}
	working.Wait()
	return ok, ctx.Err()
}
