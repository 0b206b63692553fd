package result

import (
	"errors"
	"fmt"
	"slices"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/batching"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
	"geodeck/ui/views/services/plan"
	"geodeck/ui/views/services/sending"
)

// End is how a plan ended: the results of the edits that were tried, and the search for the last of
// them, where its answer was lost.
type End struct {
	Plan    plan.Plan
	Results []sending.Result
	Began   time.Time       // when sending began
	Search  *sending.Search // nil for none
}

// Last is the result of the edit that was sent last.
func (o *End) Last() sending.Result { return o.Results[len(o.Results)-1] }

// undone reports whether the change that was sent last is not known to be done.
func (o *End) undone() bool { return o.Last().Err != nil && !o.Search.Arrived() }

// result is that of the last write, as far as the search for it has shown.
func (o *End) result() operation.Result {
	r := o.Last().Result
	if o.Search != nil && o.Search.Result().Known() {
		r.Outcome = o.Search.Result().Outcome
	}
	return r
}

// Left are those services that do not have the change, as far as is known: it failed, was not sent, or
// cannot be made there.
func (o *End) Left() (services []adminapi.ServiceRef) {
	accepted := map[string]bool{}
	for _, r := range o.Results {
		accepted[r.Service.Path()] = r.Kept()
	}
	if o.Search.Arrived() {
		accepted[o.Search.Service().Path()] = true
	}
	for _, e := range o.Plan.Edits {
		if !e.Unchanged() && !accepted[e.Service.Path()] {
			services = append(services, e.Service)
		}
	}
	return services
}

// brief says in a few words how one edit ended, as far as the search has shown.
func (o *End) brief(r sending.Result) (operation.Tone, string) {
	switch l := o.Search; {
	case l == nil || l.Service().Path() != r.Service.Path():
		return r.Brief()
	case l.Arrived():
		return operation.ToneGood, "done"
	case l.Result().Refused():
		return operation.ToneBad, "refused"
	case l.Partly():
		return operation.ToneWarn, "neither old nor new"
	}
	return operation.ToneUnknown, "not known"
}

// Tell says how a change ended whose page was left. The rest stands on its page, which a service of it
// opens.
func (o *End) Tell() tea.Cmd {
	r := o.Last()
	what, left := plain.Line(r.Target.String()), len(o.Left())
	arrived := o.Search.Arrived()
	switch {
	case left > 0 && (arrived || r.Done() && !r.Down()):
		total := len(slices.DeleteFunc(slices.Clone(o.Plan.Edits), batching.PlannedEdit.Unchanged))
		return views.Tell(views.Warning, fmt.Sprintf("%d of %d sent; %d not sent; open one of them.", total-left, total, left))
	case arrived:
		return views.Tell(views.Success, "The site has the new "+what+o.Search.OnlyLost()+".")
	case errors.Is(r.Err, operation.ErrUnresolved):
		return nil // it is told
	case !r.Done() || r.Down():
		_, word := o.brief(r)
		text := plain.Line(r.Service.Path()) + ": " + word + "; open it."
		if o.Plan.Several {
			text = fmt.Sprintf("%d of %d: ", len(o.Results), o.Plan.Sendable()) + text
		}
		return views.Send(views.Notice{Level: views.Failure, Text: text, Result: o.result()})
	case r.Applied.ReadBackErr != nil:
		return views.Tell(views.Warning, plain.Line(r.Service.Path())+": accepted, but not read back; open it.")
	}
	if o.Plan.Several {
		return views.Tell(views.Success, "The change was sent to "+plain.Plural(len(o.Results), "service")+"; open one of them.")
	}
	return views.Tell(views.Success, "The site has the new "+what+".")
}
