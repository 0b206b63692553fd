package document_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"geodeck/adminapi/document"
)

func TestVersionsAreComparedByMeaning(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, before, after string
		want                []document.Change
	}{
		{"order and white space", `{"a":1,"b":[1,{"c":2,"d":3}]}`, "{\n \"b\": [1, {\"d\":3, \"c\":2}],\n \"a\": 1}", nil},
		{"a value", `{"a":{"b":1}}`, `{"a":{"b":2}}`, []document.Change{{Path: "a.b", Kind: document.Changed, Old: "1", New: "2"}}},
		{"added and removed", `{"a":1,"c":3}`, `{"b":{"x":1},"c":3}`, []document.Change{
			{Path: "a", Kind: document.Removed, Old: "1"}, {Path: "b", Kind: document.Added, New: `{"x":1}`}}},
		{"1.0 for 1", `{"a":1,"b":100,"c":0,"d":1.5}`, `{"a":1.0,"b":1E2,"c":-0.00,"d":15e-1}`, []document.Change{
			{Path: "a", Kind: document.Rewritten, Old: "1", New: "1.0"}, {Path: "b", Kind: document.Rewritten, Old: "100", New: "1E2"},
			{Path: "c", Kind: document.Rewritten, Old: "0", New: "-0.00"}, {Path: "d", Kind: document.Rewritten, Old: "1.5", New: "15e-1"}}},
		{"big numbers are not rounded", `[9007199254740993,1e400]`, `[9007199254740992,1e401]`, []document.Change{
			{Path: "", Kind: document.Changed, Old: `[9007199254740993,1e400]`, New: `[9007199254740992,1e401]`}}},
		{"exponents beyond arithmetic", `{"a":1e99999999999999999999}`, `{"a":1e99999999999999999998}`, []document.Change{
			{Path: "a", Kind: document.Changed, Old: `1e99999999999999999999`, New: `1e99999999999999999998`}}},
		{"an escape", `{"a":"A"}`, `{"a":"\u0041"}`, []document.Change{{Path: "a", Kind: document.Rewritten, Old: `"A"`, New: `"\u0041"`}}},
		{"a number inside a list", `{"a":[1,2]}`, `{"a":[1.0,2]}`, []document.Change{{Path: "a", Kind: document.Rewritten, Old: `[1,2]`, New: `[1.0,2]`}}},
		{"any other list is one value", `{"a":[{"typeName":"X","v":1}]}`, `{"a":[{"typeName":"X","v":2}]}`, []document.Change{
			{Path: "a", Kind: document.Changed, Old: `[{"typeName":"X","v":1}]`, New: `[{"typeName":"X","v":2}]`}}},
		{"extensions by their typeName", `{"extensions":[{"typeName":"A","on":true},{"typeName":"B"}]}`, `{"extensions":[{"typeName":"C"},{"typeName":"A","on":false}]}`,
			[]document.Change{{Path: "extensions[A].on", Kind: document.Changed, Old: "true", New: "false"},
				{Path: "extensions[B]", Kind: document.Removed, Old: `{"typeName":"B"}`}, {Path: "extensions[C]", Kind: document.Added, New: `{"typeName":"C"}`}}},
		{"a new order of extensions", `{"extensions":[{"typeName":"A"},{"typeName":"B"}]}`, `{"extensions":[{"typeName":"B"},{"typeName":"A"}]}`,
			[]document.Change{{Path: "extensions", Kind: document.Moved, Old: `["A","B"]`, New: `["B","A"]`}}},
		{"extensions that share a name", `{"extensions":[{"typeName":"A","v":1},{"typeName":"A","v":2}]}`, `{"extensions":[{"typeName":"A","v":1},{"typeName":"A","v":3}]}`,
			[]document.Change{{Path: "extensions", Kind: document.Changed, Old: `[{"typeName":"A","v":1},{"typeName":"A","v":2}]`, New: `[{"typeName":"A","v":1},{"typeName":"A","v":3}]`}}},
		{"deployments by their deploymentId", `{"placementPolicy":[{"deploymentId":"k1","p":1},{"deploymentId":"4x","p":1}]}`, `{"placementPolicy":[{"deploymentId":"k1","p":2},{"deploymentId":"4x","p":3}]}`,
			[]document.Change{{Path: "placementPolicy[k1].p", Kind: document.Changed, Old: "1", New: "2"},
				{Path: `placementPolicy[deploymentId="4x"].p`, Kind: document.Changed, Old: "1", New: "3"}}},
		{"deployments beside extensions of the same name", `{"extensions":[{"typeName":"A","v":1}],"placementPolicy":[{"deploymentId":"A","v":1}]}`,
			`{"extensions":[{"typeName":"A","v":2}],"placementPolicy":[{"deploymentId":"A","v":1}]}`,
			[]document.Change{{Path: "extensions", Kind: document.Changed, Old: `[{"typeName":"A","v":1}]`, New: `[{"typeName":"A","v":2}]`}}},
		{"an extension that lost its name", `{"extensions":[{"typeName":"A","v":1,"w":2},{"typeName":"B"}]}`, `{"extensions":[{"v":3,"x":4},{"typeName":"B"}]}`,
			[]document.Change{{Path: "extensions[A].v", Kind: document.Changed, Old: "1", New: "3"}, {Path: "extensions[A].w", Kind: document.Removed, Old: "2"},
				{Path: "extensions[A].x", Kind: document.Added, New: "4", At: 1}, {Path: "extensions[A].typeName", Kind: document.Removed, Old: `"A"`}}},
		{"another kind", `{"a":{"b":1}}`, `{"a":"{}"}`, []document.Change{{Path: "a", Kind: document.Changed, Old: `{"b":1}`, New: `"{}"`}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := document.Diff(parse(t, test.before), parse(t, test.after))
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
			if made, err := parse(t, test.before).Apply(got); err != nil || len(document.Diff(made, parse(t, test.after))) > 0 {
				t.Errorf("applied it is %v, %v", made, err)
			}
		})
	}
}

