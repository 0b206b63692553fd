package document_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"geodeck/adminapi/document"
)

func TestMergeBringsMyChangesIntoTheirBytes(t *testing.T) {
	t.Parallel()
	base := parse(t, read(t, "mapserver.json"))
	mine := edited(t, base, set("properties.maxRecordCount", "2000"), set("extensions[WFSServer].enabled", "true"),
		remove("clusterName"), add("properties", "antialiasing", `"Fast"`, 3), insert("extensions", "{\n  \"typeName\": \"WCSServer\"\n}", -1))
	theirs := edited(t, base, set("properties.maxImageWidth", "8192.0"), set("extensions[WMSServer].enabled", "false"), remove("datasets"),
		set("capabilities", `"Map,Query"`))

	merged, conflicts := document.Merge(base, mine, theirs, nil)
	if len(conflicts) > 0 {
		t.Fatal(conflicts)
	}
	want := edited(t, theirs, set("properties.maxRecordCount", "2000"), set("extensions[WFSServer].enabled", "true"),
		remove("clusterName"), add("properties", "antialiasing", `"Fast"`, 3), insert("extensions", "{\n  \"typeName\": \"WCSServer\"\n}", -1))
	if diff := cmp.Diff(want.Text(), merged.Text()); diff != "" {
		t.Error(diff)
	}
}

func TestMergeOfAnotherLayoutKeepsTheirs(t *testing.T) {
	t.Parallel()
	base := parse(t, read(t, "mapserver.json"))
	theirs := parse(t, read(t, "mapserver_compact.json"))
	mine := edited(t, base, set("extensions[WFSServer].properties", "{\n  \"title\": \"x\"\n}"), set("properties.isCached", "true"))
	merged, conflicts := document.Merge(base, mine, theirs, nil)
	want := edited(t, theirs, set("extensions[WFSServer].properties", `{"title":"x"}`), set("properties.isCached", "true"))
	if len(conflicts) > 0 || merged.Text() != want.Text() {
		t.Error(conflicts, merged)
	}
}

func edited(t *testing.T, d *document.Document, edits ...edit) *document.Document {
	t.Helper()
	for _, edit := range edits {
		var err error
		if d, err = edit(d); err != nil {
			t.Fatal(err)
		}
	}
	return d
}

func TestAConflictStopsAMergeAndHasBothVersions(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, base, mine, theirs string
		want                     []document.Conflict
	}{
		{"two values", `{"a":1}`, `{"a":2}`, `{"a":3}`, []document.Conflict{{Path: "a", Base: "1", Mine: "2", Theirs: "3"}}},
		{"removed and changed", `{"a":1}`, `{}`, `{"a":3}`, []document.Conflict{{Path: "a", Base: "1", Theirs: "3"}}},
		{"changed within what they removed", `{"a":{"b":1}}`, `{"a":{"b":2}}`, `{}`, []document.Conflict{{Path: "a", Base: `{"b":1}`, Mine: `{"b":2}`}}},
		{"two added", `{}`, `{"a":{"x":1}}`, `{"a":{"y":1}}`, []document.Conflict{{Path: "a", Mine: `{"x":1}`, Theirs: `{"y":1}`}}},
		{"two lists", `{"a":[1]}`, `{"a":[1,2]}`, `{"a":[0,1]}`, []document.Conflict{{Path: "a", Base: `[1]`, Mine: `[1,2]`, Theirs: `[0,1]`}}},
		{"two ways to write", `{"a":1}`, `{"a":1.0}`, `{"a":1e0}`, []document.Conflict{{Path: "a", Base: "1", Mine: "1.0", Theirs: "1e0"}}},
		{"two extensions of a name", `{"extensions":[]}`, `{"extensions":[{"typeName":"A","v":1}]}`, `{"extensions":[{"typeName":"A","v":2}]}`,
			[]document.Conflict{{Path: "extensions[A]", Mine: `{"typeName":"A","v":1}`, Theirs: `{"typeName":"A","v":2}`}}},
		{"a new order, and a change", `{"extensions":[{"typeName":"A"},{"typeName":"B"}]}`, `{"extensions":[{"typeName":"B"},{"typeName":"A"}]}`, `{"extensions":[{"typeName":"A"}]}`,
			[]document.Conflict{{Path: "extensions", Base: `[{"typeName":"A"},{"typeName":"B"}]`, Mine: `[{"typeName":"B"},{"typeName":"A"}]`, Theirs: `[{"typeName":"A"}]`}}},
		{"each one is told", `{"a":1,"b":1}`, `{"a":2,"b":2}`, `{"a":3,"b":3}`, []document.Conflict{{Path: "a", Base: "1", Mine: "2", Theirs: "3"}, {Path: "b", Base: "1", Mine: "2", Theirs: "3"}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			merged, conflicts := document.Merge(parse(t, test.base), parse(t, test.mine), parse(t, test.theirs), nil)
			if diff := cmp.Diff(test.want, conflicts); diff != "" || merged != nil {
				t.Error(diff)
			}
		})
	}
}

