package cli

import (
	"context"
	"errors"
	"fmt"

	"geodeck/adminapi"
	"geodeck/adminapi/plain"
	"geodeck/adminapi/upgrade/progress"
)

// timeUp says that a sign-in is needed where the site refuses to tell, and what is not known where the time is up while the site tells a state that
// is neither running nor an end: it has answered, and nobody knows what goes on.
func (w *watching) timeUp(ctx context.Context, err error) error {
	if w.before.Refused != nil && errors.Is(context.Cause(ctx), errTimeUp) {
		return w.kept(w.before.Refused)
	}
	if !w.told || w.before.Meaning != progress.StateUnknown || !errors.Is(context.Cause(ctx), errTimeUp) {
		return err
	}
	return &failure{code: exitGoingOn, kind: "going on", advice: "Watch on with: geodeck upgrade watch",
		err: fmt.Errorf("no end was seen within %s; the site says %q, which is neither running nor an end%s",
			adminapi.Spell(w.flags.timeout), plain.Clip(w.before.Status.State, 60), w.lastCause())}
}
