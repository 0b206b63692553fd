package document_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"geodeck/adminapi/document"
)

// drawn is a document's lines as a screen draws them.
func drawn(d *document.Document) string {
	var out strings.Builder
	for _, l := range d.Lines() {
		out.WriteString(strings.Repeat("  ", l.Depth))
		raw := l.Node.Raw()
		if key := l.Node.RawKey(); key != "" && l.Part != document.Closing {
			out.WriteString(key + ": ")
		}
		switch {
		case l.Part == document.Opening:
			out.WriteByte(raw[0])
		case l.Part == document.Closing:
			out.WriteByte(raw[len(raw)-1])
		case l.Node.Kind() >= document.Object:
			out.WriteString(raw[:1] + raw[len(raw)-1:])
		default:
			out.WriteString(raw)
		}
		if l.Comma() {
			out.WriteByte(',')
		}
		out.WriteByte('\n')
	}
	return out.String()
}

func TestLinesAreTheSameForAnyLayout(t *testing.T) {
	t.Parallel()
	for name, text := range eachFile(t) {
		var want bytes.Buffer
		if err := json.Indent(&want, []byte(text), "", "  "); err != nil {
			t.Fatal(err)
		}
		if got := drawn(parse(t, text)); got != strings.TrimSpace(want.String())+"\n" {
			t.Errorf("%s is drawn as\n%s", name, got)
		}
	}
}

func TestTheLinesOfAnObjectFindEachOther(t *testing.T) {
	t.Parallel()
	lines := parse(t, read(t, "mapserver.json")).Lines()
	for i, l := range lines {
		other := lines[l.Pair]
		if other.Pair != i || other.Node != l.Node || (l.Pair == i) != (l.Part == document.WholeValue) {
			t.Errorf("line %d and line %d", i, l.Pair)
		}
	}
}
