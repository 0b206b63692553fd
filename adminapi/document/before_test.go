package document_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"geodeck/adminapi/document"
	"geodeck/adminapi/document/before"
)

// FuzzAsBefore holds the reader against the one before it: the same texts are
// refused with the same words, and the same edits have the same results.
func FuzzAsBefore(f *testing.F) {
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
	f.Fuzz(asBefore)
}

func asBefore(t *testing.T, text string, seed uint64) {
	now, err := document.Parse([]byte(text))
	was, errWas := before.Parse([]byte(text))
	if err != nil || errWas != nil {
		if err == nil || errWas == nil || err.Error() != errWas.Error() ||
			err.(*document.SyntaxError).Offset != errWas.(*before.SyntaxError).Offset {
			t.Fatalf("%q:\n%v\n%v", text, err, errWas)
		}
		return
	}
	sameTree(t, now.Root(), was.Root())
	random := rand.New(rand.NewPCG(seed, 1))
	for range 8 {
		path, other := placeIn(now, random), placeIn(now, random)
		value, _ := now.Find(other)
		raw := []string{"1.50", `"x"`, "[ ]", "{\"n\": [1,\n  2]}", "{\n\"k\" : null }", `{"typeName":"N"}`, "[1,", value.Subtree()}[random.IntN(8)]
		key := []string{"a", "b", "new key", "extensions"}[random.IntN(4)]
		at := random.IntN(4) - 1
		var next *document.Document
		var nextWas *before.Document
		switch random.IntN(6) {
		case 0:
			next, err = now.SetValue(path, raw)
			nextWas, errWas = was.SetValue(before.Path(path), raw)
		case 1:
			next, err = now.Remove(path)
			nextWas, errWas = was.Remove(before.Path(path))
		case 2:
			next, err = now.Add(path, key, raw, at)
			nextWas, errWas = was.Add(before.Path(path), key, raw, at)
		case 3:
			next, err = now.Insert(path, raw, at)
			nextWas, errWas = was.Insert(before.Path(path), raw, at)
		case 4:
			next, err = now.Rename(path, key)
			nextWas, errWas = was.Rename(before.Path(path), key)
		case 5:
			next, err = now.Move(path, at)
			nextWas, errWas = was.Move(before.Path(path), at)
		}
		if err != nil || errWas != nil {
			if err == nil || errWas == nil || err.Error() != errWas.Error() {
				t.Fatalf("%q at %s:\n%v\n%v", now.Text(), path, err, errWas)
			}
			continue
		}
		sameTree(t, next.Root(), nextWas.Root())
		now, was = next, nextWas
	}
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

func sameTree(t *testing.T, a document.Node, b before.Node) {
	t.Helper()
	startA, endA := a.Span()
	startB, endB := b.Span()
	if a.Document().Text() != b.Document().Text() || startA != startB || endA != endB || a.Kind().String() != b.Kind().String() ||
		a.RawKey() != b.RawKey() || a.Index() != b.Index() || a.Len() != b.Len() || string(a.Path()) != string(b.Path()) ||
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
