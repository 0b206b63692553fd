package adminapi_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"geodeck/adminapi"
)

// longMessage is one of which few make an answer long enough that its beginning is
// left out.
func longMessage(n int) string {
	return fmt.Sprintf(`{"code":2038,"message":"%d %s","when":%d,"node":{"name":"n%d"}}`, n, strings.Repeat("x", 1180)+"éüß", n, n)
}

// applyEvent changes a site's log as a site may between two fetches.
func applyEvent(draw *rand.Rand, g *growing) {
	g.suffix = ""
	switch n := len(g.messages); draw.IntN(60) {
	case 0:
		g.messages = g.messages[draw.IntN(n+1):]
	case 1:
		g.messages = g.messages[:draw.IntN(n+1)]
	case 2:
		draw.Shuffle(n, func(i, j int) { g.messages[i], g.messages[j] = g.messages[j], g.messages[i] })
	case 3:
		if n > 0 {
			g.messages[draw.IntN(n)] = longMessage(draw.IntN(50))
		}
	case 4:
		if n > 0 {
			g.messages = slices.Insert(g.messages, draw.IntN(n), longMessage(draw.IntN(50)))
		}
	case 5:
		g.messages = append(g.messages, g.messages...)
		g.messages = g.messages[:min(len(g.messages), 120)]
	case 6:
		g.suffix = []string{" ", `]}}`, `"},{}`, "<html>"}[draw.IntN(4)]
	case 7:
		g.state = []string{"in_progress", "success", "no_upgrade"}[draw.IntN(3)]
	case 8, 9, 10, 11, 12, 13, 14:
	default:
		for range min(draw.IntN(5), max(0, 90-n)) { // more of them only take longer
			g.messages = append(g.messages, longMessage(n+draw.IntN(50)))
		}
	}
}

// The messages of fetches that continue, one after another, are what one whole fetch
// returns.
func TestFetchesAddUpToTheWholeLog(t *testing.T) {
	t.Parallel()
	went, whole := 0, 0
	for seed := range uint64(2) {
		draw := rand.New(rand.NewPCG(seed, 3))
		g := &growing{state: "in_progress"}
		for n := range 50 {
			g.messages = append(g.messages, longMessage(n))
		}
		c := serve(t, g.ServeHTTP).client(t)
		r := c.Upgrades.NewReader()
		var have []adminapi.UpgradeMessage
		for step := range 60 {
			applyEvent(draw, g)
			status, goesOn, err := r.Read(t.Context())
			want, wantErr := c.Upgrades.Status(t.Context())
			if (err == nil) != (wantErr == nil) || err != nil && err.Error() != wantErr.Error() {
				t.Fatalf("seed %d, step %d: %v, and at once %v", seed, step, err, wantErr)
			}
			if err != nil {
				continue
			}
			if goesOn {
				went++
				status.Messages = append(slices.Clip(have), status.Messages...)
			} else {
				whole++
			}
			have = status.Messages
			if len(have) == 0 && len(want.Messages) == 0 {
				status.Messages, want.Messages = nil, nil
			}
			if !reflect.DeepEqual(status, want) {
				t.Fatalf("seed %d, step %d: goes on %v, %d messages in %q, want %d in %q", seed, step, goesOn, len(have), status.State, len(want.Messages), want.State)
			}
		}
	}
	if went < 20 || whole < 20 {
		t.Errorf("%d readings went on and %d were whole: too few to tell", went, whole)
	}
}
