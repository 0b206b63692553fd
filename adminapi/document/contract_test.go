package document_test

import (
	"strings"
	"testing"

	"geodeck/adminapi/document"
	"geodeck/adminapi/simulator/simtest"
)

// No key of a definition in the contract is doubted where an edit adds it.
func TestTheKeysOfTheContractAreKnown(t *testing.T) {
	t.Parallel()
	const base = `{"type":"MapServer","properties":{"x":1},"extensions":[{"typeName":"WMSServer","x":1,"properties":{"x":1}}]}`
	parents := map[string]document.Path{"Definition": "", "Properties": "properties", "Extension": "extensions[0]"}
	values := map[string]string{"string": `"1"`, "integer": "1", "boolean": "true", "object": "{}", "array": "[]", "any": `""`}
	checked := 0
	for _, line := range simtest.Contract("field") {
		group, key, _ := strings.Cut(line.Name, ".")
		parent, is := parents[group]
		if !is || strings.Contains(base, `"`+key+`"`) && group != "Properties" {
			continue
		}
		checked++
		before := parse(t, base)
		for _, f := range (document.Keys{}).Check(edited(t, before, add(parent, key, values[line.Type], -1)), before) {
			t.Errorf("%s: %s: %s", line.Name, f.ID, f.Text)
		}
	}
	if checked < 25 {
		t.Errorf("only %d keys are checked", checked)
	}
}
