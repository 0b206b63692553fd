package document_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"geodeck/adminapi/document"
)

func parse(t testing.TB, text string) *document.Document {
	t.Helper()
	d, err := document.Parse([]byte(text))
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return d
}

func read(t testing.TB, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func eachFile(t testing.TB) map[string]string {
	t.Helper()
	names, err := filepath.Glob("testdata/*.json")
	if err != nil || len(names) == 0 {
		t.Fatal("no test data", err)
	}
	texts := map[string]string{}
	for _, name := range names {
		texts[filepath.Base(name)] = read(t, filepath.Base(name))
	}
	return texts
}

func TestAnUnchangedDocumentIsByteIdentical(t *testing.T) {
	t.Parallel()
	for name, text := range eachFile(t) {
		d := parse(t, text)
		if string(d.Bytes()) != text || d.Text() != text {
			t.Errorf("%s: the bytes changed", name)
		}
		for _, line := range d.Lines() {
			path := line.Node.Path()
			same, err := d.SetValue(path, line.Node.Subtree())
			if err != nil {
				t.Fatalf("%s %s: %v", name, path, err)
			}
			if same.Text() != text {
				t.Errorf("%s: putting %s back unchanged changed the bytes", name, path)
			}
		}
	}
}

func TestBadJSONIsRefusedInPlainWordsWithItsPlace(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ text, want string }{
		{"", "line 1, column 1: the text is empty"},
		{" \n", "line 1, column 1: the text is empty"},
		{"{\n  \"a\": 1,\n  \"b\": tru\n}", `line 3, column 8, at b: a value is missing; there is "tru"`},
		{"{\"a\": 1\n \"b\": 2}", "line 1, column 8: a comma is missing before the next value"},
		{"{\"a\": [1, 2,]}", "line 1, column 12, at a: a comma before ]: nothing follows it"},
		{"{\"ä\": 1, \"ä\": 2}", `line 1, column 10, at ["ä"]: the key "ä" appears twice, first on line 1`},
		{"{\"a\":\n{\"b\":1,\n\"\\u0062\":2}}", `line 3, column 1, at a.b: the key "b" appears twice, first on line 2`},
		{"{\"a\" 1}", `line 1, column 6: a colon is missing after the key "a"`},
		{"{a: 1}", `line 1, column 2: a key in double quotes is missing; there is "a"`},
		{"{'a': 1}", "line 1, column 2: strings and keys need double quotes, not single ones"},
		{"{\"a\": 1 // why\n}", "line 1, column 9: JSON has no comments"},
		{"{\"a\": {\"b\": [1, 2}", "line 1, column 18, at a.b: a } where a ] should close"},
		{"{\"a\": [1,\n 2", "line 2, column 3, at a: the text ends before the ] for the [ of line 1"},
		{"[1] x", `line 1, column 5: the document has ended, but the text continues with "x"`},
		{"[01]", "line 1, column 2, at [0]: a number cannot begin with 0"},
		{"[1.]", "line 1, column 4, at [0]: a digit is missing after the decimal point"},
		{"[\"a\nb\"]", "line 1, column 2, at [0]: the closing quote of this string is missing on its line"},
		{"[\"a\\x\"]", `line 1, column 4, at [0]: not a JSON escape; write a backslash as \\`},
		{"[\"\\ud800\"]", "line 1, column 3, at [0]: half of a surrogate pair: the other escape is missing"},
		{"[\"ab\xff\"]", "line 1, column 5, at [0]: a byte that is not UTF-8: the file is in another encoding"},
		{"\ufeff{}", "line 1, column 1: a value is missing; there is a byte order mark: save the file without it"},
		{"{\"extensions\":[{\"typeName\":\"WMSServer\",\"enabled\":yes}]}",
			`line 1, column 50, at extensions[WMSServer].enabled: a value is missing; there is "yes"`},
		{"{\"extensions\":[{\"typeName\":\"WM", "line 1, column 28, at extensions[0].typeName: the closing quote of this string is missing"},
		{"[1,,2]", "line 1, column 4, at [1]: a value is missing before ,"},
		{"{,}", "line 1, column 2: an extra comma"},
		{"{\"a\":}", "line 1, column 6, at a: a value is missing before }"},
		{"[1,", "line 1, column 4: the text ends after a comma"},
		{"{\"a\":", "line 1, column 6, at a: the text ends where a value is expected"},
		{"[+1]", "line 1, column 2, at [0]: a number begins with a digit or a minus"},
		{"[-]", "line 1, column 3, at [0]: a digit is missing after the minus"},
		{"[1e]", "line 1, column 4, at [0]: a digit is missing in the exponent of the number"},
		{"[1:2]", "line 1, column 3: a colon in a list, or a second one after a key"},
		{"[\"a\tb\"]", "line 1, column 4, at [0]: a tab inside a string: write \\t"},
		{"{\"\x1b[31m\": 1}", "line 1, column 3: a control character inside a string"},
		{"[\x1b]", "line 1, column 2, at [0]: a value is missing; there is an unprintable character"},
	} {
		_, err := document.Parse([]byte(test.text))
		var e *document.SyntaxError
		if !errors.As(err, &e) || err.Error() != test.want {
			t.Errorf("%q:\n got %v\nwant %s", test.text, err, test.want)
		}
	}
}

