package editing

import (
	"errors"
	"net/http"

	"geodeck/adminapi"
	"geodeck/adminapi/document"
	"geodeck/adminapi/finding"
	"geodeck/adminapi/placement"
	"geodeck/adminapi/plain"
)

// Unread says that what the site has could not be read before an edit, so that its base is not that.
type Unread struct {
	Err  error  // why
	File string // that the base is from; empty where there is none
}

// Blank reports whether nothing is known of what the site has: there is no base to compare with.
func (u *Unread) Blank() bool { return u != nil && u.File == "" }

// Unreadable reports whether a site does not show a resource, or not to this user: to read it again does
// not help. The contract has edits alone, and no read of what is edited. A 404 of who stands in front of a
// platform that does not answer is none of it.
func Unreadable(err error) bool {
	e, ok := errors.AsType[*adminapi.Error](err)
	return adminapi.IsNotOffered(err) || ok && (e.Status == http.StatusNotImplemented || e.Code == http.StatusNotImplemented)
}

// empty is the base of an edit of which nothing is known at the site.
var empty = [...]string{Definition: "{}", Placement: `{"placementPolicy":[]}`}

// WithoutReading is the edit where the site could not be read: its base stands for what the site has; without
// one all of it is new. file is what the base is from, empty for none.
func (e Edit) WithoutReading(err error, file string) Edit {
	if e.Unread = (&Unread{err, file}); e.Base == nil {
		e.Base, _ = document.Parse([]byte(empty[e.Part])) // it is valid
	}
	return e
}

// Before says in a sentence where pods ran before a move, or why that is not known.
func (e Edit) Before(m Move) string {
	switch {
	case m.Before != nil:
		return placement.Sentence(*m.Before)
	case e.Unread.Blank():
		return "not known"
	case e.Unread != nil:
		return plain.Line(e.Unread.File) + " does not have it"
	}
	return "the site does not have it"
}

// unread is the danger that what the site has is not known; none where it was read.
func (e Edit) unread() []finding.Finding {
	if e.Unread == nil {
		return nil
	}
	text := "The site was not read; what it has is not known."
	if !e.Unread.Blank() {
		text = "The site was not read; compared with " + plain.Line(e.Unread.File) + "."
	}
	f := Gates.Finding(finding.Edit, NotRead, finding.Place{Name: "the whole " + e.Part.String()}, text)
	f.Unread, f.Why = true, Gates.Of(NotRead).Means
	return []finding.Finding{f}
}
