package upgrade

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// lenient takes what a server really writes; what it wrote goes back untouched.
var lenient = []jsontext.Options{jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)}

var errNoSettings = errors.New("this is no settings object: it has no userInputs")

// input is where one user input stands in a settings object.
type input struct {
	key    string
	value  jsontext.Value // nil where it has none; the last one counts
	spans  [][2]int       // of its values
	end    int            // of the object, before its closing brace
	object bool
	empty  bool // without any member
}

// scan finds the user inputs of a settings object and where their values stand.
func scan(raw jsontext.Value) ([]input, error) {
	s := scanner{dec: jsontext.NewDecoder(bytes.NewReader(raw), lenient...)}
	found := false
	err := s.members(func(name string) error {
		if !strings.EqualFold(name, "userInputs") {
			return s.dec.SkipValue()
		}
		found = true
		s.inputs, s.keys = nil, keyMaker{} // named twice: the last one is what was read
		return s.list()
	})
	if err == nil {
		if _, err = s.dec.ReadToken(); err == io.EOF {
			err = nil
		}
	}
	switch {
	case err != nil:
		return nil, fmt.Errorf("the settings are no JSON object at %s", position(raw, s.dec.InputOffset()))
	case !found:
		return nil, errNoSettings
	}
	return s.inputs, nil
}

type scanner struct {
	dec    *jsontext.Decoder
	keys   keyMaker
	inputs []input
}

// members calls each for every member of the object that follows; each reads the
// value.
func (s *scanner) members(each func(name string) error) error {
	token, err := s.dec.ReadToken()
	if err != nil {
		return err
	}
	if token.Kind() != jsontext.KindBeginObject {
		return errNoSettings
	}
	for s.dec.PeekKind() != jsontext.KindEndObject {
		token, err := s.dec.ReadToken()
		if err != nil {
			return err
		}
		if err := each(token.String()); err != nil {
			return err
		}
	}
	_, err = s.dec.ReadToken()
	return err
}

// list reads the inputs, and takes a single one for a list.
func (s *scanner) list() error {
	switch s.dec.PeekKind() {
	case jsontext.KindBeginObject:
		return s.input()
	case jsontext.KindBeginArray:
	default:
		return s.dec.SkipValue()
	}
	if _, err := s.dec.ReadToken(); err != nil {
		return err
	}
	for s.dec.PeekKind() != jsontext.KindEndArray {
		if err := s.input(); err != nil {
			return err
		}
	}
	_, err := s.dec.ReadToken()
	return err
}

func (s *scanner) input() error {
	if s.dec.PeekKind() != jsontext.KindBeginObject {
		s.inputs = append(s.inputs, input{key: s.keys.next("", "")})
		return s.dec.SkipValue()
	}
	in := input{object: true, empty: true}
	var id, name string
	err := s.members(func(member string) error {
		value, err := s.dec.ReadValue()
		if err != nil {
			return err
		}
		in.empty = false
		end := int(s.dec.InputOffset())
		switch {
		case strings.EqualFold(member, "id"):
			id = unquoted(value)
		case strings.EqualFold(member, "name"):
			name = unquoted(value)
		case strings.EqualFold(member, "value"):
			in.value = bytes.Clone(value)
			in.spans = append(in.spans, [2]int{end - len(value), end})
		}
		return nil
	})
	in.key, in.end = s.keys.next(id, name), int(s.dec.InputOffset())-1
	s.inputs = append(s.inputs, in)
	return err
}

// unquoted reads an id or a name as the client does.
func unquoted(value jsontext.Value) string {
	switch value.Kind() {
	case jsontext.KindString:
		text, _ := jsontext.AppendUnquote(nil, value)
		return string(text)
	case jsontext.KindNull:
		return ""
	}
	return string(value)
}
