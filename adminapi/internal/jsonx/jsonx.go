// Package jsonx reads JSON as sites write it: a build as a string or a number, expires
// as a number or a string, jobid or jobID, lists that are missing, null or a single
// object, duplicate names, broken UTF-8. Administrators see what is there in spite of
// these.
//
// Start at [Tolerant], which decodes into types, and [Children], which goes through a
// value whose members are not known. Package document is for text that has to stay
// byte for byte the same.
package jsonx

import (
	"bytes"
	"errors"
	"iter"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// AsWritten allows what JSON forbids but servers write: duplicate names and broken UTF-8.
var AsWritten = json.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))

// AnyCase is AsWritten, and ignores the case of names.
var AnyCase = json.JoinOptions(AsWritten, json.MatchCaseInsensitiveNames(true))

// Tolerant is AnyCase, and reads every value that can be read as a text, a number, a bool
// or a list of texts where one is expected. lists adds unmarshalers such as those of
// [List].
func Tolerant(lists ...*json.Unmarshalers) json.Options {
	scalars := []*json.Unmarshalers{
		json.UnmarshalFromFunc(ReadText), json.UnmarshalFromFunc(readInt), json.UnmarshalFromFunc(readBool), json.UnmarshalFromFunc(readTexts),
	}
	return json.JoinOptions(AnyCase, json.WithUnmarshalers(json.JoinUnmarshalers(append(scalars, lists...)...)))
}

// List reads a single object as a list of one, and anything else that is not a list as an
// empty list.
func List[T any]() *json.Unmarshalers {
	return json.UnmarshalFromFunc(func(dec *jsontext.Decoder, list *[]T) error {
		switch dec.PeekKind() {
		case jsontext.KindBeginArray:
			return errors.ErrUnsupported // the library reads lists
		case jsontext.KindBeginObject:
			*list = make([]T, 1)
			return json.UnmarshalDecode(dec, &(*list)[0])
		}
		*list = nil
		return dec.SkipValue()
	})
}

// Number is readNumber for a type of integers.
func Number[T ~int64]() *json.Unmarshalers {
	return json.UnmarshalFromFunc(func(dec *jsontext.Decoder, number *T) error {
		n, err := readNumber(dec)
		*number = T(n)
		return err
	})
}

// ReadText reads any value as a text: the content of a string, "" for null, and the JSON of
// anything else.
func ReadText(dec *jsontext.Decoder, s *string) error {
	switch dec.PeekKind() {
	case jsontext.KindString:
		token, err := dec.ReadToken()
		if err != nil {
			return err
		}
		*s = token.String()
		return nil
	case jsontext.KindNull:
		*s = ""
		return dec.SkipValue()
	}
	value, err := dec.ReadValue()
	*s = string(value)
	return err
}

// readNumber reads a number or a string that contains one, and anything else as 0.
func readNumber(dec *jsontext.Decoder) (int64, error) {
	var text string
	if err := ReadText(dec, &text); err != nil {
		return 0, err
	}
	text = strings.TrimSpace(text)
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return n, nil
	}
	// 1.6991485e12 and 12.0 are numbers too; a number that does not fit into 64 bits is 0.
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || f != f || f >= 1<<63 || f < -1<<63 {
		return 0, nil
	}
	return int64(f), nil
}

func readInt(dec *jsontext.Decoder, i *int) error {
	n, err := readNumber(dec)
	*i = int(n)
	return err
}

// readBool reads true, "true" and "TRUE" as true, and anything else as false.
func readBool(dec *jsontext.Decoder, b *bool) error {
	var text string
	err := ReadText(dec, &text)
	*b = strings.EqualFold(strings.TrimSpace(text), "true")
	return err
}

// readTexts reads a single value as a list of one text.
func readTexts(dec *jsontext.Decoder, texts *[]string) error {
	switch dec.PeekKind() {
	case jsontext.KindBeginArray:
		return errors.ErrUnsupported // the library reads lists
	case jsontext.KindNull:
		*texts = nil
		return dec.SkipValue()
	}
	var text string
	if err := ReadText(dec, &text); err != nil {
		return err
	}
	*texts = []string{text}
	return nil
}

// NewDecoder returns a decoder of data with the options AsWritten.
func NewDecoder(data []byte) *jsontext.Decoder {
	return jsontext.NewDecoder(bytes.NewBuffer(data), AsWritten)
}

// Child is a member of an object or an element of an array.
type Child struct {
	Name  string         // of a member
	Key   jsontext.Value // the name as written, in quotes
	Value jsontext.Value // a part of the bytes of its parent, as Key is
	At    int            // where Value begins in them
}

// End is where the value ends in the bytes of its parent.
func (c Child) End() int { return c.At + len(c.Value) }

// Children goes through the members of an object or the elements of an array in order, up
// to the first syntax error. Any other value has no children.
func Children(parent jsontext.Value) iter.Seq[Child] {
	return func(yield func(Child) bool) {
		dec := NewDecoder(parent)
		open, err := dec.ReadToken()
		if err != nil || open.Kind() != jsontext.KindBeginObject && open.Kind() != jsontext.KindBeginArray {
			return
		}
		named := open.Kind() == jsontext.KindBeginObject
		for kind := dec.PeekKind(); kind != jsontext.KindEndObject && kind != jsontext.KindEndArray; kind = dec.PeekKind() {
			var child Child
			if named {
				name, err := dec.ReadValue()
				if err != nil {
					return
				}
				end := int(dec.InputOffset())
				child.Key = parent[end-len(name) : end : end]
				child.Name = Text(child.Key)
			}
			value, err := dec.ReadValue()
			if err != nil {
				return
			}
			end := int(dec.InputOffset())
			child.At = end - len(value)
			child.Value = parent[child.At:end:end]
			if !yield(child) {
				return
			}
		}
	}
}

// Text returns the content of a string, "" for null, and any other value as written.
func Text(value jsontext.Value) string {
	switch value.Kind() {
	case jsontext.KindString:
		text, _ := jsontext.AppendUnquote(nil, value) // broken UTF-8 becomes U+FFFD
		return string(text)
	case jsontext.KindNull:
		return ""
	}
	return string(value)
}

// Compact returns a valid value without white space between its tokens.
func Compact(value jsontext.Value) jsontext.Value {
	value = value.Clone()
	_ = value.Compact(AsWritten)
	return value
}
