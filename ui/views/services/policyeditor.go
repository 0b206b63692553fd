package services

import (
	"geodeck/adminapi/document"
	"geodeck/adminapi/placement"
	"geodeck/ui/views/services/rules"
)

// policyEditor is the builder of rules as an editor of documents. What nobody has
// changed is the very document that was given.
type policyEditor struct {
	*rules.Builder
	base     *document.Document
	edited   *document.Document
	revision int // of the builder that edited is of
}

// Set begins to edit; both are policies.
func (e *policyEditor) Set(edited, base *document.Document) {
	e.base = base
	was := policyOf(base)
	now := was
	if edited != base {
		now = policyOf(edited)
	}
	e.Builder.Set(now, was)
	e.revision, e.edited = e.Revision(), edited
}

// Replace takes over a policy that was edited outside.
func (e *policyEditor) Replace(d *document.Document) {
	e.Builder.Replace(policyOf(d))
	e.revision, e.edited = e.Revision(), d
}

// Base is what the site has.
func (e *policyEditor) Base() *document.Document { return e.base }

// Document is the policy as it is edited by now.
func (e *policyEditor) Document() *document.Document {
	if revision := e.Revision(); revision != e.revision {
		e.revision, e.edited = revision, e.written()
	}
	return e.edited
}

func (e *policyEditor) written() *document.Document {
	if !e.Changed() {
		return e.base
	}
	d, err := document.Parse(e.Policy().Bytes())
	if err != nil {
		return e.edited // what the builder writes is a document: this is not met
	}
	return d
}

// policyOf reads what is known to be a policy.
func policyOf(d *document.Document) placement.Policy {
	p, err := placement.Parse(d.Bytes())
	if err != nil {
		return placement.Policy{}
	}
	return p
}