func TestApplyingADifferenceGivesTheOtherVersion(t *testing.T) {
	t.Parallel()
	for seed := range uint64(800) {
		w := newWriter(seed)
		before, after := parse(t, w.definition()), parse(t, w.definition())
		if seed%2 == 0 {
			after = before
			for range 5 {
				after, _ = w.randomEdit(t, after)
			}
		}
		changes := document.Diff(before, after)
		applied, err := before.Apply(changes)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if rest := document.Diff(applied, after); len(rest) > 0 {
			t.Fatalf("seed %d: %v is left\n%s\n%s", seed, rest, before.Text(), after.Text())
		}
		sameModel := reflect.DeepEqual(model(t, before.Text()), model(t, after.Text()))
		if sameModel != (len(withoutEscapes(changes)) == 0) {
			t.Fatalf("seed %d: another reader says same is %v, the difference is %v", seed, sameModel, changes)
		}
	}
}

// withoutEscapes leaves out texts that differ in their escapes only: the model
// does not see those.
func withoutEscapes(changes []document.Change) []document.Change {
	return slices.DeleteFunc(changes, func(c document.Change) bool {
		return c.Kind == document.Rewritten && strings.HasPrefix(c.Old, `"`)
	})
}

// removedKeys are those that the risks of an edit name.
func removedKeys(base, edited *document.Document) []document.Path {
	return document.RemovedKeys(document.Risks(document.Diff(base, edited), edited))
}

