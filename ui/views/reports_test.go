package views_test

import (
	"context"
	"testing"

	"geodeck/ui/views"
)

func TestReportsNeverWaitAndTheNewestStay(t *testing.T) {
	r := views.NewReports[int]()
	for i := range 1000 {
		r.Tell(i)
	}
	close(r)
	last, n := -1, 0
	for {
		got, ok := r.Next(context.Background())
		if !ok {
			break
		}
		if got <= last {
			t.Fatalf("%d comes after %d", got, last)
		}
		last, n = got, n+1
	}
	if last != 999 || n == 0 {
		t.Errorf("%d reports, the last is %d", n, last)
	}
}

func TestNobodyWaitsForReportsAfterTheEnd(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, ok := views.NewReports[int]().Next(ctx); ok {
		t.Error("there was a report")
	}
}
