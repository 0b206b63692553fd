package document_test

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"geodeck/adminapi/document"
)

// model reads a text with the standard library; numbers stay as written.
func model(t testing.TB, text string) any {
	t.Helper()
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return v
}

// writer makes random documents and edits; the same seed makes the same.
type writer struct{ *rand.Rand }

func newWriter(seed uint64) writer { return writer{rand.New(rand.NewPCG(seed, 5))} }

func (w writer) pick(of ...string) string { return of[w.IntN(len(of))] }

func (w writer) key() string {
	return w.pick("a", "b", "c", "ä", "odd.key", "enabled", "x-y", "", "\"", "title", "n"+itoa(w.IntN(40)))
}

func (w writer) scalar() string {
	return w.pick("1", "1.0", "1e3", "-0", "9007199254740993", "true", "false", "null", `"x"`, `"A\u0042"`, `"Map,Query"`, `"\ud83d\ude00"`, `""`)
}

func (w writer) value(depth int) string {
	if depth == 0 || w.IntN(3) == 0 {
		return w.scalar()
	}
	var items []string
	if w.IntN(3) == 0 {
		for range w.IntN(4) {
			items = append(items, w.value(depth-1))
		}
		return "[" + strings.Join(items, ",") + "]"
	}
	for _, key := range w.keys(w.IntN(5)) {
		items = append(items, document.Quote(key)+":"+w.value(depth-1))
	}
	return "{" + strings.Join(items, ",") + "}"
}

