package operation

import (
	"context"
	"errors"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

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
func (r PodsReading) Ready() bool {
	for _, d := range r.Deployments {
		if d.Err != nil || !d.AllReady() {
			return false
		}
	}
	return len(r.Deployments) > 0
}

// Refused returns the error of a site that will tell nothing however often it is asked;
// nil where it told of any, or may yet.
func (r PodsReading) Refused() error {
	var first error
	for _, d := range r.Deployments {
		if d.Err == nil || adminapi.Passing(d.Err) {
			return nil
		}
		if first == nil {
			first = d.Err
		}
	}
	return first
}

// PodsWatch reads how pods come back after an edit: every 2 s, growing to 10 s while
// nothing changes.
type PodsWatch struct {
	site Site
	ids  []string
	pace pace
	last PodsReading
}

// The pods are read after 2 s, growing to 10 s while nothing changes.
const podsFirst, podsLast = 2 * time.Second, 10 * time.Second

// podsAtOnce bounds the requests under way for the pods of a service.
const podsAtOnce = 4

// WatchPods returns a watch on the pods of deployments. Nothing is asked yet.
func (s Site) WatchPods(ids []string) *PodsWatch {
	w := &PodsWatch{site: s, ids: slices.Clone(ids), pace: newPace(podsFirst, podsLast)}
	for _, id := range ids {
		w.last.Deployments = append(w.last.Deployments, DeploymentPods{ID: id, DeploymentStatus: adminapi.DeploymentStatus{ID: id}})
	}
	return w
}

// Next reads once, and says how long to wait before the next reading. wait is zero
// where asking again tells nothing (Refused). That all are ready does not end it: pods
// are replaced one after the other, and the old ones are ready until then.
//
// away is the error where the site did not answer at all; the reading is then the one
// before. A sign-in that is needed ([adminapi.KindSignIn]) and a caller that gave up are
// told there too, with a wait of zero: after a sign-in the watch can go on.
func (w *PodsWatch) Next(ctx context.Context) (reading PodsReading, wait time.Duration, away error) {
	fresh := w.read(ctx)
	if err := ends(fresh); err != nil {
		return w.last, 0, err
	}
	if err := silent(fresh); err != nil {
		return w.last, w.pace.afterSilence(), err
	}
	if w.changed(fresh) {
		w.pace.running.Reset()
	}
	w.last = PodsReading{Deployments: fresh, At: w.site.Clock.Now()}
	if w.last.Refused() != nil {
		return w.last, 0, nil
	}
	return w.last, w.pace.afterReading(), nil
}

// read asks for every deployment. One that tells nothing keeps what it told before.
func (w *PodsWatch) read(ctx context.Context) []DeploymentPods {
	fresh := slices.Clone(w.last.Deployments)
	var group errgroup.Group
	group.SetLimit(podsAtOnce)
	for i, id := range w.ids {
		group.Go(func() error {
			status, err := w.site.Client.DeploymentStatus(ctx, id)
			if err == nil {
				fresh[i].DeploymentStatus = status
			}
			fresh[i].Err = err
			return nil
		})
	}
	_ = group.Wait() // every error stands beside its deployment
	return fresh
}

// ends returns the error that concerns every deployment, and that no pause helps.
func ends(fresh []DeploymentPods) error {
	for _, d := range fresh {
		if errors.Is(d.Err, adminapi.KindSignIn) || errors.Is(d.Err, adminapi.KindCancelled) {
			return d.Err
		}
	}
	return nil
}

// silent returns the first error where no deployment was told of.
func silent(fresh []DeploymentPods) error {
	for _, d := range fresh {
		if d.Err == nil || !adminapi.Passing(d.Err) {
			return nil
		}
	}
	if len(fresh) == 0 {
		return nil
	}
	return fresh[0].Err
}

func (w *PodsWatch) changed(fresh []DeploymentPods) bool {
	return !slices.EqualFunc(w.last.Deployments, fresh, func(a, b DeploymentPods) bool {
		return a.ReadyReplicas == b.ReadyReplicas && a.TotalReplicas == b.TotalReplicas && a.State == b.State && (a.Err == nil) == (b.Err == nil)
	})
}
