package operation

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"geodeck/adminapi"
	"geodeck/adminapi/document"
	"geodeck/adminapi/placement"
)

// Part is what of a service is read and replaced as a whole, in JSON.
type Part uint8

// The parts.
const (
	Definition Part = iota
	Placement       // the rules that place its pods; see [geodeck/adminapi/placement]
)

// String names the part, such as "placement policy".
func (p Part) String() string { return p.access().name }

// Of names the part of the service with that path, as [Target.String] does.
func (p Part) Of(path string) string { return p.String() + " of " + path }

// access is how a part is read, sent and kept.
type access struct {
	name string
	kind string // the kind under which the journal keeps old ones and edits that go on
	edit string // the end of the path of its edit, below the service
	read func(*adminapi.Client, context.Context, adminapi.ServiceRef) (jsontext.Value, error)
	send func(*adminapi.Client, context.Context, adminapi.ServiceRef, []byte) (adminapi.Accepted, adminapi.Outcome, error)
}

var parts = [...]access{
	Definition: {name: "definition", kind: "definition", edit: "/edit", read: (*adminapi.Client).ServiceDefinition, send: sendDefinition},
	Placement:  {name: "placement policy", kind: "placement", edit: "/placementPolicy/edit", read: (*adminapi.Client).ServicePlacement, send: sendPlacement},
}

func (p Part) access() access { return parts[p] }

// sendDefinition sends once: as a job where the site is new enough, else at once.
func sendDefinition(c *adminapi.Client, ctx context.Context, service adminapi.ServiceRef, text []byte) (adminapi.Accepted, adminapi.Outcome, error) {
	accepted, outcome, err := c.EditService(ctx, service, text, true)
	if outcome == adminapi.OutcomeNotSent && errors.Is(err, adminapi.KindVersionTooOld) {
		return c.EditService(ctx, service, text, false)
	}
	return accepted, outcome, err
}

func sendPlacement(c *adminapi.Client, ctx context.Context, service adminapi.ServiceRef, text []byte) (adminapi.Accepted, adminapi.Outcome, error) {
	return c.EditServicePlacement(ctx, service, text)
}

// Target is a part of one service.
type Target struct {
	Service adminapi.ServiceRef
	Part    Part
}

// DefinitionOf names the definition of a service.
func DefinitionOf(service adminapi.ServiceRef) Target { return Target{service, Definition} }

// PlacementOf names the placement policy of a service.
func PlacementOf(service adminapi.ServiceRef) Target { return Target{service, Placement} }

// String names it for a person, such as "placement policy of Roads.MapServer"; not
// cleaned.
func (t Target) String() string { return t.Part.Of(t.Service.Path()) }

// Same reports whether both are the same part of the same service.
func (t Target) Same(other Target) bool {
	return t.Part == other.Part && t.Service.Path() == other.Service.Path()
}

// isEditedBy reports whether a path is that of an edit of this very part, not of one of
// a service of the same name in another folder.
func (t Target) isEditedBy(path string) bool {
	return strings.HasSuffix(unescaped(path), "services/"+t.Service.Path()+t.Part.access().edit)
}

// Content is what a part of a service held when it was read.
type Content struct {
	Target
	Document *document.Document
	Read     time.Time // by this machine's clock
}

// ReadContent reads a part of a service. One that cannot be edited without loss, such
// as with duplicate keys, is a [*document.SyntaxError].
func (s Site) ReadContent(ctx context.Context, t Target) (Content, error) {
	raw, err := t.Part.access().read(s.Client, ctx, t.Service)
	if err != nil {
		return Content{}, err
	}
	d, err := document.Parse(raw)
	if err != nil {
		return Content{}, fmt.Errorf("the %s that the site sent cannot be edited without loss: %w", t.Part, err)
	}
	return Content{Target: t, Document: d, Read: s.Clock.Now()}, nil
}