func TestPlacesInConflictGetTheValueThatWasChosen(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, base, mine, theirs string
		chosen                   document.Resolutions
		want                     string
	}{
		{"mine", `{"a":1,"b":1}`, `{"a":2,"b":1}`, `{"a":3,"b":4}`, document.Resolutions{"a": "2"}, `{"a":2,"b":4}`},
		{"theirs", `{"a":1,"b":1}`, `{"a":2,"b":2}`, `{"a":3,"b":1}`, document.Resolutions{"a": "3"}, `{"a":3,"b":2}`},
		{"neither", `{"a":1}`, `{"a":2}`, `{"a":3}`, document.Resolutions{"a": "[4]"}, `{"a":[4]}`},
		{"mine, which deleted it", `{"a":1,"b":1}`, `{"b":1}`, `{"a":3,"b":1}`, document.Resolutions{"a": ""}, `{"b":1}`},
		{"mine, which they deleted", `{"a":1,"b":1}`, `{"a":2,"b":1}`, `{"b":1}`, document.Resolutions{"a": "2"}, `{"a":2,"b":1}`},
		{"theirs, which they deleted", `{"a":1,"b":1}`, `{"a":2,"b":1}`, `{"b":1}`, document.Resolutions{"a": ""}, `{"b":1}`},
		{"one of each", `{"a":1,"b":1}`, `{"a":2,"b":2}`, `{"a":3,"b":3}`, document.Resolutions{"a": "2", "b": "3"}, `{"a":2,"b":3}`},
		{"the whole document", `[1]`, `[2]`, `[3]`, document.Resolutions{document.Whole: "[2]"}, `[2]`},
	} {
		t.Run(test.name, func(t *testing.T) {
			merged, conflicts := document.Merge(parse(t, test.base), parse(t, test.mine), parse(t, test.theirs), test.chosen)
			if len(conflicts) > 0 || merged.Text() != test.want {
				t.Error(conflicts, merged)
			}
		})
	}
	_, left := document.Merge(parse(t, `{"a":1,"b":1}`), parse(t, `{"a":2,"b":2}`), parse(t, `{"a":3,"b":3}`), document.Resolutions{"a": "2"})
	if len(left) != 1 || left[0].Path != "b" {
		t.Errorf("left are %v", left)
	}
}

func TestTheSameChangeOnBothSidesIsNoConflict(t *testing.T) {
	t.Parallel()
	merged, conflicts := document.Merge(parse(t, `{"a":1,"b":1}`), parse(t, `{"a":2}`), parse(t, "{\n\"a\" : 2}"), nil)
	if len(conflicts) > 0 || merged.Text() != "{\n\"a\" : 2}" {
		t.Error(conflicts, merged)
	}
}

func TestMergesOfRandomEdits(t *testing.T) {
	t.Parallel()
	clean := 0
	for seed := range uint64(1200) {
		w := newWriter(seed)
		base := parse(t, w.definition())
		mine, theirs := base, base
		for range 1 + w.IntN(3) {
			mine, _ = w.randomEdit(t, mine)
			theirs, _ = w.randomEdit(t, theirs)
		}
		if same, conflicts := document.Merge(base, base, theirs, nil); conflicts != nil || same.Text() != theirs.Text() {
			t.Fatalf("seed %d: changing nothing changes theirs", seed)
		}
		if all, conflicts := document.Merge(base, mine, base, nil); conflicts != nil || len(document.Diff(all, mine)) > 0 {
			t.Fatalf("seed %d: mine is not what an unchanged base becomes\n%s\n%s\n%v %v", seed, base.Text(), mine.Text(), conflicts, document.Diff(all, mine))
		}
		merged, conflicts := document.Merge(base, mine, theirs, nil)
		chosen := document.Resolutions{}
		for _, c := range conflicts {
			chosen[c.Path] = c.Mine
		}
		resolved, left := document.Merge(base, mine, theirs, chosen)
		if len(left) > 0 {
			t.Fatalf("seed %d: with every place chosen %v is left", seed, left)
		}
		for _, c := range conflicts {
			if n, there := resolved.Find(c.Path); there != (c.Mine != "") || there && n.Kind() != parse(t, c.Mine).Root().Kind() {
				t.Fatalf("seed %d: mine was chosen at %s, which is not %s", seed, c.Path, c.Mine)
			}
		}
		other, conflictsBack := document.Merge(base, theirs, mine, nil)
		if len(conflicts) == 0 && len(conflictsBack) == 0 {
			clean++
			if left := notMoved(document.Diff(merged, other)); len(left) > 0 {
				t.Fatalf("seed %d: it matters who is first: %v", seed, left)
			}
		} else if len(conflicts) != len(conflictsBack) && !reordersExtensions(base, mine, theirs) {
			t.Fatalf("seed %d: %v, but the other way %v", seed, conflicts, conflictsBack)
		}
	}
	if clean < 300 {
		t.Errorf("only %d merges were without conflict", clean)
	}
}

// notMoved leaves out the order of extensions: that of two new ones is that of
// who comes second.
func notMoved(changes []document.Change) []document.Change {
	return slices.DeleteFunc(changes, func(c document.Change) bool { return c.Kind == document.Moved })
}

func reordersExtensions(base *document.Document, others ...*document.Document) bool {
	return slices.ContainsFunc(others, func(d *document.Document) bool {
		changes := document.Diff(base, d)
		return len(notMoved(slices.Clone(changes))) < len(changes)
	})
}
