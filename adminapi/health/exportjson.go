package health

import (
	"fmt"
	"io"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"geodeck/adminapi"
	"geodeck/adminapi/internal/jsonx"
)

// exportJSON writes the server's object. A report without its bytes, or with
// broken ones, is written from its fields.
func exportJSON(w io.Writer, r adminapi.Report) error {
	value := r.Raw.Clone()
	if len(value) == 0 || value.Indent(jsontext.WithIndent("  ")) != nil {
		var err error
		if value, err = fromFields(r); err != nil {
			return err
		}
	}
	_, err := w.Write(append(escapeUnseen(value), '\n'))
	return err
}

func fromFields(r adminapi.Report) (jsontext.Value, error) {
	return json.Marshal(r, jsonx.AsWritten,
		jsontext.WithIndent("  "), json.FormatNilSliceAsNull(false))
}

// escapeUnseen writes characters that a terminal could obey, or that hide, as
// JSON escapes: the value stays the same. JSON allows them inside strings only.
func escapeUnseen(value []byte) []byte {
	at := firstUnseen(value)
	if at == len(value) {
		return value
	}
	out := append([]byte(nil), value[:at]...)
	for at < len(value) {
		r, size := utf8.DecodeRune(value[at:])
		switch {
		case !unseen(r, size):
			out = append(out, value[at:at+size]...)
		case r > 0xffff:
			high, low := surrogates(r)
			out = fmt.Appendf(out, `\u%04x\u%04x`, high, low)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
		at += size
	}
	return out
}

func firstUnseen(value []byte) int {
	for at := 0; at < len(value); {
		if b := value[at]; b < 0x7f {
			at++
			continue
		}
		r, size := utf8.DecodeRune(value[at:])
		if unseen(r, size) {
			return at
		}
		at += size
	}
	return len(value)
}

// unseen spares white space and everything else below DEL: raw controls are no
// JSON, so what is there stands between the values.
func unseen(r rune, size int) bool {
	switch {
	case r < 0x7f:
		return false
	case r == utf8.RuneError && size == 1:
		return true
	}
	return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == '\u2028' || r == '\u2029'
}

func surrogates(r rune) (high, low rune) {
	r -= 0x10000
	return 0xd800 + r>>10, 0xdc00 + r&0x3ff
}
