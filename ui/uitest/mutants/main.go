// Command mutants proves that the tests need the guards of the program, as
// `make mutants`, and shows who notices a planted fault, as `make drill`.
//
// A guard is a piece of code that keeps a promise to the user. For each one
// the command builds a mutant, the program without that piece, by the flag
// -overlay of the go command: the program itself has no switch. The tests that
// are named for the guard have to fail then. A mutant that they do not catch
// shows a promise that no test holds. Without a mutant the tests have to pass:
// that is not checked here.
//
// A guard is named by its function and what is done to it, and by its tests: it
// may move to another line, file or package. The guards are in the files
// guards_*.go. Start reading at [cut], then at [guard.try]; for faults at [fault] and [drill.try].
package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"sync"
	"time"
)

// enough is the part of the guards, in percent, that the tests have to need.
const enough = 95

func main() {
	root := flag.String("root", ".", "the folder of the module")
	only := flag.String("only", "", "only guards with this in their name, their cuts or their tests")
	list := flag.Bool("list", false, "print the guards and try none")
	jobs := flag.Int("jobs", 1, "how many are tried at a time, at most 2")
	drills := flag.Bool("drill", false, "plant the faults instead, those with the text of -only")
	days := flag.Int("days", 500, "how many days of the sweep a fault has, three times; 0 tries the tests alone")
	suite := flag.Bool("suite", false, "look for a test also where the sweep notices a fault")
	keep := flag.Bool("page", false, "write what became of the faults into docs/reliability.md")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	try := func() (bool, error) { return tryAll(ctx, os.Stdout, *root, choose(*only), atATime(*jobs)) }
	if *drills {
		try = func() (bool, error) {
			return drillAll(ctx, os.Stdout, *root, wanted{*only, *days, atATime(*jobs), *suite, *keep})
		}
	}
	if *list {
		for _, g := range choose(*only) {
			fmt.Println(g.holds)
			for _, c := range g.cuts {
				fmt.Printf("\t%s\n", c)
			}
			fmt.Printf("\t%s\n", g.tests)
		}
		return
	}
	ok, err := try()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	if !ok || err != nil {
		os.Exit(1)
	}
}

// atATime is how many are tried at a time: two builds fill a machine.
func atATime(jobs int) int { return min(max(jobs, 1), 2) }

// choose returns the guards with a text in their name, their cuts or their tests.
func choose(text string) (chosen []guard) {
	for _, g := range guards() {
		if strings.Contains(strings.ToLower(fmt.Sprint(g.holds, g.cuts, g.tests)), strings.ToLower(text)) {
			chosen = append(chosen, g)
		}
	}
	return chosen
}

// tryAll tries the guards, some at a time, and prints a line for each. It
// reports whether enough of them are needed, and no entry of the table is wrong.
func tryAll(ctx context.Context, out io.Writer, root string, chosen []guard, jobs int) (bool, error) {
	m, err := readModule(root)
	if err != nil {
		return false, err
	}
	folder, err := os.MkdirTemp("", "mutants-")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(folder)
	var (
		working        sync.WaitGroup
		printing       sync.Mutex
		caught, broken int
	)
	turns := make(chan struct{}, jobs)
	for i, g := range chosen {
		turns <- struct{}{}
		working.Go(func() {
			defer func() { <-turns }()
			began := time.Now()
			v := g.try(ctx, m, fmt.Sprintf("%s/%d", folder, i))
			printing.Lock()
			defer printing.Unlock()
			if ctx.Err() != nil {
				return
			}
			switch v.kind {
			case isCaught:
				caught++
			case isWrong:
				broken++
			}
			fmt.Fprintf(out, "%-11s %s: %s (%s)\n", v.kind, g.holds, v.why, time.Since(began).Round(time.Second))
		})
	}
	working.Wait()
	if ctx.Err() != nil {
		return false, cmp.Or(context.Cause(ctx), ctx.Err())
	}
	fmt.Fprintf(out, "%d of %d guards caught\n", caught, len(chosen))
	return broken == 0 && caught*100 >= enough*len(chosen), nil
}
