package operation_test

import (
	"testing"
	"time"

	"geodeck/adminapi/operation"
)

func TestARunOfThePastIsListedOnceWithWhatTheSiteAndTheWatchKnow(t *testing.T) {
	t.Parallel()
	p, run := started(t)
	if _, err := operation.Wait(t.Context(), p.clock, p.WatchUpgrade(run), nil); err != nil {
		t.Fatal(err)
	}
	runs, err := p.EarlierRuns(t.Context())
	if err != nil || len(runs) != 1 || !runs[0].Watched || runs[0].From == "" || runs[0].Result != "succeeded" ||
		runs[0].Took < 10*time.Minute || runs[0].ReadOnly == 0 || runs[0].ReadOnly > runs[0].Took {
		t.Errorf("%+v, %v", runs, err)
	}
	p.Journal = nil
	unwatched, err := p.EarlierRuns(t.Context())
	if err != nil || len(unwatched) != 1 || unwatched[0].Watched || unwatched[0].To != runs[0].To || unwatched[0].ReadOnly != 0 ||
		(unwatched[0].Took-runs[0].Took).Abs() > time.Minute {
		t.Errorf("%+v, %v", unwatched, err)
	}
}
