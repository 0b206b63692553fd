package operation

import (
	"errors"
	"fmt"
	"strings"

	"geodeck/adminapi/document"
	"geodeck/adminapi/placement"
)

// Edit is what somebody wants to make of a part of a service.
type Edit struct {
	Target
	Base      *document.Document // as it was read
	Edited    *document.Document
	AllowLost []document.Path // keys whose loss was confirmed by name
	Why       string          // for the history, such as "an edit"

	// Of a placement policy: the nodes of the cluster, none where they are not known,
	// and whether it was confirmed that no node takes the pods.
	Nodes     []placement.Node
	AllowNone bool
}

// EditPlan is what an edit would do, for a review.
type EditPlan struct {
	Changes  []document.Change
	Risks    []document.Risk
	Lost     []document.Path // all of them, also those that were confirmed
	Findings []document.Finding
	Moves    []Move // of a placement policy: whose pods are replaced
}

// Plan compares. It asks nobody. A placement policy is compared with every node: not
// for the update loop.
func (e Edit) Plan() EditPlan {
	changes := document.Diff(e.Base, e.Edited)
	if e.Part == Placement {
		moves := e.Moves()
		return EditPlan{Changes: changes, Risks: e.placementRisks(moves), Findings: e.findings(), Moves: moves}
	}
	return EditPlan{Changes: changes, Risks: document.Risks(changes, e.Edited), Lost: document.Lost(e.Base, e.Edited), Findings: e.findings()}
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
	allowed := make(map[document.Path]bool, len(e.AllowLost))
	for _, path := range e.AllowLost {
		allowed[path] = true
	}
	for _, path := range document.Lost(e.Base, e.Edited) {
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
// [ErrNothingChanged], [*BlockedError], [*LostKeysError], [*NoNodeError].
func (e Edit) Sendable() error {
	if len(document.Diff(e.Base, e.Edited)) == 0 {
		return ErrNothingChanged
	}
	if err := e.Blocked(); err != nil {
		return err
	}
	if lost := e.Unconfirmed(); len(lost) > 0 {
		return &LostKeysError{lost}
	}
	if homeless := e.Homeless(); len(homeless) > 0 && !e.AllowNone {
		return &NoNodeError{Deployments: homeless, Nodes: len(e.Nodes)}
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

// LostKeysError says which keys would be gone without anybody having confirmed it.
// Nothing was sent. Exit code 4.
type LostKeysError struct{ Paths []document.Path }

// Error names them.
func (e *LostKeysError) Error() string {
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

// NotKeptError says what the site accepted and did not keep. Exit code 1.
type NotKeptError struct{ Changes []document.Change } // from what was sent to what is there

// Error says how much.
func (e *NotKeptError) Error() string {
	return fmt.Sprintf("the site accepted the edit and did not keep all of it: %s is %s (%d in all)", e.Changes[0].Path, e.Changes[0].Kind, len(e.Changes))
}
