// Package jsonx reads the JSON that sites really write: a build as a string or a
// number, expires as a number or a string, jobid or jobID, lists that are missing,
// null or a single object, names that are there twice, broken UTF-8. None of these
// is a reason to show an administrator nothing.
//
// Start at [Tolerant], which decodes into types, and at [Children], which walks
// through a value whose members are not known. What must come out byte for byte as
// it came in belongs into package document.
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

// AsWritten takes and leaves what JSON forbids and servers write all the same: a
// name that is there twice, and broken UTF-8.
var AsWritten = json.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))

// AnyCase is AsWritten, and finds members whatever the case of their names.
var AnyCase = json.JoinOptions(AsWritten, json.MatchCaseInsensitiveNames(true))

// Tolerant is AnyCase, and takes for a text, a number, a truth value or a list of
// texts whatever can be read as one. With lists it does the same for lists of
// types, see [List].
func Tolerant(lists ...*json.Unmarshalers) json.Options {
	scalars := []*json.Unmarshalers{
		json.UnmarshalFromFunc(ReadText), json.UnmarshalFromFunc(readInt), json.UnmarshalFromFunc(readBool), json.UnmarshalFromFunc(readTexts),
	}
	return json.JoinOptions(AnyCase, json.WithUnmarshalers(json.JoinUnmarshalers(append(scalars, lists...)...)))
}

// List accepts a single object where a list is expected; what is neither counts as
// an empty list.
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

// Number is [ReadNumber] for a type of integers.
func Number[T ~int64]() *json.Unmarshalers {
	return json.UnmarshalFromFunc(func(dec *jsontext.Decoder, number *T) error {
		n, err := ReadNumber(dec)
		*number = T(n)
		return err
	})
}

// ReadText accepts any value for a text: a string as its content, null as nothing,
// everything else as the JSON it was written in.
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

// ReadNumber accepts a number or a string that holds one; anything else counts as
// not given.
func ReadNumber(dec *jsontext.Decoder) (int64, error) {
	var text string
	if err := ReadText(dec, &text); err != nil {
		return 0, err
	}
	text = strings.TrimSpace(text)
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return n, nil
	}
	// 1.6991485e12 and 12.0 are numbers too; what does not fit into 64 bits is not given.
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || f != f || f >= 1<<63 || f < -1<<63 {
		return 0, nil
	}
	return int64(f), nil
}

func readInt(dec *jsontext.Decoder, i *int) error {
	n, err := ReadNumber(dec)
	*i = int(n)
	return err
}

// readBool accepts true, "true" and "TRUE"; whatever else is false.
func readBool(dec *jsontext.Decoder, b *bool) error {
	var text string
	err := ReadText(dec, &text)
	*b = strings.EqualFold(strings.TrimSpace(text), "true")
	return err
}

// readTexts accepts a single value where a list of texts is expected.
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

// NewDecoder reads data AsWritten.
func NewDecoder(data []byte) *jsontext.Decoder {
	return jsontext.NewDecoder(bytes.NewBuffer(data), AsWritten)
}

// Child is a member of an object or an element of an array.
type Child struct {
	Name  string         // of a member
	Key   jsontext.Value // the name as it is written, in quotes
	Value jsontext.Value // a part of the bytes of its parent, as Key is
	At    int            // where Value begins in them
}

// End is where the value ends in the bytes of its parent.
func (c Child) End() int { return c.At + len(c.Value) }

// Children goes through the members of an object or the elements of an array in
// their order, up to where it is no JSON any more. Any other value has none.
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

// Text returns the content of a string, nothing for null, and any other value as it
// is written.
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

// Compact returns a valid value without the blanks between its tokens.
func Compact(value jsontext.Value) jsontext.Value {
	value = value.Clone()
	_ = value.Compact(AsWritten)
	return value
}
