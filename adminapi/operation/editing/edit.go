// Package editing holds what an edit of a part of a service is, before it is sent: its definition as JSON, or
// the rules that place its pods. Start at [Edit] and [Edit.Plan]; merge.go brings it together with an edit by
// others, rules.go says what it means for pods and nodes, changes.go makes it in other services.
package editing

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"geodeck/adminapi"
	"geodeck/adminapi/document"
	"geodeck/adminapi/finding"
	"geodeck/adminapi/placement"
)

// Part is a JSON document of a service that is read and replaced as a whole.
type Part uint8

// The parts.
const (
	Definition Part = iota
	Placement       // the rules that place its pods; see [geodeck/adminapi/placement]
)

// String names the part, such as "placement policy".
func (p Part) String() string { return accesses[p].name }

// Of names the part of the service with a path, as [Target.String] does.
func (p Part) Of(path string) string { return p.String() + " of " + path }

// access is how a part is fetched, sent and saved.
type access struct {
	name   string
	kind   string
	noun   string // of the commands on it
	writes adminapi.WriteKind
	edit   string // the end of the path of its edit operation
	read   func(adminapi.Services, context.Context, adminapi.ServiceRef) (jsontext.Value, error)
	call   func(adminapi.ServiceRef, jsontext.Value) adminapi.Call // that sends it
}

var accesses = [...]access{
	Definition: {name: "definition", kind: "definition", noun: "service", writes: adminapi.WriteDefinition, edit: "/edit",
		read: adminapi.Services.Definition, call: func(service adminapi.ServiceRef, text jsontext.Value) adminapi.Call {
			return adminapi.EditService(service, text, true) // in a job, where the site has them for that
		}},
	Placement: {name: "placement policy", kind: "placement", noun: "placement", writes: adminapi.WriteRules, edit: "/placementPolicy/edit",
		read: adminapi.Services.Placement, call: adminapi.EditServicePlacement},
}

// Parts are all parts.
var Parts = []Part{Definition, Placement}

// Kind is that of its drafts and backups in the journal.
func (p Part) Kind() string { return accesses[p].kind }

// Noun is that of the commands on it, such as "service" of "geodeck service get".
func (p Part) Noun() string { return accesses[p].noun }

// Writes is the kind of the write that edits it.
func (p Part) Writes() adminapi.WriteKind { return accesses[p].writes }

// Target is a part of one service.
type Target struct {
	Service adminapi.ServiceRef
	Part    Part
}

// DefinitionOf names the definition of a service.
func DefinitionOf(service adminapi.ServiceRef) Target { return Target{service, Definition} }

// PlacementOf names the placement policy of a service.
func PlacementOf(service adminapi.ServiceRef) Target { return Target{service, Placement} }

// String names it for a person, such as "placement policy of Roads.MapServer"; not cleaned.
func (t Target) String() string { return t.Part.Of(t.Service.Path()) }

// Same reports whether both are the same part of the same service.
func (t Target) Same(other Target) bool {
	return t.Part == other.Part && t.Service.Path() == other.Service.Path()
}

// IsEditedBy reports whether a path is that of an edit of this part; a service of the same
// name in another folder does not match.
func (t Target) IsEditedBy(path string) bool {
	return strings.HasSuffix(Unescaped(path), "services/"+t.Service.Path()+accesses[t.Part].edit)
}

// Content is a part of a service as it was fetched.
type Content struct {
	Target
	Document *document.Document
}

// Raw fetches a part of a service as the site sends it.
func (t Target) Raw(ctx context.Context, client *adminapi.Client) (jsontext.Value, error) {
	return accesses[t.Part].read(client.Services, ctx, t.Service)
}

// Read fetches a part of a service. One that cannot be edited without loss, such as
// with duplicate keys, is a [*document.SyntaxError].
func Read(ctx context.Context, client *adminapi.Client, t Target) (Content, error) {
	raw, err := t.Raw(ctx, client)
	if err != nil {
		return Content{}, err
	}
	d, err := document.Parse(raw)
	if err != nil {
		return Content{}, fmt.Errorf("the %s that the site sent cannot be edited without loss: %w", t.Part, err)
	}
	return Content{Target: t, Document: d}, nil
}