// Edit is what somebody wants to make of a part of a service.
type Edit struct {
	Target
	Base         *document.Document // as it was read
	Edited       *document.Document
	AllowRemoved []document.Path // keys whose loss was confirmed by name
	Why          string          // for the history, such as "an edit"

	// Of a placement policy: the nodes of the cluster, none where they are not known,
	// and whether it was confirmed that no node takes the pods.
	Nodes     []placement.Node
	AllowNone bool
}

// EditPlan is what an edit would do, for a review.
type EditPlan struct {
	Changes     []document.Change
	Risks       []document.Risk
	RemovedKeys []document.Path // all of them, also those that were confirmed
	Findings    []document.Finding
	Moves       []Move // of a placement policy: whose pods are replaced
}

// Plan compares. It asks nobody. A placement policy is compared with every node: not
// for the update loop.
func (e Edit) Plan() EditPlan {
	changes := document.Diff(e.Base, e.Edited)
	if e.Part == Placement {
		moves := e.Moves()
		return EditPlan{Changes: changes, Risks: e.placementRisks(moves), Findings: e.findings(), Moves: moves}
	}
	return EditPlan{Changes: changes, Risks: document.Risks(changes, e.Edited), RemovedKeys: document.RemovedKeys(e.Base, e.Edited), Findings: e.findings()}
}

// findings are the rules that the edit breaks; what the site had already does not
// block.
func (e Edit) findings() []document.Finding {
	if e.Part == Placement {
		return e.placementFindings()
	}
	return document.Check(e.Edited, e.Base)
}

// Unconfirmed returns the keys that would be lost and were not confirmed by name.
// Rules of a placement policy are taken away on purpose: the review shows them.
func (e Edit) Unconfirmed() (paths []document.Path) {
	if e.Part == Placement {
		return nil
	}
	allowed := make(map[document.Path]bool, len(e.AllowRemoved))
	for _, path := range e.AllowRemoved {
		allowed[path] = true
	}
	for _, path := range document.RemovedKeys(e.Base, e.Edited) {
		if !allowed[path] {
			paths = append(paths, path)
		}
	}
	return paths
}

// Rebase brings the edit onto what the site has now. Where both changed the same
// place in different ways there are conflicts, and the edit is as it was.
func (e Edit) Rebase(theirs *document.Document) (Edit, []document.Conflict) {
	merged, conflicts := document.Merge(e.Base, e.Edited, theirs)
	if len(conflicts) > 0 {
		return e, conflicts
	}
	e.Base, e.Edited = theirs, merged
	return e, nil
}

// Sendable says why an edit must not be sent, whatever the site says:
// [ErrNothingChanged], [*BlockedError], [*RemovedKeysError], [*NoNodeError].
func (e Edit) Sendable() error {
	if len(document.Diff(e.Base, e.Edited)) == 0 {
		return ErrNothingChanged
	}
	if err := e.Blocked(); err != nil {
		return err
	}
	if lost := e.Unconfirmed(); len(lost) > 0 {
		return &RemovedKeysError{lost}
	}
	if unschedulable := e.Unschedulable(); len(unschedulable) > 0 && !e.AllowNone {
		return &NoNodeError{Deployments: unschedulable, Nodes: len(e.Nodes)}
	}
	return nil
}

// Blocked is a [*BlockedError] where the edit breaks rules in a way that nothing can be
// sent: no confirmation helps, only another edit. Else it is nil.
func (e Edit) Blocked() error {
	var blocking []document.Finding
	for _, finding := range e.findings() {
		if finding.Blocking {
			blocking = append(blocking, finding)
		}
	}
	if len(blocking) > 0 {
		return &BlockedError{e.Part, blocking}
	}
	return nil
}

func (e Edit) why() string {
	if e.Why == "" {
		return "an edit"
	}
	return e.Why
}

// ErrNothingChanged says that an edit would send what the site has already; nothing
// was sent. Exit code 0.
var ErrNothingChanged = errors.New("nothing is changed; nothing was sent")

// BlockedError says which rules an edit breaks. Nothing was sent. Exit code 2.
type BlockedError struct {
	Part     Part
	Findings []document.Finding
}

// Error names the first of them.
func (e *BlockedError) Error() string {
	return "the " + e.Part.String() + " breaks the rules of its fields, " + e.Findings[0].Path.String() + ": " + e.Findings[0].Text + "; nothing was sent"
}

