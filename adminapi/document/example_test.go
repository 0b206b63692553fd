package document_test

import (
	"fmt"

	"geodeck/adminapi/document"
)

func Example() {
	d, err := document.Parse([]byte(`{
  "serviceName": "Roads",
  "maxInstancesPerNode": 2,
  "extensions": [
    {"typeName": "WMSServer", "enabled": true}
  ],
  "scale": 1.50
}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	edited, err := d.SetValue("extensions[WMSServer].enabled", "false")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(edited.Text())
	for _, change := range document.Diff(d, edited) {
		fmt.Println(change.Path, change.Kind, change.Old, "to", change.New)
	}
	// Output:
	// {
	//   "serviceName": "Roads",
	//   "maxInstancesPerNode": 2,
	//   "extensions": [
	//     {"typeName": "WMSServer", "enabled": false}
	//   ],
	//   "scale": 1.50
	// }
	// extensions[WMSServer].enabled changed true to false
}

func ExampleParse() {
	_, err := document.Parse([]byte("{\n  \"type\": \"MapServer\"\n  \"private\": false\n}"))
	fmt.Println(err)
	// Output: line 2, column 22: a comma is missing before the next value
}

func ExampleMerge() {
	base, _ := document.Parse([]byte(`{"minInstancesPerNode": 1, "maxInstancesPerNode": 2}`))
	mine, _ := document.Parse([]byte(`{"minInstancesPerNode": 1, "maxInstancesPerNode": 4}`))
	theirs, _ := document.Parse([]byte(`{"minInstancesPerNode": 0, "maxInstancesPerNode": 2}`))
	merged, conflicts := document.Merge(base, mine, theirs, nil)
	fmt.Println(merged.Text(), len(conflicts))
	// Output: {"minInstancesPerNode": 0, "maxInstancesPerNode": 4} 0
}
