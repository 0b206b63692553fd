package operation

import (
	"context"
	"time"

	"geodeck/adminapi"
)

// PodsReading is how the pods of some deployments stood.
type PodsReading struct {
	Deployments []DeploymentPods // in the order in which they were asked for
	At          time.Time        // by this machine's clock
}

// DeploymentPods is how the pods of one deployment stood.
type DeploymentPods struct {
	ID string
	adminapi.DeploymentStatus
	// Err is why nothing is told of it, such as the role of the default administrator
	// that the caller has not; what was told before still stands beside it.
	Err error
}

// Ready tells whether every pod of every deployment answers. Where one is not known it
// is not so.
func (r PodsReading) Ready() bool { panic("contract only") }

// Refused returns the error of a site that will tell nothing however often it is asked;
// nil where it told of any, or may yet.
func (r PodsReading) Refused() error { panic("contract only") }

// PodsWatch reads how pods come back after an edit: every 2 s, growing to 10 s while
// nothing changes.
type PodsWatch struct {
	site Site
	ids  []string
	pace pace
	last PodsReading
}

// WatchPods returns a watch on the pods of deployments. Nothing is asked yet.
func (s Site) WatchPods(ids []string) *PodsWatch { panic("contract only") }

// Next reads once, and says how long to wait before the next reading. wait is zero
// where asking again tells nothing (Refused). That all are ready does not end it: pods
// are replaced one after the other, and the old ones are ready until then.
//
// away is the error where the site did not answer at all; the reading is then the one
// before.
func (w *PodsWatch) Next(ctx context.Context) (reading PodsReading, wait time.Duration, away error) {
	panic("contract only")
}
