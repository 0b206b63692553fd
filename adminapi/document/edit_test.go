package document_test

import (
	"errors"
	"strings"
	"testing"

	"geodeck/adminapi/document"
)

// edit is one edit of a table, such as those of a person.
type edit func(*document.Document) (*document.Document, error)

func set(path document.Path, raw string) edit {
	return func(d *document.Document) (*document.Document, error) { return d.SetValue(path, raw) }
}

func add(parent document.Path, key, raw string, at int) edit {
	return func(d *document.Document) (*document.Document, error) { return d.Add(parent, key, raw, at) }
}

func insert(parent document.Path, raw string, at int) edit {
	return func(d *document.Document) (*document.Document, error) { return d.Insert(parent, raw, at) }
}

func rename(path document.Path, key string) edit {
	return func(d *document.Document) (*document.Document, error) { return d.Rename(path, key) }
}

func move(path document.Path, by int) edit {
	return func(d *document.Document) (*document.Document, error) { return d.Move(path, by) }
}

func remove(path document.Path) edit {
	return func(d *document.Document) (*document.Document, error) { return d.Remove(path) }
}

func TestAnEditKeepsTheLayoutOfItsNeighbourhood(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, before string
		edit         edit
		after        string
	}{
		{"a number as written", "{\"a\": 1, \"b\":2.50}\n", set("b", "1.0"), "{\"a\": 1, \"b\":1.0}\n"},
		{"only white space differs", "{\"a\": [1,  2]}", set("a", "[ 1, 2 ]"), "{\"a\": [1,  2]}"},
		{"the whole", " {\"a\": 1}\n", set("", "[]"), " []\n"},
		{"white space around a value", "[1]", set("[0]", "\n 2 \n"), "[2]"},
		{"lines into lines", "{\n  \"a\": {\n    \"b\": 1\n  }\n}", set("a.b", "{\n  \"c\": 1\n}"), "{\n  \"a\": {\n    \"b\": {\n      \"c\": 1\n    }\n  }\n}"},
		{"lines into CRLF", "{\r\n\t\"a\": 1\r\n}", set("a", "[\n\t1\n]"), "{\r\n\t\"a\": [\r\n\t\t1\r\n\t]\r\n}"},
		{"lines into one line", `{"a":1,"b":[1]}`, set("b", "{\n  \"c\": 1,\n  \"d\": [ ]\n}"), `{"a":1,"b":{"c":1,"d":[]}}`},

		{"add at the end", "{\n  \"a\": 1\n}\n", add("", "b", "2", -1), "{\n  \"a\": 1,\n  \"b\": 2\n}\n"},
		{"add at the beginning", "{\n  \"a\": 1\n}\n", add("", "b", "2", 0), "{\n  \"b\": 2,\n  \"a\": 1\n}\n"},
		{"add between", "{\"a\":1 , \"c\":3}", add("", "b", "2", 1), "{\"a\":1 , \"b\":2 , \"c\":3}"},
		{"add to compact", `{"a":1}`, add("", "b", `"x"`, 9), `{"a":1,"b":"x"}`},
		{"add to one line with spaces", `{"a": 1}`, add("", "b", "2", -1), `{"a": 1, "b": 2}`},
		{"add to padded", `{ "a" : 1 }`, add("", "b", "2", -1), `{ "a" : 1, "b" : 2 }`},
		{"add to CRLF and tabs", "{\r\n\t\"a\": 1\r\n}", add("", "b", "{\n\t\"c\": 1\n}", -1), "{\r\n\t\"a\": 1,\r\n\t\"b\": {\r\n\t\t\"c\": 1\r\n\t}\r\n}"},
		{"add where commas lead", "{ \"a\": 1\n, \"b\": 2\n}", add("", "c", "3", -1), "{ \"a\": 1\n, \"b\": 2\n, \"c\": 3\n}"},
		{"add to empty in lines", "{\n    \"a\": {}\n}", add("a", "b", "2", -1), "{\n    \"a\": {\n        \"b\": 2\n    }\n}"},
		{"add to empty within a line", "{\n  \"a\": [1, {}]\n}", add("a[1]", "b", "2", -1), "{\n  \"a\": [1, {\"b\": 2}]\n}"},
		{"add to empty compact", `{"a":{}}`, add("a", "b", "2", -1), `{"a":{"b":2}}`},
		{"add to an empty document", "{}", add("", "a", "1", -1), `{"a": 1}`},
		{"add to empty with a line break", "{\n}\n", add("", "a", "1", -1), "{\n  \"a\": 1\n}\n"},
		{"a key with quotes", `{"a":1}`, add("", "b\"\x1b", "2", -1), `{"a":1,"b\"\u001b":2}`},
		{"insert at the end", "[\n 1,\n 2\n]", insert("", "3", -1), "[\n 1,\n 2,\n 3\n]"},
		{"insert between", `[1, 2]`, insert("", "9", 1), `[1, 9, 2]`},
		{"insert into empty", `{"a":[]}`, insert("a", "1", 0), `{"a":[1]}`},

		{"rename", "{\"a\" : 1,\"b\":2}", rename("a", "c d"), "{\"c d\" : 1,\"b\":2}"},
		{"rename to itself", "{\"\\u0061\":1}", rename("a", "a"), "{\"\\u0061\":1}"},
		{"move down", "{\n  \"a\": 1,\n\n  \"b\": [ 2 ],\n  \"c\": 3\n}", move("a", 1), "{\n  \"b\": [ 2 ],\n\n  \"a\": 1,\n  \"c\": 3\n}"},
		{"move up beyond", "[1,2 ,3]", move("[2]", -9), "[3,1 ,2]"},
		{"move nowhere", "[1,2]", move("[1]", 1), "[1,2]"},

		{"remove the last", "{\n  \"a\": 1,\n  \"b\": 2\n}", remove("b"), "{\n  \"a\": 1\n}"},
		{"remove the first", "{\n  \"a\": 1,\n  \"b\": 2\n}", remove("a"), "{\n  \"b\": 2\n}"},
		{"remove between", "[1, 2,3]", remove("[1]"), "[1,3]"},
		{"remove the only one", "{\n  \"a\": {\n    \"b\": 1\n  }\n}", remove("a.b"), "{\n  \"a\": {}\n}"},
		{"remove an extension", `{"extensions":[{"typeName":"A"},{"typeName":"B"}]}`, remove("extensions[A]"), `{"extensions":[{"typeName":"B"}]}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			d := parse(t, test.before)
			after, err := test.edit(d)
			if err != nil {
				t.Fatal(err)
			}
			if after.Text() != test.after {
				t.Errorf("got\n%q, want\n%q", after.Text(), test.after)
			}
			if d.Text() != test.before {
				t.Error("the edited document itself changed")
			}
		})
	}
}

func TestAnEditThatCannotBeMadeSaysWhy(t *testing.T) {
	t.Parallel()
	d := parse(t, `{"a":1,"b":{"c":[1]}}`)
	for want, edit := range map[string]edit{
		"x: there is no such value":                                           set("x", "1"),
		"b.c: only an object can hold a key":                                  add("b.c", "x", "1", 0),
		"b: only a list can hold an element":                                  insert("b", "1", 0),
		"b.c: the object already has this key":                                add("b", "c", "1", 0),
		`a: the object has a key "b" already`:                                 rename("a", "b"),
		"b.c[0]: only a key of an object can be renamed":                      rename("b.c[0]", "b"),
		"(whole document): the whole document cannot be removed; go to a key": remove(""),
		"(whole document): the whole document has no siblings":                move("", 1),
		"line 2, column 3, at b.x: a value is missing; there is \"oops\"":     set("b", "{\"x\":\n  oops}"),
		"a: more than 200 levels of objects and lists":                        set("a", strings.Repeat("[", 200)+strings.Repeat("]", 200)),
	} {
		if got, err := edit(d); err == nil || err.Error() != want || got != nil {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	var e *document.EditError
	if _, err := d.Remove("x"); !errors.As(err, &e) || e.Path != "x" {
		t.Error("the error has no path")
	}
}

func TestASubtreeIsEditedAlone(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"mapserver.json", "mapserver_crlf.json", "mapserver_compact.json"} {
		d := parse(t, read(t, name))
		n, _ := d.Find("extensions[WMSServer]")
		text := n.Subtree()
		if !strings.HasPrefix(text, "{\n") || !strings.HasSuffix(text, "\n}") || strings.Contains(text, "\r") {
			t.Errorf("%s: the subtree is not set out from the left:\n%q", name, text)
		}
		edited, err := d.SetValue("extensions[WMSServer]", strings.Replace(text, "true", "false", 1))
		if err != nil {
			t.Fatal(err)
		}
		if want := strings.Replace(d.Text(), `"enabled": true`, `"enabled": false`, 1); name != "mapserver_compact.json" && edited.Text() != want {
			t.Errorf("%s: more than the one word changed:\n%s", name, edited.Text())
		}
		if want := strings.Replace(d.Text(), `"enabled":true`, `"enabled":false`, 1); name == "mapserver_compact.json" && edited.Text() != want {
			t.Errorf("%s: more than the one word changed:\n%s", name, edited.Text())
		}
	}
}

func TestASubtreeOfUnevenLinesKeepsThem(t *testing.T) {
	t.Parallel()
	d := parse(t, "{\n    \"a\": {\n  \"b\": 1,\n\n      \"c\": 2\n    }\n}")
	n, _ := d.Find("a")
	edited, err := d.SetValue("a", strings.Replace(n.Subtree(), "2", "3", 1))
	if err != nil || edited.Text() != strings.Replace(d.Text(), "2", "3", 1) {
		t.Errorf("%v\n%q", err, edited.Text())
	}
}
