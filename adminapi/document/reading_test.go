package document_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"geodeck/adminapi/document"
)

// FuzzReading: an edited document, of which only a part was read anew, is the same as
// the one that is read from its text, and an edit touches nothing outside the object
// or list that it is in.
func FuzzReading(f *testing.F) {
	for _, text := range eachFile(f) {
		if len(text) < 3000 {
			f.Add(text, uint64(1))
		}
	}
	for _, seed := range []string{
		``, ` `, `{}`, `[]`, `01`, `-01`, `[00]`, `{"a":1,"a":2}`, `{"a":{"b":[1,{"c":"\u0041\ud834\udd1e"}]}}`, `{"a" 1}`, `[1 2]`, `[1,]`, `{"a":1,}`, `{,}`,
		"[\"\xff\"]", `["\ud800"]`, "[\"a\tb\"]", `[1.]`, `[1e]`, `[-]`, `[tru]`, `[nul, 1]`, `{"a":1}}`, `["a`, `{'a':1}`, `// x`, "\ufeff{}", `[1}`, `{"a":]}`, `{"a"::1}`, `[+1]`, `[.5]`,
		strings.Repeat("[", 201), strings.Repeat("[", 200) + strings.Repeat("]", 200), strings.Repeat(`{"a":`, 201),
		`{"extensions":[{"typeName":"WMSServer","enabled":true},{"typeName":"W\u0046S"},{"typeName":"WMSServer"}]}`,
		"{\n  \"placementPolicy\": [\n    {\"deploymentId\": \"a b\", \"x\": 1.50}\n  ],\n  \"tolerations\": []\n}\n",
		"{\"a\": [\r\n 1,\r\n 2\r\n], \"b\" : null}",
	} {
		f.Add(seed, uint64(7))
	}
	f.Fuzz(func(t *testing.T, text string, seed uint64) {
		d, err := document.Parse([]byte(text))
		if err != nil {
			return
		}
		random := rand.New(rand.NewPCG(seed, 1))
		for range 8 {
			path := placeIn(d, random)
			edited, err := randomChange(d, path, random)
			if err != nil {
				continue
			}
			again, err := document.Parse(edited.Bytes())
			if err != nil {
				t.Fatalf("%v in %q", err, edited.Text())
			}
			sameTree(t, edited.Root(), again.Root())
			n, _ := d.Find(path)
			if around := n.Parent(); around.Valid() {
				n = around
			}
			start, end := n.Span()
			if !strings.HasPrefix(edited.Text(), text[:start]) || !strings.HasSuffix(edited.Text(), text[end:]) {
				t.Fatalf("an edit at %s reached further:\n%q\n%q", path, text, edited.Text())
			}
			d, text = edited, edited.Text()
		}
	})
}

// randomChange makes one edit at a path.
func randomChange(d *document.Document, path document.Path, random *rand.Rand) (*document.Document, error) {
	value, _ := d.Find(placeIn(d, random))
	raw := []string{"1.50", `"x"`, "[ ]", "{\"n\": [1,\n  2]}", "{\n\"k\" : null }", `{"typeName":"N"}`, "[1,", value.Subtree()}[random.IntN(8)]
	key := []string{"a", "b", "new key", "extensions"}[random.IntN(4)]
	at := random.IntN(4) - 1
	switch random.IntN(6) {
	case 0:
		return d.SetValue(path, raw)
	case 1:
		return d.Remove(path)
	case 2:
		return d.Add(path, key, raw, at)
	case 3:
		return d.Insert(path, raw, at)
	case 4:
		return d.Rename(path, key)
	}
	return d.Move(path, at)
}

// placeIn picks a path of a document.
func placeIn(d *document.Document, random *rand.Rand) document.Path {
	n := d.Root()
	for n.Kind() >= document.Object && n.Len() > 0 && random.IntN(4) > 0 {
		skip := random.IntN(n.Len())
		for child := range n.Children() {
			if n = child; skip == 0 {
				break
			}
			skip--
		}
	}
	return n.Path()
}

func sameTree(t *testing.T, a, b document.Node) {
	t.Helper()
	startA, endA := a.Span()
	startB, endB := b.Span()
	if a.Document().Text() != b.Document().Text() || startA != startB || endA != endB || a.Kind() != b.Kind() ||
		a.RawKey() != b.RawKey() || a.Index() != b.Index() || a.Len() != b.Len() || a.Path() != b.Path() ||
		a.Parent().Valid() != b.Parent().Valid() {
		t.Fatalf("%q\n%q\nat %s and %s", a.Document().Text(), b.Document().Text(), a.Path(), b.Path())
	}
	childB := b.First()
	for childA := range a.Children() {
		if !childB.Valid() || childA.Parent() != a {
			t.Fatalf("%q: too many children at %s", a.Document().Text(), a.Path())
		}
		sameTree(t, childA, childB)
		childB = childB.Next()
	}
	if childB.Valid() {
		t.Fatalf("%q: too few children at %s", a.Document().Text(), a.Path())
	}
}
