package simulator

import (
	"bytes"
	"strconv"

	"geodeck/adminapi/internal/jsonx"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// asWritten takes and leaves what is not forbidden: a name that is there twice,
// a lone surrogate, any form of a text.
var asWritten = json.JoinOptions(jsonx.AsWritten, jsontext.PreserveRawStrings(true))

// A change says what becomes of the value at a place: another one, nil for the
// same one; false takes it out.
type change func(at jsontext.Pointer) (jsontext.Value, bool)

// rewrite writes a text anew, without white space, as change says. What stays
// is written as it was.
func rewrite(text []byte, c change) ([]byte, error) {
	var out bytes.Buffer
	enc := jsontext.NewEncoder(&out, asWritten)
	err := c.copy(enc, text, "")
	return bytes.TrimSpace(out.Bytes()), err
}

func (c change) copy(out *jsontext.Encoder, v jsontext.Value, at jsontext.Pointer) error {
	dec := jsontext.NewDecoder(bytes.NewReader(v), asWritten)
	kind := dec.PeekKind()
	if kind != jsontext.KindBeginObject && kind != jsontext.KindBeginArray {
		return out.WriteValue(v)
	}
	if err := both(dec, out); err != nil {
		return err
	}
	for i := 0; dec.PeekKind() != jsontext.KindEndObject && dec.PeekKind() != jsontext.KindEndArray; i++ {
		var name jsontext.Value
		token := strconv.Itoa(i)
		if kind == jsontext.KindBeginObject {
			raw, err := dec.ReadValue()
			if err != nil {
				return err
			}
			plain, _ := jsontext.AppendUnquote(nil, raw) // a lone surrogate in it is still a name
			name, token = raw.Clone(), string(plain)
		}
		part, err := dec.ReadValue()
		if err != nil {
			return err
		}
		if err := c.part(out, name, part, at.AppendToken(token)); err != nil {
			return err
		}
	}
	return both(dec, out)
}

// part copies a member or an element, or what takes its place.
func (c change) part(out *jsontext.Encoder, name, v jsontext.Value, at jsontext.Pointer) error {
	other, stays := c(at)
	if !stays {
		return nil
	}
	if name != nil {
		if err := out.WriteValue(name); err != nil {
			return err
		}
	}
	if other != nil {
		return out.WriteValue(other)
	}
	return c.copy(out, v, at)
}

// both copies the beginning or the end of an object or a list.
func both(in *jsontext.Decoder, out *jsontext.Encoder) error {
	token, err := in.ReadToken()
	if err != nil {
		return err
	}
	return out.WriteToken(token)
}