// Edit is a change of a part of a service that is to be sent.
type Edit struct {
	Target
	Base     *document.Document // as it was fetched
	Edited   *document.Document
	Why      string            // for the history, such as "an edit"
	Accepted Accepted          // what of its findings
	Drift    []finding.Finding // what others changed meanwhile and the edit overwrites, see [Merge.Others]
	Keys     document.Keys     // of a definition: those of definitions that were read before
	Nodes    []placement.Node  // of the cluster, for a placement policy; none where they are not known
	Unread   *Unread           // why the base is not what was read of the site; nil where it is
	Sync     *bool             // whether the site answers at its end, in place of a job; nil for what is usual for the part
}

// Call is what sends the edit.
func (e Edit) Call() adminapi.Call {
	call := accesses[e.Part].call(e.Service, e.Edited.Bytes())
	if e.Sync != nil {
		call = call.WithAsync(!*e.Sync)
	}
	return call
}

// Plan is what an edit would do, for its review.
type Plan struct {
	Changes  []document.Change
	Risks    []finding.Finding
	Findings []finding.Finding
	Moves    []Move                     // of a placement policy: whose pods are replaced
	Words    map[document.Path][]string // of a placement policy: its changes in the words of rules
	Shared   []string                   // deployments of [Edit.Pods] in which other services run, as far as they were read
}

// Plan compares the two documents. It does no I/O, but a placement policy is compared with
// every node, which is too slow for an update loop.
func (e Edit) Plan() Plan {
	changes, drift := document.Diff(e.Base, e.Edited), slices.Concat(e.unread(), e.Drift)
	if e.Part == Placement {
		moves := e.Moves()
		risks := e.placementRisks(moves)
		findings := e.findings()
		risks = slices.DeleteFunc(risks, func(r finding.Finding) bool { // what blocks says why no node can match
			return r.ID == NoNode && slices.ContainsFunc(moves, func(m Move) bool { return m.Never != "" && string(m.Cause) == r.At.Path }) &&
				slices.ContainsFunc(findings, func(f finding.Finding) bool { return f.Blocks() && within(f, r) })
		})
		findings = slices.DeleteFunc(findings, func(f finding.Finding) bool { // the risk says it
			return (f.Strength == finding.Danger || f.ID == placement.NoNode && f.Open()) && slices.ContainsFunc(risks, func(r finding.Finding) bool {
				return r.ID == NoNode && within(f, r)
			})
		})
		for i, f := range findings { // the danger is accepted for them
			if f.Open() && slices.ContainsFunc(risks, func(r finding.Finding) bool { return r.ID == NoNode && within(f, r) }) {
				findings[i].Strength, findings[i].Accept = finding.Note, ""
			}
		}
		return Plan{Changes: changes, Risks: slices.Concat(drift, risks), Findings: findings, Moves: moves, Words: e.Words(changes)}
	}
	risks := drift
	if !e.Unread.Blank() { // else nothing is known of what changes
		risks = slices.Concat(drift, e.Keys.Check(e.Edited, e.Base), document.Risks(changes, e.Edited))
	}
	return Plan{Changes: changes, Risks: risks, Findings: e.findings()}
}

// Pods are the deployments whose pods a plan of the edit replaces, or likely restarts.
func (e Edit) Pods(p Plan) (ids []string) {
	for _, m := range p.Moves {
		if m.After.DeploymentID != "" {
			ids = append(ids, m.After.DeploymentID)
		}
	}
	if slices.ContainsFunc(p.Risks, func(r finding.Finding) bool { return r.ID == document.RestartLikely }) {
		return DeploymentsOf(e.Part, e.Edited)
	}
	return ids
}

// within reports whether a finding is of the place of a risk, or of something in it.
func within(f, risk finding.Finding) bool {
	return document.Path(f.At.Path).Within(document.Path(risk.At.Path))
}

