package exit

import (
	"errors"
	"io"
	"strings"
	"testing"

	"geodeck/adminapi"
	"geodeck/ui/cli/output"
)

func TestEveryKindOfErrorHasAnExitCode(t *testing.T) {
	for kind := adminapi.Kind(0); kind.String() != "unknown"; kind++ {
		if CodeOfKind[kind] == Done {
			t.Errorf("an error of kind %q would exit as done", kind)
		}
	}
}

func TestNothingOfAnErrorIsObeyedByATerminal(t *testing.T) {
	var said strings.Builder
	out := output.New(io.Discard, &said, func(string) string { return "" }, t.Context)
	Print(out, &Failure{Code: Failed, Err: errors.New("a \x1b]0;title\ab\nc"), Details: []string{"d\x1b[2J"}, Advice: "e\u202e\nf\r"})
	if want := "geodeck: a b c\n  d\ne\nf\n"; said.String() != want {
		t.Errorf("it says %q, want %q", said.String(), want)
	}
}

// Scripts read the kind and the code of an error, and the words and the privilege that the site gave.
func TestAnErrorIsALineOfJSONForScripts(t *testing.T) {
	denied := &adminapi.Error{Kind: adminapi.KindPrivilege, Operation: "stop the service", Code: 403, Message: "not allowed", Details: []string{"d"}, Privilege: "publish"}
	for want, f := range map[string]*Failure{
		`{"schemaVersion":1,"error":{"kind":"usage","operation":"","message":"--paint takes a, b, not \"c\"","code":0,"details":[],"exitCode":2}}`:                              OneOf("--paint", "c", []string{"a", "b"}).(*Failure),
		`{"schemaVersion":1,"error":{"kind":"failed","operation":"","message":"2 failed","code":0,"details":[],"advice":"look","exitCode":1}}`:                                  NotPassed("look", "2 failed"),
		`{"schemaVersion":1,"error":{"kind":"outcome unknown","operation":"","message":"no answer","code":0,"details":["a"],"exitCode":6}}`:                                     {Code: Unknown, Kind: "outcome unknown", Err: errors.New("no answer"), Details: []string{"a"}},
		`{"schemaVersion":1,"error":{"kind":"privilege","operation":"stop the service","message":"not allowed","code":403,"details":["d"],"privilege":"publish","exitCode":4}}`: Refusal("privilege", "", denied),
	} {
		var said, printed strings.Builder
		out := output.New(&printed, &said, func(string) string { return "" }, t.Context)
		out.FindForm([]string{"-o", "json"})
		if code := Print(out, f); code != f.Code || said.String() != want+"\n" || printed.Len() > 0 {
			t.Errorf("code %d, it says\n%s, want\n%s", code, said.String(), want)
		}
		said.Reset()
		f.Printed = true
		if code := Print(out, f); code != f.Code || said.Len() > 0 {
			t.Errorf("what is printed already: code %d, %q", code, said.String())
		}
	}
	if OneOf("--paint", "a", []string{"a"}) != nil {
		t.Error("a choice is refused")
	}
}
