package before

import (
	"bytes"
	"errors"
	"io"
	"strconv"
	"strings"

	"geodeck/adminapi/plain"

	"github.com/go-json-experiment/json/jsontext"
)

// SyntaxError is a text that is no policy, with the place as an editor counts it:
// lines and columns from 1; both 0 where no place is to blame.
type SyntaxError struct {
	Line, Column int
	Message      string // plain words, clean
}

// Error returns the message with its place.
func (e *SyntaxError) Error() string {
	if e.Line == 0 {
		return e.Message
	}
	return "line " + strconv.Itoa(e.Line) + ", column " + strconv.Itoa(e.Column) + ": " + e.Message
}

var errTooDeep = errors.New("more than " + strconv.Itoa(MaxDepth) + " objects and lists within each other")

// source reads values and cuts their texts out of the whole.
type source struct {
	text string
	in   *jsontext.Decoder
}

// readValue reads a text that is one value, and where in the text it stands.
func readValue(text string) (v *value, start, end int, err error) {
	s := source{text: text, in: jsontext.NewDecoder(bytes.NewBufferString(text))}
	if v, err = s.value(); err != nil {
		return nil, 0, 0, s.syntaxError(err)
	}
	end = int(s.in.InputOffset())
	if _, err := s.in.ReadToken(); err != io.EOF {
		return nil, 0, 0, s.syntaxError(errors.New("there is more after the end of the JSON"))
	}
	return v, end - len(v.raw), end, nil
}

func (s *source) value() (*value, error) {
	kind := s.in.PeekKind()
	if kind != '{' && kind != '[' {
		raw, err := s.in.ReadValue()
		return &value{kind: kind, raw: string(raw)}, err
	}
	if s.in.StackDepth() >= MaxDepth {
		return nil, errTooDeep
	}
	if _, err := s.in.ReadToken(); err != nil {
		return nil, err
	}
	v := &value{kind: kind}
	start := int(s.in.InputOffset()) - 1
	for closing := s.in.PeekKind(); closing != '}' && closing != ']'; closing = s.in.PeekKind() {
		m, err := s.member(kind)
		if err != nil {
			return nil, err
		}
		v.members = append(v.members, m)
	}
	_, err := s.in.ReadToken()
	v.raw = s.text[start:s.in.InputOffset()]
	return v, err
}

func (s *source) member(of jsontext.Kind) (m member, err error) {
	if of == '{' {
		raw, err := s.in.ReadValue()
		if err != nil {
			return m, err
		}
		named := value{kind: '"', raw: string(raw)}
		m.name, m.rawName = named.text(), named.raw
	}
	m.value, err = s.value()
	return m, err
}

// syntaxError says in plain words what was wrong, and where.
func (s *source) syntaxError(err error) error {
	offset := int(s.in.InputOffset())
	var syntactic *jsontext.SyntacticError
	if errors.As(err, &syntactic) {
		offset = int(syntactic.ByteOffset)
		if syntactic.Err != nil {
			err = syntactic.Err
		}
	}
	before := s.text[:min(max(offset, 0), len(s.text))]
	lineStart := strings.LastIndexByte(before, '\n') + 1
	return &SyntaxError{
		Line:    1 + strings.Count(before, "\n"),
		Column:  1 + len([]rune(before[lineStart:])),
		Message: reasonOf(err, before),
	}
}

func reasonOf(err error, before string) string {
	switch {
	case errors.Is(err, jsontext.ErrDuplicateName):
		return "an object has the same key twice"
	case strings.TrimSpace(before) == "" && errors.Is(err, io.EOF):
		return "the text is empty"
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return "the text ends before the JSON does"
	case err == errTooDeep:
		return err.Error()
	}
	return "this is not JSON: " + plain.Clip(err.Error(), 100)
}
