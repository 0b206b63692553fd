package ui_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/polling"
	"geodeck/adminapi/simulator"
	"geodeck/ui"
	"geodeck/ui/uitest"
)

// tenMinutes counts the requests of a dashboard in ten minutes of its clock: at the start, after
// keys were pressed, and from then on; where the site is away, once the pauses between its tries are the longest.
func tenMinutes(t *testing.T, scenario, keys string, slow, away bool) (begin, later int) {
	t.Helper()
	site := uitest.NewSite(t, uitest.Scenario(t, scenario))
	counted, sent := countedSite(t, site)
	counted.Line = polling.NewLine(slow)
	d := startAs(t, ui.Options{Site: counted, Name: "prod"}, 80, 24, func(o ui.Options) dashboard { return ui.New(o) })
	d.idle()
	d.keys(keys)
	d.idle()
	pass := func(minutes int) {
		for range 30 * minutes {
			d.pace.Advance(2 * time.Second)
			d.idle()
		}
	}
	if away {
		if err := site.Server.Close(); err != nil {
			t.Fatal(err)
		}
		pass(4)
	}
	begin = int(sent.Load())
	pass(10)
	if shown := strings.Contains(d.model.View(), " slow "); shown != slow {
		t.Errorf("slow %v, and the screen is\n%s", slow, d.model.View())
	}
	return begin, int(sent.Load()) - begin
}

// countedSite is a site whose requests are counted, with a clock that the driver sets.
func countedSite(t *testing.T, site *uitest.Site) (operation.Site, *atomic.Int64) {
	t.Helper()
	transport, err := adminapi.NewTransport(adminapi.TLS{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(transport.CloseIdleConnections)
	var sent atomic.Int64
	client, err := adminapi.New(adminapi.Config{Base: site.Server.URL(), Clock: site.Steps, Token: site.Client.Session.Token(), Transport: counter{transport, &sent}})
	if err != nil {
		t.Fatal(err)
	}
	return operation.Site{Client: client, Clock: site.Steps}, &sent
}

type counter struct {
	below http.RoundTripper
	sent  *atomic.Int64
}

func (c counter) RoundTrip(r *http.Request) (*http.Response, error) {
	c.sent.Add(1)
	return c.below.RoundTrip(r)
}

func TestOverASlowLineTenMinutesTakeHalfTheRequestsAtMost(t *testing.T) {
	t.Parallel()
	for name, screen := range map[string]struct {
		scenario, keys string
		away           bool
	}{
		"reports":                     {"healthy", "view.health", false},
		"services":                    {"services-down", "view.services", false},
		"an upgrade of others":        {"running-release", "1 n", false},
		"an upgrade that is seen":     {"running-release", "y", false},
		"a site that does not answer": {"healthy", "view.health", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			begin, later := tenMinutes(t, screen.scenario, screen.keys, false, screen.away)
			slowBegin, slowLater := tenMinutes(t, screen.scenario, screen.keys, true, screen.away)
			said := fmt.Sprintf("%d requests at the start and %d in ten minutes; over a slow line %d and %d", begin, later, slowBegin, slowLater)
			t.Log(said)
			more := 1
			if screen.away {
				more = 20 // one round of five reads, of four tries each
			}
			if slowBegin > begin || slowLater > later/2+more || slowBegin+slowLater > (begin+later)/2+more {
				t.Error(said)
			}
		})
	}
}

func TestASlowLineIsSwitchedWhileTheDashboardRuns(t *testing.T) {
	t.Parallel()
	site := uitest.NewSite(t, simulator.Scenario{})
	d, _ := watchingSite(t, site.Site)
	for _, step := range []struct{ command, says string }{
		{"slow", "polled at the usual pace"}, {"slow on", "polled at half the pace"},
		{"slow perhaps", "slow takes on, off"}, {"slow off", "polled at the usual pace"},
	} {
		d.keys("palette")
		d.text(step.command)
		d.keys("enter")
		d.see(step.says)
	}
}
