package progress_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/plain"
	"geodeck/adminapi/upgrade/progress"
)

func inUTC(m adminapi.Millis) string { return m.Time().Format(time.RFC3339) }

func summaryOf(l progress.Log, meaning progress.State, u progress.UsualTimes) string {
	return progress.Summary(progress.Of(l, meaning), l, meaning, u, inUTC)
}

func TestASummaryTellsARunToWhoWasNotThere(t *testing.T) {
	t.Parallel()
	got := summaryOf(logOf(wholeRelease...), progress.StateSucceeded, progress.UsualTimesOf(progress.ReleaseRun, history()))
	want, err := os.ReadFile("testdata/summary.md")
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s", got)
	}
}

func TestASummaryOfAFailureSaysWhereAndWhat(t *testing.T) {
	t.Parallel()
	page := summaryOf(logOf(wholeRelease[:10]...), progress.StateFailed, progress.UsualTimes{})
	for _, want := range []string{
		"- State: **failed**", "| PostgreSQL | **stopped** |", "| 2108 | PostgreSQL moves to the new version |",
		"its end is not reported (at least 5 min 00 s)", "unknown, no earlier run", "| Content | no message |",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is missing:\n%s", want, page)
		}
	}
	if page := summaryOf(logOf(wholeRelease[:10]...), progress.StateFailed, progress.UsualTimes{Runs: 1, Took: secs(90)}); !strings.Contains(page, "- Usual time: 1 min 30 s, from one earlier run") {
		t.Errorf("beside one earlier run:\n%s", page)
	}
	if empty := summaryOf(logOf(), progress.StateUnknown, progress.UsualTimes{}); !strings.Contains(empty, "- State: **unknown**") {
		t.Errorf("of nothing:\n%s", empty)
	}
}

// Who reads of a run that was undone, or goes on, is told so.
func TestASummarySaysWhatKindOfRunItIsOf(t *testing.T) {
	t.Parallel()
	patch := []logged{{0, 2010, "11.5.0.6745 -> 11.5.0.6805"}, {1, 2271, ""}, {2, 2291, ""}, {3, 2173, "2 of 13"}}
	undone := append(slices.Clone(patch), logged{5, 2270, ""}, logged{6, 2271, ""}, logged{8, 2173, "1 of 2"})
	for name, c := range map[string]struct {
		log     []logged
		meaning progress.State
		has     []string
		lacks   string
	}{
		"a rollback":             {[]logged{{0, 2072, "11.5.0.6805 -> 11.5.0.6745"}, {1, 2271, ""}}, progress.StateRunning, []string{"# Rollback from 11.5.0.6805 to 11.5.0.6745", "| PostgreSQL | not in this rollback |"}, "# Upgrade"},
		"a patch":                {patch, progress.StateRunning, []string{"# Upgrade from 11.5.0.6745 to 11.5.0.6805", "- Deployments: 2 of 13\n", "| PostgreSQL | not in this patch |", "| Content | not in this patch |", "| Search | not in this patch |", "| Finish | no message yet |"}, "failure"},
		"one that failed":        {patch, progress.StateFailed, []string{"- Deployments: 2 of 13 at the last count before the failure\n", "| Finish | no message |"}, "rolled back"},
		"one that was undone":    {undone, progress.StateFailed, []string{"- Deployments: 1 of 2 rolled back after the failure\n"}, "last count"},
		"of no known kind":       {[]logged{{0, 2287, ""}}, progress.StateRunning, []string{"| PostgreSQL | no message yet |", "# Upgrade\n\n- State", "- Read-only: never, according to the messages\n- Messages: 1 "}, "not in this"},
		"one that tells no time": {[]logged{{0, 2010, ""}, {9, 2011, "done"}}, progress.StateSucceeded, []string{"- State: **succeeded**"}, "Took"},
	} {
		page := summaryOf(logOf(c.log...), c.meaning, progress.UsualTimes{})
		for _, want := range c.has {
			if !strings.Contains(page, want) {
				t.Errorf("%s: %q is missing:\n%s", name, want, page)
			}
		}
		if strings.Contains(page, c.lacks) {
			t.Errorf("%s: it says %q:\n%s", name, c.lacks, page)
		}
	}
}

func TestASummaryHoldsNoMarkupOfTheServer(t *testing.T) {
	t.Parallel()
	const evil = "\x1b[2J\u202e <b>|x| ![i](http://a.example) `c`\n# head"
	page := summaryOf(logOf(logged{0, 2101, evil}, logged{1, 7, evil}, logged{2, 2153, evil + `[{"a|b\n":"` + "x|\u202e" + `"}]`}), progress.StateFailed, progress.UsualTimes{})
	if page != plain.Text(page) || strings.Contains(page, "<b>") || strings.Contains(page, "\n# head") || strings.Contains(page, "://") && !strings.Contains(page, `\://`) {
		t.Errorf("%+q", page)
	}
	columns := 0
	for line := range strings.Lines(page) {
		if !strings.HasPrefix(line, "|") {
			columns = 0
			continue
		}
		n := strings.Count(strings.ReplaceAll(line, `\|`, ""), "|")
		if columns > 0 && n != columns {
			t.Errorf("a row has %d signs of columns, not %d: %s", n, columns, line)
		}
		columns = n
	}
}

func TestASummaryOfAHugeLogStaysAPage(t *testing.T) {
	t.Parallel()
	log := slices.Clone(wholeRelease)
	for i := range 5000 {
		log = append(log, logged{2000, 100_000 + i, fmt.Sprint(i)})
	}
	page := summaryOf(logOf(log...), progress.StateSucceeded, progress.UsualTimes{})
	if strings.Count(page, "\n") > 400 || !strings.Contains(page, "and 4801 more") {
		t.Errorf("%d lines", strings.Count(page, "\n"))
	}
}
