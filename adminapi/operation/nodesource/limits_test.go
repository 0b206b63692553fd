//go:build unix

package nodesource

import (
	"strings"
	"testing"
	"time"

	"geodeck/adminapi"
)

// endless gives zeros for ever.
type endless struct{ read int }

func (e *endless) Read(p []byte) (int, error) {
	e.read += len(p)
	clear(p)
	return len(p), nil
}

func TestASourceWithoutAnEndIsStopped(t *testing.T) {
	t.Parallel()
	const kib = 1 << 10
	flood := &endless{}
	for _, c := range []struct {
		source Source
		limits nodesLimits
		want   string
	}{
		{Source{Command: []string{"/bin/sh", "-c", "sleep 600 & sleep 600"}}, nodesLimits{20 * time.Millisecond, kib}, "stopped after 20 ms; run it in a terminal"},
		{Source{Command: []string{"cat", "/dev/zero"}}, nodesLimits{time.Minute, 100 * kib}, "printing more than 256 MiB"},
		{Source{Input: flood}, nodesLimits{time.Minute, 100 * kib}, "larger than 256 MiB"},
	} {
		nodes, err := c.source.read(t.Context(), adminapi.SystemClock{}, c.limits)
		if err == nil || nodes.List != nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.source, err)
		}
	}
	if flood.read > 200*kib {
		t.Errorf("%d bytes were read", flood.read)
	}
}
