package sweep_test

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"geodeck/ui/uitest/sweep"
)

var (
	seeds    = flag.Int("seeds", usual, "how many days are played")
	from     = flag.Uint64("from", 1, "the seed of the first day")
	only     = flag.String("play", "", "only days of this play, such as fleet, by the numbers of its days from -from on")
	keep     = flag.String("keep", "", "only the troubles with these numbers, such as 0,2, or none")
	first    = flag.Bool("first", false, "stop at the first wrong day, without a look for the troubles that are enough for it")
	story    = flag.Bool("log", false, "tell what happens on each day")
	stories  = flag.String("stories", "", "folder to write what each day tells to, for make changes: nothing fails then")
	scenario = flag.String("scenario", "", "file to write the site's part of the last day to, for geodeck demo --scenario")
)

// playIn plays a day in a bubble of its own.
func playIn(t *testing.T, d *sweep.Day) (v sweep.Verdict) {
	t.Helper()
	defer func() {
		if failed := recover(); failed != nil { // such as of a goroutine that is left
			fmt.Fprintln(os.Stderr, d)
			panic(failed)
		}
	}()
	synctest.Test(t, func(*testing.T) { v = d.Play() })
	return v
}

// calmDays are the requests of days without troubles, by play.
var calmDays sync.Map

// calm returns what the site is asked on a day without troubles: in a week, on a day of each of its parts.
func calm(t *testing.T, play sweep.Play) (all []sweep.Request) {
	t.Helper()
	for _, part := range play.Parts() {
		all = append(all, calm(t, part)...)
	}
	if all != nil {
		return sweep.Sum(all)
	}
	requests, found := calmDays.Load(play)
	if !found {
		day := playIn(t, &sweep.Day{Want: play.Want, Face: play.Face, Log: *story})
		if len(day.Wrong) > 0 || day.Met["told: done"]+day.Met["config.yaml: edit done"] == 0 {
			t.Fatalf("a day without troubles: %s by %s: %q, %v\n%s", play.Want, play.Face, day.Wrong, day.Met, strings.Join(day.Story, "\n"))
		}
		requests, _ = calmDays.LoadOrStore(play, day.Requests)
	}
	return requests.([]sweep.Request)
}

// day draws the day of a seed.
func day(t *testing.T, seed uint64) *sweep.Day {
	t.Helper()
	what := sweep.Plays[seed%uint64(len(sweep.Plays))]
	d := sweep.Draw(seed, what.Want, what.Face, calm(t, what))
	d.Log = *story || *stories != ""
	if *keep != "" {
		var numbers []int
		for _, text := range strings.Split(*keep, ",") {
			if n, err := strconv.Atoi(text); err == nil {
				numbers = append(numbers, n)
			}
		}
		return d.Keep(numbers)
	}
	return d
}

// patience is how long a day may take with -first, which is about mutants: they may wait for ever.
const patience = time.Minute

// twice are the days that are played twice: those of the first seeds.
var twice = uint64(usual)

// firstPlays are their first plays, by seed.
var firstPlays sync.Map

// firstPlay plays a day, where no other test has.
func firstPlay(t *testing.T, d *sweep.Day) sweep.Verdict {
	t.Helper()
	if d.Seed > twice {
		return playIn(t, d)
	}
	play, _ := firstPlays.LoadOrStore(d.Seed, sync.OnceValue(func() sweep.Verdict { return playIn(t, d) }))
	return play.(func() sweep.Verdict)()
}

// begin says which day begins with -first, and ends everything where it does not end.
func begin(seed uint64) (end func() bool) {
	if !*first {
		return func() bool { return false }
	}
	fmt.Println("day", seed)
	return time.AfterFunc(patience, func() { panic("the day does not end") }).Stop
}

