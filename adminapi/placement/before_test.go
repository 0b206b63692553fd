package placement_test

import (
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"testing"

	"geodeck/adminapi/placement"
	"geodeck/adminapi/placement/before"

	"github.com/go-json-experiment/json/jsontext"
)

// FuzzAsBefore holds policies against those before they stood on documents: the same
// texts are refused with the same words, the same edits have the same results but for
// the layout, and in a text that is laid out evenly the same bytes.
func FuzzAsBefore(f *testing.F) {
	for _, text := range []string{small, rich, read(f, "placementPolicy_get_nodeAffinity.json"), read(f, "upgrades_config.json")} {
		f.Add(text, uint64(1))
	}
	for _, seed := range []string{``, `[]`, `{"placementPolicy":{}}`, `{"tolerations":null,"tolerations":1}`, `{"nodeAffinity":{"preferredDuringSchedulingIgnoredDuringExecution":[{"weight":7,"preference":{"matchExpressions":[{"key":"a","operator":"Exists"}]}}]}}`,
		`{"podPlacementPolicy":null}`, `{"placementPolicy":[{"podPlacementPolicy":{"nodeAffinity":null,"tolerations":null}},7]}`,
		`{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":null,"preferredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[{}]}}}`,
		"{\"tolerations\":[{\"key\":\"a\"},\r\n {\"key\": \"b\"}]}", `{"tolerations":[`, `{"tolerations":[]} {}`, `{"tolerations":[01]}`} {
		f.Add(seed, uint64(3))
	}
	f.Fuzz(asBefore)
}

func asBefore(t *testing.T, text string, seed uint64) {
	now, err := placement.Parse([]byte(text))
	was, errWas := before.Parse([]byte(text))
	if err != nil || errWas != nil {
		if err == nil || errWas == nil || err.Error() != errWas.Error() {
			t.Fatalf("%q:\n%v\n%v", text, err, errWas)
		}
		return
	}
	var even bool
	for _, options := range [][]jsontext.Options{{}, {jsontext.SpaceAfterColon(true), jsontext.SpaceAfterComma(true)}, {jsontext.WithIndent("  ")}, {jsontext.WithIndent("\t")}} {
		set, err := jsontext.AppendFormat(nil, []byte(text), append(options, jsontext.PreserveRawStrings(true))...)
		even = even || err == nil && string(set) == text
	}
	w := writer{rand.New(rand.NewPCG(seed, 5))}
	for range 6 {
		if len(now.Items()) == 0 {
			return
		}
		samePolicy(t, text, now, was, even)
		next := w.Uint64()
		a, err := randomEdit(writer{rand.New(rand.NewPCG(next, 1))}, now)
		b, errWas := editBefore(writer{rand.New(rand.NewPCG(next, 1))}, was)
		if w.IntN(8) == 0 {
			a, err = now.CopyRules(0, now, len(now.Items())-1)
			b, errWas = was.CopyRules(0, was, len(was.Items())-1)
		}
		if err != nil || errWas != nil {
			if err == nil || errWas == nil || err.Error() != errWas.Error() {
				t.Fatalf("%q:\n%v\n%v", now.Bytes(), err, errWas)
			}
			continue
		}
		now, was = a, b
	}
	samePolicy(t, text, now, was, even)
}

func samePolicy(t *testing.T, text string, now placement.Policy, was before.Policy, even bool) {
	t.Helper()
	a, b := jsontext.Value(now.Bytes()), jsontext.Value(was.Bytes())
	if even && string(a) != string(b) {
		t.Fatalf("from %s\n%s\n%s", text, a, b)
	}
	if a.Compact() != nil || b.Compact() != nil || string(a) != string(b) {
		t.Fatalf("from %s\n%s\n%s", text, a, b)
	}
	itemsA, _ := json.Marshal(now.Items())
	itemsB, _ := json.Marshal(was.Items())
	if !reflect.DeepEqual(itemsA, itemsB) {
		t.Fatalf("%s\n%s\n%s", a, itemsA, itemsB)
	}
}

// editBefore makes one edit somewhere, or one that is refused.
func editBefore(w writer, p before.Policy) (before.Policy, error) {
	kind := []before.Kind{before.Required, before.Preferred}[w.IntN(2)]
	term, line := before.AtTerm(0, kind, w.IntN(4)), before.AtLine(0, kind, w.IntN(3), w.IntN(4))
	toleration := before.AtToleration(0, w.IntN(3))
	switch w.IntN(10) {
	case 0:
		return p.SetAffinity(0, before.Kind(w.IntN(4)))
	case 1:
		return p.AddTerm(term, termBefore(w.term()))
	case 2:
		return p.AddLine(line, lineBefore(w.line()))
	case 3:
		return p.AddToleration(toleration, before.Toleration(w.toleration()))
	case 4:
		return p.SetLine(line, lineBefore(w.line()))
	case 5:
		return p.SetToleration(toleration, before.Toleration(w.toleration()))
	case 6:
		return p.Remove([]before.Place{term, line, toleration}[w.IntN(3)])
	case 7:
		return p.Copy([]before.Place{term, line, toleration}[w.IntN(3)])
	case 8:
		return p.SetWeight(term, w.IntN(100))
	}
	moved, _, err := p.Move([]before.Place{term, line, toleration}[w.IntN(3)], w.IntN(5)-2)
	return moved, err
}

func lineBefore(l placement.Line) before.Line { return before.Line(l) }

func termBefore(t placement.Term) before.Term {
	b := before.Term{Weight: t.Weight}
	for _, l := range t.Lines {
		b.Lines = append(b.Lines, before.Line(l))
	}
	return b
}
