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
	kept string // the kind under which the journal keeps old ones and edits that go on
	edit string // the end of the path of its edit, below the service
	read func(*adminapi.Client, context.Context, adminapi.ServiceRef) (jsontext.Value, error)
	send func(*adminapi.Client, context.Context, adminapi.ServiceRef, []byte) (adminapi.Accepted, adminapi.Outcome, error)
}

var parts = [...]access{
	Definition: {name: "definition", kept: "definition", edit: "/edit", read: (*adminapi.Client).ServiceDefinition, send: sendDefinition},
	Placement:  {name: "placement policy", kept: "placement", edit: "/placementPolicy/edit", read: (*adminapi.Client).ServicePlacement, send: sendPlacement},
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

// Same tells whether both are the same part of the same service.
func (t Target) Same(other Target) bool {
	return t.Part == other.Part && t.Service.Path() == other.Service.Path()
}

// isEditedBy tells whether a path is that of an edit of this very part, not of one of
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