func (w writer) keys(count int) []string {
	var keys []string
	for range count {
		if key := w.key(); !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	return keys
}

// definition makes an object with extensions, in one of several layouts.
func (w writer) definition() string {
	items := []string{`"serviceName":"S"`}
	for _, key := range w.keys(5) {
		items = append(items, document.Quote(key)+":"+w.value(3))
	}
	var extensions []string
	for i, name := range []string{"WMSServer", "WFSServer", "W C S", "7"} {
		if w.IntN(3) > 0 {
			extensions = append(extensions, `{"typeName":"`+name+`","enabled":`+w.pick("true", "false")+`,"properties":`+w.value(i%3)+`}`)
		}
	}
	items = append(items, `"extensions":[`+strings.Join(extensions, ",")+`]`)
	return w.layout("{" + strings.Join(items, ",") + "}")
}

func (w writer) layout(text string) string {
	var out bytes.Buffer
	switch w.IntN(4) {
	case 0:
		return text
	case 1:
		_ = json.Indent(&out, []byte(text), "", "\t")
		return strings.ReplaceAll(out.String(), "\n", "\r\n")
	case 2:
		return w.scattered(text)
	}
	_ = json.Indent(&out, []byte(text), "", "  ")
	return out.String() + "\n"
}

// scattered puts white space where it is allowed.
func (w writer) scattered(text string) string {
	var out strings.Builder
	inside := false
	for i := range len(text) {
		b := text[i]
		if b == '"' && (i == 0 || text[i-1] != '\\') {
			inside = !inside
		}
		out.WriteByte(b)
		if !inside && strings.IndexByte("{}[],:", b) >= 0 {
			out.WriteString(w.pick("", "", " ", "\n", "\r\n\t", "  "))
		}
	}
	return out.String()
}

// node picks any value of a document.
func (w writer) node(d *document.Document) document.Node {
	lines := d.Lines()
	return lines[w.IntN(len(lines))].Node
}

// randomEdit edits a document; what cannot be done leaves it as it is. It
// returns the path whose value changed, all else has to stay.
func (w writer) randomEdit(t *testing.T, d *document.Document) (*document.Document, document.Path) {
	t.Helper()
	n := w.node(d)
	path, around := n.Path(), n.Path()
	if n.Parent().Valid() {
		around = n.Parent().Path()
	}
	var edited *document.Document
	var err error
	switch w.IntN(6) {
	case 0:
		edited, err = d.SetValue(path, w.layout(w.value(2)))
		around = path
	case 1:
		edited, err = d.Add(path, w.key(), w.layout(w.value(2)), w.IntN(4)-1)
		around = path
	case 2:
		edited, err = d.Insert(path, w.layout(w.value(2)), w.IntN(4)-1)
		around = path
	case 3:
		edited, err = d.Rename(path, w.key())
	case 4:
		edited, err = d.Move(path, w.IntN(5)-2)
	case 5:
		edited, err = d.Remove(path)
	}
	if err != nil {
		return d, around
	}
	return edited, around
}

func TestRandomEditsTouchNothingElse(t *testing.T) {
	t.Parallel()
	for seed := range uint64(600) {
		w := newWriter(seed)
		d := parse(t, w.definition())
		for range 12 {
			edited, around := w.randomEdit(t, d)
			model(t, edited.Text()) // still valid to another reader
			n, ok := d.Find(around)
			if !ok {
				t.Fatalf("seed %d: %s was there", seed, around)
			}
			start, end := n.Span()
			tail := d.Text()[end:]
			if !strings.HasPrefix(edited.Text(), d.Text()[:start]) || !strings.HasSuffix(edited.Text(), tail) {
				t.Fatalf("seed %d: bytes outside %s changed:\n%q\n%q", seed, around, d.Text(), edited.Text())
			}
			d = edited
		}
	}
}

func TestASpliceIsReadAsTheWholeTextIs(t *testing.T) {
	t.Parallel()
	for seed := range uint64(600) {
		w := newWriter(seed)
		d := parse(t, w.definition())
		text := d.Text()
		start := w.IntN(len(text))
		end := start + w.IntN(min(8, len(text)-start)+1)
		with := text[start:end] // most other texts would be no document
		if n := w.node(d); w.IntN(2) == 0 {
			start, end = n.Span()
			with = w.layout(w.value(2))
		}
		spliced, err := d.Splice(start, end, with)
		whole, wantErr := document.Parse([]byte(text[:start] + with + text[end:]))
		if (err == nil) != (wantErr == nil) {
			t.Fatalf("seed %d: %v instead of %v", seed, err, wantErr)
		}
		if err != nil {
			continue
		}
		got, want := spliced.Lines(), whole.Lines()
		if len(got) != len(want) {
			t.Fatalf("seed %d: %d lines instead of %d", seed, len(got), len(want))
		}
		for i := range got {
			a, b := got[i].Node, want[i].Node
			if a.Raw() != b.Raw() || a.RawKey() != b.RawKey() || a.Path() != b.Path() || got[i].Pair != want[i].Pair || a.Len() != b.Len() {
				t.Fatalf("seed %d: line %d is %s %s instead of %s %s", seed, i, a.Path(), a.Raw(), b.Path(), b.Raw())
			}
		}
	}
}

func TestEditsMeanWhatTheModelSays(t *testing.T) {
	t.Parallel()
	for seed := range uint64(600) {
		w := newWriter(seed)
		d := parse(t, w.definition())
		n := w.node(d)
		value := w.value(2)
		for name, edited := range map[string]func() (*document.Document, error){
			"set":    func() (*document.Document, error) { return d.SetValue(n.Path(), w.layout(value)) },
			"add":    func() (*document.Document, error) { return d.Add(n.Path(), "new key", w.layout(value), w.IntN(4)-1) },
			"remove": func() (*document.Document, error) { return d.Remove(n.Path()) },
			"rename": func() (*document.Document, error) { return d.Rename(n.Path(), "new key") },
		} {
			after, err := edited()
			want, possible := modelEdit(name, model(t, d.Text()), trail(n), model(t, value))
			if possible != (err == nil) {
				t.Fatalf("seed %d: %s %s: %v", seed, name, n.Path(), err)
			}
			if err == nil && !reflect.DeepEqual(model(t, after.Text()), want) {
				t.Fatalf("seed %d: %s %s in\n%s\ngives\n%s", seed, name, n.Path(), d.Text(), after.Text())
			}
		}
	}
}

// trail returns the keys and indexes that lead to a value.
func trail(n document.Node) []any {
	if !n.Parent().Valid() {
		return nil
	}
	if key, ok := n.Key(); ok {
		return append(trail(n.Parent()), key)
	}
	return append(trail(n.Parent()), n.Index())
}

// modelEdit makes an edit on a value of the standard library.
func modelEdit(name string, at any, trail []any, value any) (any, bool) {
	if len(trail) == 0 {
		object, isObject := at.(map[string]any)
		switch {
		case name == "set":
			return value, true
		case name == "add" && isObject:
			object["new key"] = value
			return object, true
		}
		return nil, false
	}
	switch holder := at.(type) {
	case map[string]any:
		key := trail[0].(string)
		if len(trail) == 1 && name == "remove" {
			delete(holder, key)
			return holder, true
		}
		if len(trail) == 1 && name == "rename" {
			holder["new key"] = holder[key]
			delete(holder, key)
			return holder, true
		}
		inner, ok := modelEdit(name, holder[key], trail[1:], value)
		holder[key] = inner
		return holder, ok
	case []any:
		index := trail[0].(int)
		if len(trail) == 1 && name == "remove" {
			return slices.Delete(holder, index, index+1), true
		}
		inner, ok := modelEdit(name, holder[index], trail[1:], value)
		holder[index] = inner
		return holder, ok
	}
	return nil, false
}

func FuzzEdits(f *testing.F) {
	for _, text := range shortDocuments {
		for seed := range uint64(4) {
			f.Add(text, seed)
		}
	}
	f.Fuzz(editsHold)
}

func TestEditsOfWholeFilesHold(t *testing.T) {
	t.Parallel()
	for _, text := range eachFile(t) {
		for seed := range uint64(20) {
			editsHold(t, text, seed)
		}
	}
}

// editsHold makes some edits at random, and looks at what each leaves.
func editsHold(t *testing.T, text string, seed uint64) {
	d, err := document.Parse([]byte(text))
	if err != nil {
		return
	}
	w := newWriter(seed)
	for range 6 {
		before := d
		d, _ = w.randomEdit(t, d)
		if _, err := document.Parse(d.Bytes()); err != nil {
			t.Fatalf("an edit of %q made %q: %v", before.Text(), d.Text(), err)
		}
		n := w.node(d)
		if same, err := d.SetValue(n.Path(), n.Subtree()); err != nil || same.Text() != d.Text() {
			t.Fatalf("%s put back into %q: %v", n.Path(), d.Text(), err)
		}
		document.Check(d, before)
		document.Risks(document.Diff(before, d), d)
	}
}
