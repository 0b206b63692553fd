package jsonedit_test

import (
	"fmt"
	"strings"
	"testing"

	"geodeck/adminapi/document"
	"geodeck/ui/uitest"
)

func TestADeletedValueStaysInSightUntilItIsSent(t *testing.T) {
	t.Parallel()
	text := definition(t)
	s := open(t, text).at("properties.minScale")
	s.Press("jsonedit.delete")
	s.at("properties").Press("jsonedit.next-change")
	s.Shows(`›  -        "minScale": 295828763.7957775  deleted`, "properties.minScale  a number · restart likely · deleted, not sent yet")
	if s.Path() != "properties.minScale" {
		t.Errorf("} leads to %q", s.Path())
	}
	left := s.Document().Text()
	for _, key := range strings.Fields("jsonedit.edit enter jsonedit.text jsonedit.add jsonedit.delete jsonedit.rename jsonedit.move-up jsonedit.move-down space") {
		s.Tells(s.Press(key), "Deleted, not sent yet. u undoes your last change.")
		s.is(left)
	}
	s.at("extensions[WMSServer].properties").Press("jsonedit.delete")
	s.Press("jsonedit.previous-change")
	if s.Path() != "properties.minScale" {
		t.Errorf("{ leads to %q", s.Path())
	}
	s.Press("jsonedit.next-change")
	s.Shows(`"properties": {…}  `, "deleted")
	s.Press("jsonedit.undo jsonedit.undo")
	s.is(text)
	s.Hides("deleted")
}

func TestTheNameOfAnExtensionIsOneDifference(t *testing.T) {
	t.Parallel()
	s := open(t, definition(t)).at("extensions[WFSServer].typeName")
	s.Press("jsonedit.delete")
	s.Shows(`-          "typeName": "WFSServer"  deleted`)
	if n := strings.Count(s.Draw(), "◆"); n > 0 {
		t.Errorf("%d lines around it are marked as changed:\n%s", n, s.Draw())
	}
}

// Whatever is deleted, a row is found for each value, and the cursor gets everywhere.
func TestDeletedValuesStandWhereTheyStood(t *testing.T) {
	t.Parallel()
	const base = `{"a": {"x": 1, "y": {"z": 2}}, "b": [1, 2], "c": {"only": true}, "extensions": [{"typeName": "A"}, {"typeName": "B"}], "d": 4, "e": 5}`
	for edited, want := range map[string]string{
		`{"a": {"x": 1, "y": {"z": 2}}, "b": [1, 2], "c": {}, "extensions": [{"typeName": "A"}, {"typeName": "B"}], "d": 4, "e": 5}`: "c, c.only, extensions",
		`{"b": [1, 2], "extensions": [{"typeName": "A"}], "d": 4}`:                                                                   "a, b, b[0], b[1], b, c, extensions, extensions[A], extensions[A].typeName, extensions[A], extensions[B], extensions, d, e",
		`{"a": {"y": {}}}`: "a, a.x, a.y, a.y.z, a, b, c, extensions, d, e",
		`{}`:               "(whole document), a, b, c, extensions, d, e",
		`[]`:               "(whole document)",
	} {
		s := openIn(t, uitest.Theme(), 120, 60, base)
		s.set(edited, base)
		var seen []string
		for range 40 {
			path := s.Path().String()
			s.Press("down")
			seen = append(seen, path)
		}
		if all := strings.Join(seen, ", "); !strings.Contains(all, want) {
			t.Errorf("%s shows %s instead of %s", edited, all, want)
		}
	}
}

func TestThousandsOfDeletedValuesAreShown(t *testing.T) {
	t.Parallel()
	text := long(5000)
	cut := strings.Index(text, `    "setting10"`)
	s := open(t, text)
	s.set(text[:cut]+text[strings.Index(text, `    "maxRecordCount"`):], text)
	s.at("properties.setting9").Press("jsonedit.next-change")
	s.Shows(`"setting10": {…}  3 keys  deleted`, `"setting11": {…}  3 keys  deleted`, fmt.Sprint(" of ", 64+4990))
	s.Press("jsonedit.previous-change")
	if s.Path() != document.Path("properties.setting4999") {
		t.Errorf("{ leads to %q", s.Path())
	}
}
