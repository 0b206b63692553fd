package progress_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"geodeck/adminapi/upgrade/progress"
)

func TestTheOutcomeOfEachStoreIsATable(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]progress.Table{
		`[{"store":"a","status":"done"},{"status":"failed","store":"b","error":"disk"}]`: {
			Columns: []string{"store", "status", "error"}, Rows: [][]string{{"a", "done", ""}, {"b", "failed", "disk"}}},
		`Speicher [2]: {"a":{"status":"done","s":12.50},"b":{"ok":true,"why":null}} .`: {
			Before: "Speicher [2]:", Columns: []string{"", "status", "s", "ok", "why"},
			Rows: [][]string{{"a", "done", "12.50", "", ""}, {"b", "", "", "true", "null"}}},
		`{"stores":[{"name":"a","versions": {"from" : "15", "to":[16, 4]}}]}`: {
			Columns: []string{"name", "versions"}, Rows: [][]string{{"a", `{"from":"15","to":[16,4]}`}}},
		`{"stores":{"a":{"status":"done"},"b":{"status":"done"}}}`: {
			Columns: []string{"", "status"}, Rows: [][]string{{"a", "done"}, {"b", "done"}}},
		`{"status":"completed","stores":[{"name":"a"}],"seconds":3}`: {
			Columns: []string{"name"}, Rows: [][]string{{"a"}}},
		`{"a":{"status":"done"}}`: {Columns: []string{"", "status"}, Rows: [][]string{{"a", "done"}}},
		`[{"a":1,"a":2},{}]`:      {Columns: []string{"a"}, Rows: [][]string{{"2"}, {""}}},
		`{"a":{"":"x","é\n":"\u001b[2J"}}`: {
			Columns: []string{"", "", "é\n"}, Rows: [][]string{{"a", "x", "\x1b[2J"}}},
	} {
		if got, ok := progress.TableIn(text); !ok || !reflect.DeepEqual(got, want) {
			t.Errorf("%s:\n%+v, %v; want\n%+v", text, got, ok, want)
		}
	}
}

func TestWhatIsNoTableStaysText(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"nothing": "", "words": "all stores are done", "half": `{"stores":[{"name":"a"},`, "half inside": `{"a":{"b":1`,
		"half with a table": `{"a":[{"b":1}],"c":[{"d":1}]`,
		"scalars":           `{"status":"done"}`, "numbers": `[1,2]`, "mixed": `[{"a":1},2]`, "empty": `[]`, "empty object": `{}`,
		"empty rows": `[{},{}]`, "two tables": `{"a":[{"x":1}],"b":[{"y":1}]}`, "text behind": `[{"a":1}] but the disk is full`,
		"huge":          `[` + strings.Repeat(`{"a":"`+strings.Repeat("x", 1000)+`"},`, 2000) + `{}]`,
		"too many rows": `[` + strings.Repeat(`{},`, 20_000) + `{"a":1}]`,
		"too many columns": `[{` + func() (s string) {
			for i := range 200 {
				s += fmt.Sprintf(`"c%d":1,`, i)
			}
			return s
		}() + `"z":1}]`,
		"deep": strings.Repeat(`[`, 500_000), "deep objects": strings.Repeat(`{"a":`, 100_000),
	} {
		if got, ok := progress.TableIn(text); ok {
			t.Errorf("%s: %.200v", name, got)
		}
	}
}
