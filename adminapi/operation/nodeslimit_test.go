//go:build unix

package operation

import (
	"strings"
	"testing"
	"time"
)

func TestACommandThatTakesTooLongIsEndedAndSaysWhy(t *testing.T) {
	source := NodeSource{Command: []string{"/bin/sh", "-c", "sleep 600 & sleep 600"}}
	printed, _, err := source.run(t.Context(), 20*time.Millisecond)
	if err == nil || printed != nil || !strings.Contains(err.Error(), "has not ended within 20 ms and was ended; try it in a terminal") {
		t.Errorf("%q, %v", printed, err)
	}
}
