package placement

import (
	"errors"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi/document"
	"geodeck/adminapi/placement"
	"geodeck/ui/views/services/rules"
)

// policies is the builder of rules as a widget that edits documents. An unchanged policy
// is the document that was given.
type policies struct {
	*rules.Builder
	base     *document.Document
	edited   *document.Document
	revision int // of the builder that edited is of
}

// Prepare reads both policies; one that the builder cannot show whole is only looked at.
func (e *policies) Prepare(edited, base *document.Document) (open func(), unfit error) {
	was, err := policyOf(base)
	if err != nil {
		return nil, err
	}
	now := was
	if edited != base {
		now, _ = policyOf(edited) // it was checked, or written by the builder
	}
	return func() {
		e.base = base
		e.Builder.Set(now, was)
		e.revision, e.edited = e.Revision(), edited
	}, nil
}

// Check says why a document is no policy that can be edited.
func (e *policies) Check(d *document.Document) error {
	_, err := policyOf(d)
	return err
}

// Replace takes over a policy that was edited outside.
func (e *policies) Replace(d *document.Document) tea.Cmd {
	policy, err := policyOf(d)
	if err != nil {
		return nil // it was checked
	}
	e.Builder.Replace(policy)
	e.revision, e.edited = e.Revision(), d
	return nil
}

// Busy is false: rules are edited at once.
func (e *policies) Busy() bool { return false }

// Base is what the site has.
func (e *policies) Base() *document.Document { return e.base }

// Document is the policy as it is edited.
func (e *policies) Document() *document.Document {
	if revision := e.Revision(); revision != e.revision {
		if e.revision, e.edited = revision, e.base; e.Changed() {
			e.edited = e.Policy().Document()
		}
	}
	return e.edited
}

func policyOf(d *document.Document) (placement.Policy, error) {
	policy, err := placement.FromDocument(d)
	if err == nil && policy.Form() != placement.WholePolicy {
		err = errors.New("it has no list placementPolicy")
	}
	return policy, err
}