func TestWhatIsTooLargeOrTooDeepIsRefused(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"50 MB":     `"` + strings.Repeat("a", 50<<20) + `"`,
		"1000 deep": strings.Repeat("[", 1000) + strings.Repeat("]", 1000),
	} {
		var e *document.SyntaxError
		if _, err := document.Parse([]byte(text)); !errors.As(err, &e) || e.Message == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
	parse(t, strings.Repeat("[", document.MaxDepth)+strings.Repeat("]", document.MaxDepth))
	parse(t, `"`+strings.Repeat("a", document.MaxSize-2)+`"`)
}

func TestAKeyIsFoundTwiceAmongThousands(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	for i := range 5000 {
		text.WriteString(`"key` + strings.Repeat("x", i%7) + string(rune('a'+i%26)) + "-" + itoa(i) + `":1,`)
	}
	all := text.String()
	parse(t, "{"+all[:len(all)-1]+"}")
	_, err := document.Parse([]byte("{" + all + `"key\u0061-0":2}`))
	if err == nil || !strings.Contains(err.Error(), "twice") {
		t.Error("got", err)
	}
}

func TestAValueKnowsItsPlace(t *testing.T) {
	t.Parallel()
	d := parse(t, read(t, "mapserver.json"))
	n, ok := d.Find("extensions[WFSServer].enabled")
	if !ok || n.Kind() != document.Bool || n.Raw() != "false" || n.Path() != "extensions[WFSServer].enabled" {
		t.Fatal("found", n.Raw(), n.Path())
	}
	start, end := n.Span()
	if d.Text()[start:end] != "false" || d.At(start) != n {
		t.Error("span is wrong")
	}
	line, column := d.Position(start)
	if text := strings.Split(d.Text(), "\n")[line-1]; text[column-1:column+4] != "false" {
		t.Error("position", line, column)
	}
	if n, _ := d.Find("description"); n.Text() != `Städte der Welt — "sample"` {
		t.Error("text", n.Text())
	}
	for _, missing := range []document.Path{"nothing", "extensions[WCSServer]", "extensions[7]", "type.x", "a..b", "datasets[WMSServer]"} {
		if n, ok := d.Find(missing); ok {
			t.Error("found", missing, n.Raw())
		}
	}
	if n, ok := d.Find("extensions[0]"); !ok || n.Path() != "extensions[WMSServer]" {
		t.Error("an extension is not found by its index")
	}
}

// shortDocuments has every shape of the files in testdata in a few words: the engine makes
// what it finds smaller again and again, which a long seed turns into minutes.
var shortDocuments = []string{
	`{"serviceName":"S","type":"MapServer","maxIdleTime":1800,"description":"St\u00e4dte","private":false}`,
	"{\n  \"type\": \"M\",\n  \"properties\": {\n    \"maxScale\": 1000.0,\n    \"odd.key\": \"1\"\n  },\n  \"jobs\": []\n}\n",
	"{\r\n\t\"a\" : null ,\r\n\t\"b\": { }\r\n}\r\n",
	`{"extensions":[{"typeName":"WMS","enabled":true,"properties":{}},{"typeName":"WFS"}],"datasets":[]}`,
	`{"minInstancesPerNode":1,"maxInstancesPerNode":2,"recycleStartTime":"00:00","x":[[1,2],{"a":{"b":-1e5}}]}`,
	`{"placementPolicy":[{"deploymentId":"k","podPlacementPolicy":{"tolerations":[],"nodeAffinity":{}}}]}`,
}

func FuzzParse(f *testing.F) {
	for _, text := range shortDocuments {
		f.Add([]byte(text))
	}
	for _, text := range []string{`{"a":1,"\u0061":2}`, `["\ud800"]`, `{"extensions":[{"typeName":"WM`, "[1e5,-0,0.1E+3]", "\ufeff{}", "{\"extensions\":[{\"typeName\":\"\x1b"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		d, err := document.Parse(data)
		if valid := jsontext.Value(data).IsValid(); valid != (err == nil) && !strings.Contains(errorText(err), "more than 200") {
			t.Fatalf("%q: valid %v, got %v", data, valid, err)
		}
		if err != nil {
			return
		}
		for _, line := range d.Lines() {
			if found, ok := d.Find(line.Node.Path()); !ok || found != line.Node {
				t.Fatalf("%q: %s is not found", data, line.Node.Path())
			}
		}
	})
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