func TestChangesAreAppliedInAnyOrder(t *testing.T) {
	t.Parallel()
	before, after := `{"a":1,"b":{"c":2,"d":[3]},"e":"long","f":4}`, `{"a":10,"b":{"c":20,"d":[30,31]},"e":"x","f":4.0}`
	changes := document.Diff(parse(t, before), parse(t, after))
	for range len(changes) {
		changes = append(changes[1:], changes[0])
		if made, err := parse(t, before).Apply(changes); err != nil || made.Text() != after {
			t.Errorf("%v: %v, %v", changes, made, err)
		}
	}
	slices.Reverse(changes)
	if made, err := parse(t, before).Apply(changes); err != nil || made.Text() != after {
		t.Errorf("%v: %v, %v", changes, made, err)
	}
}

func TestRemovedKeysAreNamed(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, base, edited string
		want               []document.Path
	}{
		{"nothing", `{"a":1}`, `{"b":2,"a":3}`, nil},
		{"a key", `{"a":{"b":1,"c":2}}`, `{"a":{"c":2}}`, []document.Path{"a.b"}},
		{"a section, named once", `{"a":{"b":1,"c":2}}`, `{}`, []document.Path{"a"}},
		{"what a section held", `{"a":{"b":1,"c":2}}`, `{"a":null}`, []document.Path{"a.b", "a.c"}},
		{"what a list held", `{"a":[1,{"b":2}]}`, `{"a":null}`, []document.Path{"a[0]", "a[1]"}},
		{"another spelling", `{"maxRecordCount":1}`, `{"maxrecordcount":1}`, []document.Path{"maxRecordCount"}},
		{"a key within a list", `{"a":[{"b":1,"c":2},{"b":3}]}`, `{"a":[{"b":1},{"b":3}]}`, []document.Path{"a[0].c"}},
		{"an element", `{"a":[1,2,3]}`, `{"a":[1,3]}`, []document.Path{"a[1]"}},
		{"an element in another order", `{"a":[{"b":1},{"c":2}]}`, `{"a":[{"c":2},{"b":1}]}`, nil},
		{"elements in another order, and their keys, too", `{"a":[{"b":1,"x":1},{"b":2,"y":1}]}`, `{"a":[{"y":1,"b":2},{"x":1,"b":1}]}`, nil},
		{"a changed element", `{"a":[1,2,3]}`, `{"a":[1,9,3]}`, nil},
		{"an extension", `{"extensions":[{"typeName":"A"},{"typeName":"B"}]}`, `{"extensions":[{"typeName":"B"}]}`, []document.Path{"extensions[A]"}},
		{"a key of an extension", `{"extensions":[{"typeName":"A","properties":{"x":"1"}},{"typeName":"B"}]}`,
			`{"extensions":[{"typeName":"B"},{"typeName":"A","properties":{}}]}`, []document.Path{"extensions[A].properties.x"}},
		{"the name of an extension", `{"extensions":[{"typeName":"A"},{"typeName":"B"}]}`, `{"extensions":[{},{"typeName":"B"}]}`, []document.Path{"extensions[A].typeName"}},
		{"all", `{"a":1,"b":2}`, `[]`, []document.Path{"a", "b"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, removedKeys(parse(t, test.base), parse(t, test.edited))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestAnyDeletionIsNamedExactly(t *testing.T) {
	t.Parallel()
	for seed := range uint64(1500) {
		w := newWriter(seed)
		d := parse(t, w.definition())
		n := w.node(d)
		edited, err := d.Remove(n.Path())
		if err != nil {
			continue // the whole document
		}
		lost := removedKeys(d, edited)
		if len(lost) != 1 {
			t.Fatalf("seed %d: %s went from\n%s\nnamed are %v", seed, n.Path(), d.Text(), lost)
		}
		named, ok := d.Find(lost[0])
		if ok && named == n {
			continue
		}
		// Of several equal elements it does not matter which one is named.
		if !ok || named.Parent() != n.Parent() || len(document.Diff(parse(t, named.Raw()), parse(t, n.Raw()))) > 0 {
			t.Fatalf("seed %d: %s went, %s is named", seed, n.Path(), lost[0])
		}
	}
}
