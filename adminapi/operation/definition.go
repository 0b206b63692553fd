package operation

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/document"
)

// Definition is a service's definition as the site told it.
type Definition struct {
	Service  adminapi.ServiceRef
	Document *document.Document
	Read     time.Time // by this machine's clock
}

// ReadDefinition reads the definition of a service. One that cannot be edited
// without loss, such as with duplicate keys, is a [*document.SyntaxError].
func (s Site) ReadDefinition(ctx context.Context, service adminapi.ServiceRef) (Definition, error) {
	raw, err := s.Client.ServiceDefinition(ctx, service)
	if err != nil {
		return Definition{}, err
	}
	d, err := document.Parse(raw)
	if err != nil {
		return Definition{}, fmt.Errorf("the definition that the site sent cannot be edited without loss: %w", err)
	}
	return Definition{Service: service, Document: d, Read: s.Clock.Now()}, nil
}

// DefinitionEdit is what somebody wants to make of a definition.
type DefinitionEdit struct {
	Service   adminapi.ServiceRef
	Base      *document.Document // as it was read
	Edited    *document.Document
	AllowLost []document.Path // keys whose loss was confirmed by name
	Why       string          // for the history, such as "an edit"
}

// DefinitionPlan is what an edit would do, for a review.
type DefinitionPlan struct {
	Changes  []document.Change
	Risks    []document.Risk
	Lost     []document.Path // all of them, also those that were confirmed
	Findings []document.Finding
}

// Plan compares. It asks nobody.
func (e DefinitionEdit) Plan() DefinitionPlan {
	changes := document.Diff(e.Base, e.Edited)
	return DefinitionPlan{
		Changes: changes, Risks: document.Risks(changes, e.Edited),
		Lost: document.Lost(e.Base, e.Edited), Findings: document.Check(e.Edited, e.Base),
	}
}

// Unconfirmed returns the keys that would be lost and were not confirmed by name.
func (e DefinitionEdit) Unconfirmed() (paths []document.Path) {
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
func (e DefinitionEdit) Rebase(theirs *document.Document) (DefinitionEdit, []document.Conflict) {
	merged, conflicts := document.Merge(e.Base, e.Edited, theirs)
	if len(conflicts) > 0 {
		return e, conflicts
	}
	e.Base, e.Edited = theirs, merged
	return e, nil
}

// ErrNothingChanged says that an edit would send what the site has already; nothing
// was sent. Exit code 0.
var ErrNothingChanged = errors.New("nothing is changed; nothing was sent")

// BlockedError says which rules an edit breaks. Nothing was sent. Exit code 2.
type BlockedError struct{ Findings []document.Finding }

// Error names the first of them.
func (e *BlockedError) Error() string {
	return "the definition breaks the rules of its fields, " + e.Findings[0].Path.String() + ": " + e.Findings[0].Text + "; nothing was sent"
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

// DriftError says that the definition is not any more what was edited. Nothing was
// sent. Exit code 4.
type DriftError struct {
	Theirs  *document.Document
	Changes []document.Change // from the base to theirs
}

// Error says how much has changed.
func (e *DriftError) Error() string {
	return fmt.Sprintf("the definition was changed at the site since it was read (first %s, %d in all); nothing was sent", e.Changes[0].Path, len(e.Changes))
}

// NotKeptError says what the site accepted and did not keep. Exit code 1.
type NotKeptError struct{ Changes []document.Change } // from what was sent to what is there

// Error says how much.
func (e *NotKeptError) Error() string {
	return fmt.Sprintf("the site accepted the edit and did not keep all of it: %s is %s (%d in all)", e.Changes[0].Path, e.Changes[0].Kind, len(e.Changes))
}
