package bench

import (
	"strings"
	"testing"
	"time"

	"geodeck/ui/uitest/terminal"
)

func TestAPauseStartsABurst(t *testing.T) {
	t.Parallel()
	began := time.Now()
	var pieces []terminal.Piece
	for at, text := range []string{0: "a", 20: "b", 60: "c", 101: "d", 102: "e"} {
		if text != "" {
			pieces = append(pieces, terminal.Piece{At: began.Add(time.Duration(at) * time.Millisecond), Text: text})
		}
	}
	bursts := split(pieces, began.Add(-5*time.Millisecond))
	var texts []string
	for _, b := range bursts {
		texts = append(texts, b.Text)
	}
	if strings.Join(texts, "|") != "abc|de" {
		t.Fatalf("the bursts are %q", texts)
	}
	if bursts[1].First != 106*time.Millisecond || bursts[1].Last != 107*time.Millisecond {
		t.Errorf("the second burst is %+v", bursts[1])
	}
}