// check plays a day and reports what went wrong, with as few troubles as show it.
func check(t *testing.T, d *sweep.Day) sweep.Verdict {
	t.Helper()
	v := firstPlay(t, d)
	if *stories != "" {
		told := strings.Join(slices.Concat([]string{d.Want + " by " + d.Face}, v.Story, v.Wrong), "\n")
		if err := os.WriteFile(filepath.Join(*stories, fmt.Sprint(d.Seed)), []byte(told), 0o600); err != nil {
			t.Fatal(err)
		}
		return v
	}
	if *story {
		fmt.Println(strings.Join(append(v.Story, d.String()), "\n"))
	}
	if len(v.Wrong) > 0 && *first {
		t.Fatalf("%s\n%s", d, strings.Join(v.Wrong, "\n"))
	}
	if len(v.Wrong) > 0 {
		kept := sweep.Shrink(d, func(less *sweep.Day) sweep.Verdict { return playIn(t, less) })
		less := d.Keep(kept)
		t.Errorf("%s\nof these troubles %v are enough:\n%s\n%s", d, kept, strings.Join(playIn(t, less).Wrong, "\n"), d.Command(kept))
	}
	return v
}

func TestSweep(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	met := map[string]int{}
	var next atomic.Int64
	t.Run("days", func(t *testing.T) {
		for worker := range runtime.GOMAXPROCS(0) {
			t.Run(fmt.Sprint(worker), func(t *testing.T) {
				t.Parallel()
				defer func() {
					if *first && t.Failed() {
						next.Store(int64(*seeds))
					}
				}()
				for n := int(next.Add(1)) - 1; n < *seeds; n = int(next.Add(1)) - 1 {
					seed := seedOf(uint64(n))
					end := begin(seed)
					v := check(t, day(t, seed))
					end()
					mu.Lock()
					for what, n := range v.Met {
						met[what] += n
					}
					mu.Unlock()
					if *scenario != "" {
						if err := os.WriteFile(*scenario, v.Scenario, 0o600); err != nil {
							t.Error(err)
						}
					}
				}
			})
		}
	})
	notBlind(t, met, *seeds)
}

// seedOf is the seed of the n-th day of the sweep: with -play one of that play, by each of its faces in turn.
func seedOf(n uint64) uint64 {
	var at []uint64
	for i, p := range sweep.Plays {
		if p.Want == *only {
			at = append(at, uint64(i))
		}
	}
	if len(at) == 0 {
		return *from + n
	}
	faces := uint64(len(at))
	return (*from+n/faces)*uint64(len(sweep.Plays)) + at[n%faces]
}

// notBlind fails where something that can happen was met too rarely: then the sweep proves
// nothing about it.
func notBlind(t *testing.T, met map[string]int, days int) {
	t.Helper()
	for what, often := range sweep.Known() {
		if least := max(1, days*often/1000); days >= sweep.Enough && *only == "" && met[what] < least {
			t.Errorf("the sweep is blind: in %d days %q was met %d times, and should be %d times", days, what, met[what], least)
		}
	}
	if !testing.Verbose() {
		return
	}
	var names []string
	for what := range met {
		names = append(names, what)
	}
	slices.Sort(names)
	for _, what := range names {
		t.Logf("%7d  %s", met[what], what)
	}
}

// Days that found something stay found.
func TestKeptDays(t *testing.T) {
	t.Parallel()
	for _, kept := range sweep.Kept() {
		for _, wrong := range playIn(t, kept.Day).Wrong {
			t.Errorf("%s\n%s\n%s", kept.Why, kept.Day, wrong)
		}
	}
}

func TestASeedIsOneExactDay(t *testing.T) {
	t.Parallel()
	for seed := uint64(1); seed <= twice; seed++ {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			first, again := firstPlay(t, day(t, seed)), playIn(t, day(t, seed))
			if first.Posts != again.Posts || !slices.Equal(first.Wrong, again.Wrong) || !maps.Equal(chosen(first.Met), chosen(again.Met)) {
				t.Errorf("%s\nwas\n%s%v\nand then\n%s%v", day(t, seed), first.Posts, first.Met, again.Posts, again.Met)
			}
		})
	}
}

// chosen is what the seed chooses of what was met: how often a screen is drawn, and judged by the rules of the oracle, it does not.
func chosen(met map[string]int) map[string]int {
	all := maps.Clone(met)
	for what := range all {
		if strings.HasPrefix(what, "oracle: ") {
			all[what] = 1
		}
	}
	return all
}
