// Command changes shows what a change does to bad days, as `make changes`: the days of the sweep are played with
// the program as it is here and with that of an earlier commit, and what they tell otherwise is printed. The
// oracle of the sweep fails by what it knows to be wrong; this shows the rest to somebody who knows what was
// meant.
//
// Both play the days of the kit that is here. Start reading at [compare].
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
)

// examples is how many kinds of changes are printed with their lines.
const examples = 20

func main() {
	root := flag.String("root", ".", "the folder of the module")
	base := flag.String("base", "HEAD", "the commit to compare with")
	seeds := flag.Int("seeds", 300, "how many days are played")
	from := flag.Uint64("from", 1, "the seed of the first day")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Stdout, *root, *base, *seeds, *from); err != nil {
		fmt.Fprintln(os.Stderr, err)
		stop()
		os.Exit(1)
	}
}

// run plays the days with both programs and prints what differs.
func run(ctx context.Context, w io.Writer, root, base string, seeds int, from uint64) error {
	folder, err := os.MkdirTemp("", "geodeck-changes-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(folder) }()
	before := filepath.Join(folder, "before")
	if err := checkOut(ctx, root, base, before); err != nil {
		return err
	}
	was, again, is := filepath.Join(folder, "was"), filepath.Join(folder, "again"), filepath.Join(folder, "is")
	for _, play := range []struct{ root, stories string }{{before, was}, {before, again}, {root, is}} {
		if err := tell(ctx, play.root, play.stories, seeds, from); err != nil {
			return fmt.Errorf("the days cannot be played in %s: %w", play.root, err)
		}
	}
	days, err := compare(was, again, is)
	if err != nil {
		return err
	}
	return report(w, days, seeds, base)
}

// checkOut writes the program of a commit to a folder, with the kit that is here.
func checkOut(ctx context.Context, root, base, folder string) error {
	if err := os.Mkdir(folder, 0o700); err != nil {
		return err
	}
	archive := exec.CommandContext(ctx, "git", "-C", root, "archive", "--format=tar", base)
	content, err := archive.Output()
	if err != nil {
		return fmt.Errorf("git has no commit %s here: %w", base, err)
	}
	unpack := exec.CommandContext(ctx, "tar", "-x", "-C", folder)
	if unpack.Stdin = bytes.NewReader(content); unpack.Run() != nil {
		return fmt.Errorf("the files of %s cannot be unpacked", base)
	}
	const kit = "ui/uitest"
	if err := os.RemoveAll(filepath.Join(folder, kit)); err != nil {
		return err
	}
	return os.CopyFS(filepath.Join(folder, kit), os.DirFS(filepath.Join(root, kit)))
}

// tell plays days with the program of a folder. What each tells is in a file that is named by its seed.
func tell(ctx context.Context, root, stories string, seeds int, from uint64) error {
	if err := os.Mkdir(stories, 0o700); err != nil {
		return err
	}
	// Without -trimpath the folder is part of each package, and all are compiled anew each time.
	play := exec.CommandContext(ctx, "go", "test", "-trimpath", "-count=1", "-vet=off", "-timeout=3h", "./ui/uitest/sweep", "-run=^TestSweep$",
		"-seeds", strconv.Itoa(seeds), "-from", strconv.FormatUint(from, 10), "-stories", stories)
	play.Dir = root
	if said, err := play.CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, bytes.TrimSpace(said))
	}
	return nil
}