// RemovedKeysError says which keys would be gone without anybody having confirmed it.
// Nothing was sent. Exit code 4.
type RemovedKeysError struct{ Paths []document.Path }

// Error names them.
func (e *RemovedKeysError) Error() string {
	names := make([]string, len(e.Paths))
	for i, path := range e.Paths {
		names[i] = path.String()
	}
	return "these keys would be gone, for an edit replaces the whole definition: " + strings.Join(names, ", ") + "; nothing was sent"
}

// DriftError says that a part is not any more what was edited. Nothing was sent. Exit
// code 4.
type DriftError struct {
	Part    Part
	Theirs  *document.Document
	Changes []document.Change // from the base to theirs
}

// Error says how much has changed.
func (e *DriftError) Error() string {
	return fmt.Sprintf("the %s was changed at the site since it was read (first %s, %d in all); nothing was sent", e.Part, e.Changes[0].Path, len(e.Changes))
}

// NotStoredError says what the site accepted and did not keep. Exit code 1.
type NotStoredError struct{ Changes []document.Change } // from what was sent to what is there

// Error says how much.
func (e *NotStoredError) Error() string {
	return fmt.Sprintf("the site accepted the edit and did not keep all of it: %s is %s (%d in all)", e.Changes[0].Path, e.Changes[0].Kind, len(e.Changes))
}

// PlannedEdit is the same change on one of several services.
type PlannedEdit struct {
	Edit
	Plan EditPlan
	// Refused is why the change cannot be made there: the definition could not be
	// read, a place is missing, the result breaks a rule. nil where it can.
	Refused error
}

// Unchanged reports whether the service has all of it already.
func (p PlannedEdit) Unchanged() bool { return p.Refused == nil && len(p.Plan.Changes) == 0 }

// PlanMany reads the definition of each service and makes the changes in it,
// whatever value stands there now. Nothing is sent. Each is reported as it is ready.
func (s Site) PlanMany(ctx context.Context, services []adminapi.ServiceRef, changes []document.Change, report func(done int)) []PlannedEdit {
	planned := make([]PlannedEdit, len(services))
	for i, service := range services {
		planned[i] = edits{s}.planOne(ctx, service, changes)
		if report != nil {
			report(i + 1)
		}
	}
	return planned
}

func (s edits) planOne(ctx context.Context, service adminapi.ServiceRef, changes []document.Change) PlannedEdit {
	target := DefinitionOf(service)
	p := PlannedEdit{Edit: Edit{Target: target, Why: "an edit of several services"}}
	d, err := s.ReadContent(ctx, target)
	if err != nil {
		p.Refused = err
		return p
	}
	p.Base = d.Document
	if p.Edited, p.Refused = d.Document.Apply(changes); p.Refused != nil {
		return p
	}
	p.Plan = p.Edit.Plan()
	if len(p.Plan.Changes) > 0 { // lost keys are confirmed in the review
		p.Refused = p.Edit.Blocked()
	}
	return p
}

// AppliedEdit is what became of one of several edits.
type AppliedEdit struct {
	Target
	Applied Applied
	Outcome adminapi.Outcome
	Err     error
}

// ApplyMany applies edits one after the other and stops at the first that is not
// done whole: those after it are not sent, and not in the result. An edit that
// changes nothing is skipped.
func (s Site) ApplyMany(ctx context.Context, edits []PlannedEdit, report func(service adminapi.ServiceRef, p EditProgress)) []AppliedEdit {
	var results []AppliedEdit
	for _, edit := range edits {
		if edit.Refused != nil || edit.Unchanged() {
			continue
		}
		result := AppliedEdit{Target: edit.Target}
		result.Applied, result.Outcome, result.Err = s.ApplyEdit(ctx, edit.Edit, func(p EditProgress) {
			if report != nil {
				report(edit.Service, p)
			}
		})
		results = append(results, result)
		if result.Err != nil || result.Outcome != adminapi.OutcomeDone {
			break
		}
	}
	return results
}
