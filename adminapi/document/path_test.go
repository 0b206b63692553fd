package document_test

import (
	"strconv"
	"testing"

	"geodeck/adminapi/document"
	"geodeck/adminapi/plain"
)

func itoa(n int) string { return strconv.Itoa(n) }

func TestAPathIsReadAsItIsWritten(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]document.Path{
		"":                                    document.Whole,
		"properties.maxRecordCount":           "properties.maxRecordCount",
		`properties["maxRecordCount"]`:        "properties.maxRecordCount",
		`["odd.key"].x`:                       `["odd.key"].x`,
		"extensions[WMSServer].enabled":       "extensions[WMSServer].enabled",
		`extensions[typeName="WMSServer"]`:    "extensions[WMSServer]",
		`extensions[typeName="a b"]`:          `extensions[typeName="a b"]`,
		`extensions[typeName="7"]`:            `extensions[typeName="7"]`,
		"datasets[0].onServerName":            "datasets[0].onServerName",
		`["\u001b[31m"]`:                      `["\u001b[31m"]`,
		`["😀"]`:                               `["😀"]`,
		" properties.x-lastTuned ":            "properties.x-lastTuned",
		`properties["\ud83d\ude00\u202eabc"]`: `properties["😀\u202eabc"]`,
	} {
		if got, err := document.ParsePath(text); err != nil || got != want {
			t.Errorf("%s: got %s, %v", text, got, err)
		}
	}
	for _, text := range []string{".", "a.", "a..b", "[", "[]", "a[", "a[1", `a["x]`, `a["x"`, "a b", "a]", `["x"]y`, "a[typeName=]"} {
		if got, err := document.ParsePath(text); err == nil {
			t.Errorf("%s is read as %s", text, got)
		}
	}
}

func TestAPathIsWithinAnother(t *testing.T) {
	t.Parallel()
	p := document.Path("extensions").Named("WMSServer").Key("properties").Key("odd.key")
	if p != `extensions[WMSServer].properties["odd.key"]` || p.Parent() != "extensions[WMSServer].properties" {
		t.Error(p, p.Parent())
	}
	if !p.Within("extensions") || !p.Within(p) || !p.Within(document.Whole) || !p.Within("extensions[WMSServer]") || !document.Path("a.b").Within("a") || p.Within("ext") || p.Within(p.Key("x")) {
		t.Error("Within is wrong")
	}
	if last, ok := p.Last(); !ok || last.Key != "odd.key" {
		t.Error(last)
	}
}

// It is typed to confirm that the key is lost.
func TestTheNameOfAPathCanBeTyped(t *testing.T) {
	t.Parallel()
	for path, want := range map[document.Path]string{
		"properties.maxRecordCount": "maxRecordCount", "extensions[WMSServer]": "WMSServer", "datasets[3]": "3", `["odd.key"]`: "odd.key",
		`a["b "]`: `["b "]`, `a[" b"]`: `[" b"]`, `a[""]`: `[""]`, `a["\u202eb"]`: `["\u202eb"]`, `extensions[typeName=" A"]`: `[typeName=" A"]`, document.Whole: document.Whole.String(),
	} {
		if got := path.Name(); got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
}

func FuzzPath(f *testing.F) {
	for _, key := range []string{"a", "a.b", "", "\x1b[31m", "é", "0", "-0", `"`, `a\b`, "\u202e", "a\u0301", "\u3164"} {
		f.Add(key, 3)
	}
	f.Fuzz(func(t *testing.T, key string, index int) {
		name := document.Quote(key)
		key, _ = strconv.Unquote(strconv.Quote(string([]rune(key)))) // broken UTF-8 cannot be in a document
		if index < 0 {
			index = 0
		}
		p := document.Path("a").Key(key).Index(index).Named(key).Key(key)
		steps := p.Steps()
		if len(steps) != 5 || steps[1].Key != key || steps[2].Index != index || steps[3].Name != key || steps[4].Key != key {
			t.Fatalf("%q becomes %s and then %+v", key, p, steps)
		}
		if again, err := document.ParsePath(string(p)); err != nil || again != p {
			t.Fatalf("%s is read as %s: %v", p, again, err)
		}
		if len(p) < plain.MaxLine && plain.Line(string(p)) != string(p) {
			t.Fatalf("%q is not clean", p)
		}
		d := parse(t, "{"+name+":[1,{"+name+":2}]}")
		if n, ok := d.Find(document.Whole.Key(key).Index(1).Key(key)); !ok || n.Raw() != "2" {
			t.Fatalf("%q is not found", key)
		}
	})
}