// Review is the plan as a person looks at it; service heads it among several.
func (p Plan) Review(service string) document.Review {
	return document.Review{Service: service, Changes: p.Changes, Risks: p.Risks, Findings: p.Findings, Words: p.Words}
}

// Comparison is what differs between two versions of a part, to be read: nothing of it is
// confirmed or sent.
func (p Part) Comparison(before, after *document.Document) document.Review {
	edit := Edit{Target: Target{Part: p}, Base: before, Edited: after}
	changes := document.Diff(before, after)
	return document.Review{Changes: changes, Risks: document.Risks(changes, after), Words: edit.Words(changes)}
}

// findings are the rules that the edit breaks. Those that the base breaks do not block.
func (e Edit) findings() []finding.Finding {
	if e.Part == Placement {
		return e.placementFindings()
	}
	return document.Check(e.Edited, e.Base)
}

// Rebase brings the edit onto what the site has now. Where both changed the same place in
// different ways it returns the conflicts, and the edit as it was.
func (e Edit) Rebase(theirs *document.Document) (Edit, []document.Conflict) {
	return Merge{Edit: e, Theirs: theirs}.With(nil)
}

// Sendable returns why an edit must not be sent, whatever the site has: [ErrNothingChanged],
// [*BlockedError], [*NotAcceptedError].
func (e Edit) Sendable() error {
	if len(document.Diff(e.Base, e.Edited)) == 0 {
		return ErrNothingChanged
	}
	if err := e.Blocked(); err != nil {
		return err
	}
	if left := finding.Left(e.Plan().Found(), e.Accepted.By()); len(left) > 0 {
		return &NotAcceptedError{left}
	}
	return nil
}

// Blocked returns a [*BlockedError] where the edit breaks rules that no confirmation
// overrides, else nil.
func (e Edit) Blocked() error {
	if blocking := finding.Those(e.findings(), finding.Finding.Blocks); len(blocking) > 0 {
		return &BlockedError{e.Part, blocking}
	}
	return nil
}

// ErrNothingChanged says that an edit changes nothing. Nothing was sent. Exit code 0.
var ErrNothingChanged = errors.New("no changes; nothing was sent")

// BlockedError says which rules an edit breaks. Nothing was sent. Exit code 2.
type BlockedError struct {
	Part     Part
	Findings []finding.Finding
}

// Error names the first rule.
func (e *BlockedError) Error() string {
	return "the " + e.Part.String() + " breaks the rules of its fields, " + e.Findings[0].At.String() + ": " + strings.TrimSuffix(e.Findings[0].Text, ".") + "; nothing was sent"
}

// DriftError says that a part was changed at the site since it was fetched. Nothing was
// sent. Exit code 4.
type DriftError struct {
	Part    Part
	Theirs  *document.Document
	Changes []document.Change // from the base to theirs
}

// Error says where, and in how many places.
func (e *DriftError) Error() string {
	return fmt.Sprintf("the %s has changed at the site since it was read (first %s, %d in all); nothing was sent", e.Part, e.Changes[0].Path, len(e.Changes))
}

// NotStoredError says what the site accepted and did not store. Exit code 1.
type NotStoredError struct {
	Changes []document.Change // from what was sent to what the site has
	Left    bool              // a part of the edit itself is not stored: that is still a change
}

// NotStored compares the edit with what the site has after it.
func (e Edit) NotStored(now *document.Document) *NotStoredError {
	rebased, conflicts := e.Rebase(now)
	return &NotStoredError{document.Diff(e.Edited, now), len(conflicts) > 0 || len(document.Diff(now, rebased.Edited)) > 0}
}

// Error says where, and in how many places.
func (e *NotStoredError) Error() string {
	return fmt.Sprintf("the site accepted the edit, but did not keep all of it: %s is %s (%d in all)", e.Changes[0].Path, e.Changes[0].Kind, len(e.Changes))
}

// Unescaped decodes a path; one that cannot be decoded stays as it is.
func Unescaped(path string) string {
	if decoded, err := url.PathUnescape(path); err == nil {
		return decoded
	}
	return path
}
