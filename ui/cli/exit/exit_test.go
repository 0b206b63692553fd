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
