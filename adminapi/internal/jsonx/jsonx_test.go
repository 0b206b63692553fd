package jsonx_test

import (
	"fmt"
	"strings"
	"testing"

	"geodeck/adminapi/internal/jsonx"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

type moment int64

type element struct {
	Name string `json:"name"`
}

type sample struct {
	Text   string    `json:"text"`
	Number int       `json:"number"`
	Moment moment    `json:"moment"`
	Truth  bool      `json:"truth"`
	Texts  []string  `json:"texts"`
	List   []element `json:"list"`
}

var tolerant = jsonx.Tolerant(jsonx.Number[moment](), jsonx.List[element]())

func TestTolerant(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		`{}`:                      `{"text":"","number":0,"moment":0,"truth":false,"texts":[],"list":[]}`,
		`{"text":null}`:           `{"text":"","number":0,"moment":0,"truth":false,"texts":[],"list":[]}`,
		`{"text":6835}`:           `{"text":"6835","number":0,"moment":0,"truth":false,"texts":[],"list":[]}`,
		`{"TEXT":{"a": 1}}`:       `{"text":"{\"a\": 1}","number":0,"moment":0,"truth":false,"texts":[],"list":[]}`,
		`{"text":1,"text":"b"}`:   `{"text":"b","number":0,"moment":0,"truth":false,"texts":[],"list":[]}`,
		`{"number":" 12 "}`:       `{"text":"","number":12,"moment":0,"truth":false,"texts":[],"list":[]}`,
		`{"number":12.0}`:         `{"text":"","number":12,"moment":0,"truth":false,"texts":[],"list":[]}`,
		`{"number":"twelve"}`:     `{"text":"","number":0,"moment":0,"truth":false,"texts":[],"list":[]}`,
		`{"number":1e300}`:        `{"text":"","number":0,"moment":0,"truth":false,"texts":[],"list":[]}`,
		`{"moment":1.6991485e12}`: `{"text":"","number":0,"moment":1699148500000,"truth":false,"texts":[],"list":[]}`,
		`{"truth":"TRUE"}`:        `{"text":"","number":0,"moment":0,"truth":true,"texts":[],"list":[]}`,
		`{"truth":1}`:             `{"text":"","number":0,"moment":0,"truth":false,"texts":[],"list":[]}`,
		`{"texts":"one"}`:         `{"text":"","number":0,"moment":0,"truth":false,"texts":["one"],"list":[]}`,
		`{"texts":[1,null,"c"]}`:  `{"text":"","number":0,"moment":0,"truth":false,"texts":["1","","c"],"list":[]}`,
		`{"list":{"name":7}}`:     `{"text":"","number":0,"moment":0,"truth":false,"texts":[],"list":[{"name":"7"}]}`,
		`{"list":"none"}`:         `{"text":"","number":0,"moment":0,"truth":false,"texts":[],"list":[]}`,
	} {
		var got sample
		if err := json.Unmarshal([]byte(given), &got, tolerant); err != nil {
			t.Errorf("%s: %v", given, err)
			continue
		}
		if text, _ := json.Marshal(got); string(text) != want {
			t.Errorf("%s:\n%s, want\n%s", given, text, want)
		}
	}
}

func TestText(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{`"a\u00e4"`: "aä", `null`: "", ` 12.50`: " 12.50", `{"a": 1}`: `{"a": 1}`, "\"\xff\"": "\ufffd", ``: ""} {
		if got := jsonx.Text(jsontext.Value(given)); got != want {
			t.Errorf("%s is %q, want %q", given, got, want)
		}
	}
}

func TestChildren(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		`{"a": 1, "\u0061" : [2, 3] }`: `a=1@6 a=[2, 3]@20`,
		`[true,  {"b":null}]`:          `=true@1 ={"b":null}@8`,
		`{"a":1,"b":}`:                 `a=1@5`,
		`[1,2`:                         `=1@1 =2@3`,
		`"[1]"`:                        ``,
		``:                             ``,
	} {
		var got []string
		for child := range jsonx.Children(jsontext.Value(given)) {
			got = append(got, fmt.Sprintf("%s=%s@%d", child.Name, child.Value, child.At))
			if given[child.At:child.End()] != string(child.Value) {
				t.Errorf("%s: %q is not at %d", given, child.Value, child.At)
			}
		}
		if joined := strings.Join(got, " "); joined != want {
			t.Errorf("%s: %s, want %s", given, joined, want)
		}
	}
}

// FuzzChildren: the children of a valid value are all of it, each where it says.
func FuzzChildren(f *testing.F) {
	for _, seed := range []string{`{"a":1,"a":[{}]}`, `[1, "x", null]`, "{\"\xff\":\"\\ud800\"}", `{"a":`, ` [ [ ] ] `} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		parent := jsontext.Value(data)
		count, end := 0, 0
		for child := range jsonx.Children(parent) {
			if child.At < end || string(parent[child.At:child.End()]) != string(child.Value) || !child.Value.IsValid(jsonx.AsWritten) {
				t.Fatalf("%q: %q at %d", data, child.Value, child.At)
			}
			if child.Key != nil && jsonx.Text(child.Key) != child.Name {
				t.Fatalf("%q: %q is called %q", data, child.Key, child.Name)
			}
			count, end = count+1, child.End()
		}
		if !parent.IsValid(jsonx.AsWritten) {
			return
		}
		if want := countOf(parent); count != want {
			t.Fatalf("%q: %d children of %d", data, count, want)
		}
	})
}

// countOf counts the children by the depth of tokens.
func countOf(value jsontext.Value) (count int) {
	dec := jsonx.NewDecoder(value)
	for {
		if _, err := dec.ReadToken(); err != nil {
			return count
		}
		if dec.StackDepth() == 1 {
			kind, length := dec.StackIndex(1)
			if count = int(length); kind == jsontext.KindBeginObject {
				count /= 2
			}
		}
	}
}
