package editing

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"geodeck/adminapi/document"
	"geodeck/adminapi/plain"
)

// Setting gives one place of a definition a value, whatever it is now, or removes it.
type Setting struct {
	Path   document.Path
	Value  string // as it was typed: JSON, else a text; see [ParseSetting]
	Remove bool
}

// ParseSetting reads a setting of the form PATH=VALUE. VALUE is JSON; what is no JSON is a
// text, and so is a number, or true or false, where the definition has a text.
func ParseSetting(text string) (Setting, error) {
	err := fmt.Errorf("%q is not PATH=VALUE, such as properties.maxRecordCount=2000", plain.Clip(text, 60))
	for at := range len(text) { // a path may hold = in brackets
		if text[at] != '=' {
			continue
		}
		path, broken := document.ParsePath(text[:at])
		if broken == nil && path != document.Whole {
			return Setting{Path: path, Value: text[at+1:]}, nil
		}
		if broken != nil {
			err = broken
		}
	}
	return Setting{}, err
}

// in makes the setting in a definition. A key that is missing is added to its object; the
// object itself has to be there.
func (s Setting) in(d *document.Document) (*document.Document, error) {
	n, there := d.Find(s.Path)
	switch {
	case s.Remove && there:
		return d.Remove(n.Path())
	case s.Remove:
		return d, nil
	case there:
		return d.SetValue(n.Path(), s.raw(n.Kind()))
	}
	parent, ok := d.Find(s.Path.Parent())
	last, _ := s.Path.Last()
	if !ok || parent.Kind() != document.Object || last.Kind != document.ByKey {
		return nil, fmt.Errorf("it has no %s", s.Path)
	}
	return d.Add(parent.Path(), last.Key, s.raw(0), -1)
}

// raw is the value in JSON, for a place that has a value of a kind.
func (s Setting) raw(at document.Kind) string {
	value := jsontext.Value(strings.TrimSpace(s.Value))
	if !value.IsValid() {
		return document.Quote(s.Value)
	}
	switch value.Kind() {
	case jsontext.KindNumber, jsontext.KindTrue, jsontext.KindFalse:
		if at == document.String {
			return document.Quote(s.Value)
		}
	}
	return string(value)
}

// WithSettings makes settings in a definition, in their order.
func WithSettings(d *document.Document, settings []Setting) (_ *document.Document, err error) {
	for _, s := range settings {
		if d, err = s.in(d); err != nil {
			return nil, err
		}
	}
	return d, nil
}
