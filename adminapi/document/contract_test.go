package document_test

import (
	"cmp"
	"strings"
	"testing"

	"geodeck/adminapi/document"
	"geodeck/adminapi/simulator/simtest"
)

// No key of a definition in the contract is doubted where an edit adds it.
func TestTheKeysOfTheContractAreKnown(t *testing.T) {
	t.Parallel()
	const extensions = `[{"typeName":"WMSServer","properties":{ }}]`
	const base = `{"type":"MapServer","properties":{},"extensions":` + extensions + `}`
	parents := map[string]document.Path{"Definition": "", "Properties": "properties", "Extension": "extensions[0]"}
	values := map[string]string{"string": `"1"`, "integer": "1", "boolean": "true", "object": "{}", "array": "[]", "any": `""`,
		"Definition.type": `"MapServer"`, "Definition.extensions": extensions, "Extension.typeName": `"WMSServer"`, "Extension.properties": "{ }"}
	checked := 0
	for _, line := range simtest.Contract("field") {
		group, key, _ := strings.Cut(line.Name, ".")
		parent, is := parents[group]
		if !is {
			continue
		}
		checked++
		value := cmp.Or(values[line.Name], values[line.Type])
		member := `"` + key + `":` + value
		without := parse(t, strings.NewReplacer(member+",", "", ","+member, "").Replace(base))
		for _, f := range (document.Keys{}).Check(edited(t, without, add(parent, key, value, -1)), without) {
			t.Errorf("%s: %s: %s", line.Name, f.ID, f.Text)
		}
	}
	if checked != 35 {
		t.Errorf("only %d keys are checked", checked)
	}
}
