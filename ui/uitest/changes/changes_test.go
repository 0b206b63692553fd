package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// told writes what days tell, by their seeds.
func told(t *testing.T, days map[string]string) string {
	t.Helper()
	folder := t.TempDir()
	for seed, text := range days {
		if err := os.WriteFile(filepath.Join(folder, seed), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

func compared(t *testing.T, was, again, is map[string]string) string {
	t.Helper()
	days, err := compare(told(t, was), told(t, again), told(t, is))
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := report(&out, days, len(was), "main"); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestWhatDaysTellOtherwiseIsPrintedByKind(t *testing.T) {
	t.Parallel()
	was := map[string]string{
		"2":  "edit by commands\n  1.5s  program-1 told: done\n  2s  begins",
		"10": "edit by keys\n  7m1s  program-2 told: done",
		"11": "upgrade by keys\n  1s  nothing",
	}
	is := map[string]string{
		"2":  "edit by commands\n  1.5s  program-1 told: unknown\n  2s  begins",
		"10": "edit by keys\n  7m1s  program-2 told: unknown",
		"11": "upgrade by keys\n  1s  nothing",
	}
	const want = `2 of 3 days tell something else than with main.

2 like seed 2 (edit by commands):
  - program-1 told: done
  + program-1 told: unknown
`
	if got := compared(t, was, was, is); got != want {
		t.Errorf("it prints\n%s", got)
	}
}

func TestTheSameIsToldLaterInAnotherOrderByAnotherProcess(t *testing.T) {
	t.Parallel()
	was := map[string]string{"1": "fleet\n 1s  a\n 2s  b\n 3s  by root (process 12) in /tmp/geodeck-plan-0123/plan.json\n\"process\": 12,\nWHO               PROGRAM"}
	is := map[string]string{"1": "fleet\n 2s  b\n 1h2m3.004s  a\n 4s  by root (process 7) in /tmp/geodeck-plan-99/plan.json\n\"process\": 7,\nWHO              PROGRAM"}
	if got := compared(t, was, was, is); got != "Nothing is told otherwise than with main; days played: 1.\n" {
		t.Errorf("it prints\n%s", got)
	}
}

func TestWhatDiffersFromPlayToPlayIsNoChange(t *testing.T) {
	t.Parallel()
	was, again, is := map[string]string{"1": "fleet\n a first"}, map[string]string{"1": "fleet\n b first"}, map[string]string{"1": "fleet\n b first"}
	if got := compared(t, was, again, is); got != "Nothing is told otherwise than with main; days played: 1.\n" {
		t.Errorf("it prints\n%s", got)
	}
}

func TestADayThatWasNotPlayedIsAnError(t *testing.T) {
	t.Parallel()
	was := told(t, map[string]string{"1": "fleet"})
	if _, err := compare(was, was, t.TempDir()); err == nil || !strings.Contains(err.Error(), "day 1 was not played") {
		t.Errorf("%v", err)
	}
}
