package change

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/document"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/batching"
	"geodeck/adminapi/operation/editing"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
	"geodeck/ui/views/services/cluster"
	"geodeck/ui/widget/diff"
)

// step is where in the flow a change is.
type step int

const (
	idle step = iota
	checking
	reviewing
	conflicting
	sending
	ended
)

// String names the step for the path of the frame.
func (s step) String() string {
	return [...]string{"", "check", "review", "conflict", "sending", "result"}[s]
}

// state is the state of one change.
type state struct {
	step          step
	showsRequests bool      // in place of the review
	away          bool      // its page was left while it is sent: opening the service shows it
	title         string    // what is done
	restored      time.Time // when the version that is restored was saved
	edits         []batching.PlannedEdit
	several       bool
	alone         bool         // no other service can take the change
	of            editing.Edit // the change that is made in each of several
	review        *diff.Review
	requests      *requests // that would be sent; nil where they are not read
	pastKnown     bool      // of one service: whether its older versions were read
	past          []operation.Version
	rebased       bool     // the change was brought on top of what the site has now
	kept          []string // what of that others changed, in words
	overwritten   []string // what others changed that the change overwrites
	progress      views.Reports[report]
	begun         []report // the steps of sending, each as last reported
	read          int      // of several: how many definitions were fetched for the plan
	wanted        int      // of several: how many have to be fetched
	began         time.Time
	results       []result
	settled       map[string]bool    // by path: what the host was told of what is sent
	search        *outcomeSearch     // after a lost answer
	site          *document.Document // what others made of it meanwhile; nil where they did not
	seen          time.Time          // when that was read
	conflicts     *conflicts         // with what others changed meanwhile; nil where there are none
	plan          int                // counts the plans: a confirmation is of one of them
	version       int                // of the nodes in the plan
	replanning    bool               // another plan is made, with newer nodes
	resuming      bool               // the plan is for those that a sign-in kept from being sent
	followed      *cluster.Following // pods, after a change of rules; nil for none
}

// Active reports whether there is a change that is shown in place of all else.
func (s *state) Active() bool { return s.step != idle && !s.away }

// InFront reports whether no page of a change was left.
func (s *state) InFront() bool { return !s.away }

// Working says what is being sent, or that its outcome is searched for: no other change can
// begin meanwhile. It is empty for nothing.
func (s *state) Working() string {
	if s.step != sending && !s.searching() {
		return ""
	}
	return s.Busy()
}

// Sends says whether the service at a path is being sent, or waits for that; empty for neither.
func (s *state) Sends(path string) string {
	if s.step != sending {
		return ""
	}
	switch i := slices.IndexFunc(s.toSend(), func(e batching.PlannedEdit) bool { return e.Service.Path() == path }); {
	case i == s.at():
		return "sending"
	case i > s.at():
		return "to be sent"
	}
	return ""
}

// Since is when sending began.
func (s *state) Since() time.Time { return s.began }

// SendsTo is [state.Sends] for one part of a service.
func (s *state) SendsTo(target editing.Target) bool {
	return s.Sends(target.Service.Path()) != "" && s.target().Part == target.Part
}

// Return shows the page of a change again that was left, where a service takes part in it.
func (s *state) Return(service adminapi.ServiceRef) {
	if s.edited(service) {
		s.away = false
	}
}

// edited reports whether a service takes part in the change.
func (s *state) edited(service adminapi.ServiceRef) bool {
	return slices.ContainsFunc(s.edits, func(e batching.PlannedEdit) bool { return e.Service.Path() == service.Path() })
}

// at is which of the edits is sent now.
func (s *state) at() int {
	n := len(s.begun)
	if n == 0 {
		return 0
	}
	return max(0, slices.IndexFunc(s.toSend(), func(e batching.PlannedEdit) bool { return e.Service.Path() == s.begun[n-1].service.Path() }))
}

// Part is the part of a service that is changed.
func (s *state) Part() editing.Part { return s.target().Part }

// Step names the present step.
func (s *state) Step() string { return s.step.String() }

// CapturesText reports whether typed keys are text at present.
func (s *state) CapturesText() bool { return s.step == reviewing && s.review.CapturesText() }

// Filtering reports whether the filter of the review is being typed.
func (s *state) Filtering() bool { return s.step == reviewing && s.review.Filtering() }

// Leave is a question to ask before the view is closed, empty for none.
func (s *state) Leave() string {
	switch {
	case s.step == sending:
		return "A change is being sent; you will not see its outcome."
	case s.searching():
		return "It is not known yet whether the site accepted the " + s.search.edit.Target.String() + "."
	}
	return ""
}

// Busy says what is going on, empty for nothing.
func (s *state) Busy() string {
	switch {
	case s.step == checking:
		return "checking"
	case s.step == sending:
		return "sending " + s.about()
	case s.searching():
		return "finding the outcome"
	}
	return ""
}

// reviewable are the edits that would change something; of one service its edit, whatever it changes.
func (s *state) reviewable() []batching.PlannedEdit {
	return slices.DeleteFunc(slices.Clone(s.edits), func(e batching.PlannedEdit) bool { return e.Refused != nil || s.several && e.Unchanged() })
}

// refused are the edits that cannot be made.
func (s *state) refused() []batching.PlannedEdit {
	return slices.DeleteFunc(slices.Clone(s.edits), func(e batching.PlannedEdit) bool { return e.Refused == nil })
}

// target is the target of a change of one service.
func (s *state) target() editing.Target {
	if len(s.edits) == 0 {
		return editing.Target{}
	}
	return s.edits[0].Target
}

// reviewed is the plan of a change of one service.
func (s *state) reviewed() editing.Plan {
	if len(s.edits) == 0 {
		return editing.Plan{}
	}
	return s.edits[0].Plan
}

// about names what is changed.
func (s *state) about() string {
	switch {
	case s.several && s.step == checking:
		return plain.Plural(s.wanted, "service")
	case s.several && len(s.refused()) > 0 && s.sendable() > 0:
		return fmt.Sprintf("%d of %s", s.sendable(), plain.Plural(s.sendable()+len(s.refused()), "service"))
	case s.several && s.sendable() == 1:
		return s.toSend()[0].Service.Path()
	case s.several: // those that are sent; of none all
		return plain.Plural(cmp.Or(s.sendable(), len(s.edits)), "service")
	case len(s.edits) > 0:
		return s.edits[0].Service.Path()
	}
	return ""
}

// wentWrong reports whether the change that was sent last is not known to be done, or the
// service waits.
func (s *state) wentWrong() bool { return s.step == ended && (s.undone() || s.followed.Waits()) }

// undone reports whether the change that was sent last is not known to be done.
func (s *state) undone() bool {
	return s.last().Err != nil && !s.search.arrived()
}

// result is that of the last write, as far as the search for it has shown.
func (s *state) result() operation.Result {
	r := s.last().Result
	if s.search != nil && s.search.result().Known() {
		r.Outcome = s.search.found.Outcome
	}
	return r
}
