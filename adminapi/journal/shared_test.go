package journal_test

import (
	"errors"
	"os"
	"sync"
	"testing"

	"geodeck/adminapi"
)

func TestTwoJournalsOfOneSiteInOneProgram(t *testing.T) {
	t.Parallel()
	folder := place(t)
	const each = 25
	var wait sync.WaitGroup
	for range 2 {
		j := open(t, folder)
		for range 2 {
			wait.Go(func() {
				for id := range uint64(each) {
					if err := j.BeforeWrite(write(id, nil)); err != nil {
						t.Error(err)
					}
					j.AfterWrite(write(id, nil), adminapi.OutcomeDone, nil)
					_, unkept := j.SaveDraft("k", "key", id)
					if err := errors.Join(j.Problem(), unkept); err != nil {
						t.Error(err)
					}
					if _, found, err := load(j, "k", "key", new(int)); err != nil || !found {
						t.Errorf("draft found: %v, %v", found, err)
					}
				}
			})
		}
	}
	wait.Wait()
	wantAllDone(t, folder, 4*each)
}

func TestTwoProgramsOnOneSite(t *testing.T) {
	t.Parallel()
	folder := place(t)
	runTwice(t, "40", folder)
	wantAllDone(t, folder, 80)
}

func wantAllDone(t *testing.T, folder string, count int) {
	t.Helper()
	j := open(t, folder)
	wantIntact(t, j)
	records := actions(t, j)
	if len(records) != count {
		t.Errorf("got %d records, want %d", len(records), count)
	}
	for _, r := range records {
		if r.Outcome != adminapi.OutcomeDone {
			t.Errorf("write without its outcome: %+v", r)
		}
	}
}

func TestAKilledProgramHasStoredWhatItReported(t *testing.T) {
	t.Parallel()
	folder := place(t)
	p, lines := startProgram(t, "until killed", folder)
	told := 0
	for lines.Scan() {
		if told++; told == 30 {
			break
		}
	}
	if err := p.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = p.Wait()
	j := open(t, folder)
	wantIntact(t, j)
	if records := actions(t, j); len(records) < told {
		t.Errorf("%d writes were sent, %d are in the log", told, len(records))
	}
	if _, found, err := load(j, "both", "one", new(any)); err != nil || !found {
		t.Errorf("draft found: %v, %v", found, err)
	}
	begin(t, j, write(1, nil))
	wantIntact(t, j)
}

func TestARecordThatDoesNotFitIsRemoved(t *testing.T) {
	t.Parallel()
	folder := place(t)
	if err := program(t, fullDisk, folder).Run(); err != nil {
		t.Fatal(err)
	}
	j := open(t, folder)
	data, err := os.ReadFile(logOf(j))
	if err != nil || len(data) == 0 || len(data) >= 5000 || data[len(data)-1] != '\n' {
		t.Errorf("the log of %d bytes ends in half a line, error %v", len(data), err)
	}
	wantIntact(t, j)
}
