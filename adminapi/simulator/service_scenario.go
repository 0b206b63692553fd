package simulator

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// sampleService is the one that every site has and that scenarios are about
// where they name none.
const sampleService = "SampleWorldCities.MapServer"

// ServicePlan is what a scenario says of services and of their editing.
type ServicePlan struct {
	Edits       []EditPlan        `json:"edits,omitempty"`       // what becomes of edits; the first one that is about an edit counts
	Keeps       string            `json:"keeps,omitempty"`       // of an edit: everything (default), known members, rounded numbers
	Else        *ElsesEdit        `json:"else,omitempty"`        // one that somebody else makes
	Restart     Duration          `json:"restart,omitzero"`      // of a service after an edit; default 10s
	Lines       int               `json:"lines,omitempty"`       // how long the definition of SampleWorldCities is at least
	Stopped     []string          `json:"stopped,omitempty"`     // paths of services that are stopped
	Broken      map[string]string `json:"broken,omitempty"`      // path of a service that cannot start: why
	Definitions map[string]string `json:"definitions,omitempty"` // path of a service: its definition, whatever it is
}

// EditPlan is how edits end.
type EditPlan struct {
	After   int      `json:"after,omitempty"`   // so many edits pass before
	Times   int      `json:"times,omitempty"`   // so many are hit; 0 means all from then on
	Ends    string   `json:"ends,omitempty"`    // COMPLETED (default), FAILED, CANCELLED, TIMED OUT
	Takes   Duration `json:"takes,omitzero"`    // default 6s
	Message string   `json:"message,omitempty"` // why, where it does not end well
	Applied bool     `json:"applied,omitempty"` // the definition is replaced whatever the end
}

// ElsesEdit is an edit that somebody else makes right after the definition of a
// service was read: whoever reads again sees it, whoever does not overwrites it.
type ElsesEdit struct {
	Service string    `json:"service,omitempty"` // path; default SampleWorldCities.MapServer
	User    string    `json:"user,omitempty"`    // default publisher
	Reads   int       `json:"reads,omitempty"`   // after so many readings; default 1
	Times   int       `json:"times,omitempty"`   // after so many more readings again; default 1
	Set     []Setting `json:"set"`
}

// Setting replaces one value of a definition, or takes a member out.
type Setting struct {
	At    string          `json:"at"`              // a JSON pointer, such as /properties/maxRecordCount
	Value json.RawMessage `json:"value,omitempty"` // missing: the member goes
}

// What a site keeps of an edit.
const (
	keepsEverything = "everything"
	keepsKnown      = "known"   // members that it does not know are dropped
	keepsRounded    = "rounded" // numbers are written anew: 1.0 as 1, large ones as the nearest that a double holds
)

// The ends of an edit.
var editEnds = []string{"", jobCompleted, jobFailed, jobCancelled, jobTimedOut}

func (s Scenario) checkEditing() error {
	p := s.Editing
	if kept := []string{"", keepsEverything, keepsKnown, keepsRounded}; !slices.Contains(kept, p.Keeps) {
		return fmt.Errorf("editing.keeps: %q is none of %s", p.Keeps, strings.Join(kept[1:], ", "))
	}
	for i, e := range p.Edits {
		if err := e.check(); err != nil {
			return fmt.Errorf("editing.edits[%d].%w", i, err)
		}
	}
	if err := notNegative("editing.restart", p.Restart); err != nil {
		return err
	}
	if err := inRange("editing.lines", p.Lines, 0, 1_000_000); err != nil {
		return err
	}
	if p.Else == nil {
		return nil
	}
	if err := p.Else.check(); err != nil {
		return fmt.Errorf("editing.else.%w", err)
	}
	return nil
}

func (e EditPlan) check() error {
	switch {
	case !slices.Contains(editEnds, e.Ends):
		return fmt.Errorf("ends: %q is none of %s", e.Ends, strings.Join(editEnds[1:], ", "))
	case e.After < 0:
		return fmt.Errorf("after: %d is less than nothing", e.After)
	case e.Times < 0:
		return fmt.Errorf("times: %d is less than nothing", e.Times)
	}
	return notNegative("takes", e.Takes)
}

func (e ElsesEdit) check() error {
	switch {
	case len(e.Set) == 0:
		return fmt.Errorf("set: nothing is changed")
	case e.Reads < 0:
		return fmt.Errorf("reads: %d is less than nothing", e.Reads)
	case e.Times < 0:
		return fmt.Errorf("times: %d is less than nothing", e.Times)
	}
	for i, set := range e.Set {
		if at := jsontext.Pointer(set.At); at == "" || !at.IsValid() {
			return fmt.Errorf("set[%d].at: %q is no JSON pointer to a part of a definition", i, set.At)
		}
	}
	return nil
}

// checkServices looks for the services that the scenario names.
func (w *world) checkServices() error {
	p := w.scenario.Editing
	named := slices.Clone(p.Stopped)
	for path := range p.Broken {
		named = append(named, path)
	}
	for path := range p.Definitions {
		named = append(named, path)
	}
	for path := range w.scenario.Placement.Policies {
		named = append(named, path)
	}
	if p.Else != nil && p.Else.Service != "" {
		named = append(named, p.Else.Service)
	}
	if e := w.scenario.Placement.Else; e != nil && e.Service != "" {
		named = append(named, e.Service)
	}
	for _, path := range named {
		if w.services.byPath[path] == nil {
			return fmt.Errorf("scenario %q: there is no service %q", w.scenario.Name, path)
		}
	}
	return nil
}
