package ui_test

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/simulator/simtest"
	"geodeck/ui"
	"geodeck/ui/uitest"
)

// platform is a site that answers the Upgrades resource as it is told.
type platform struct {
	clock       adminapi.Clock
	mu          sync.Mutex
	status      int
	body        string
	away        bool          // nothing answers
	ahead       time.Duration // its clock less ours
	version     string        // that is installed, empty for 11.5.0.6745
	readOnly    string        // "true" or "false", as its mode tells; empty where it does not
	asked       int
	under, most int // requests at the same time
}

func (p *platform) says(status int, body string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.status, p.body = status, body
}

func (p *platform) gone(away bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.away = away
}

func (p *platform) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	away, ahead, version, readOnly := p.away, p.ahead, cmp.Or(p.version, "11.5.0.6745"), p.readOnly
	p.mu.Unlock()
	if away {
		return // an empty page
	}
	w.Header().Set("Date", p.clock.Now().Add(ahead).UTC().Format(http.TimeFormat))
	if strings.HasSuffix(r.URL.Path, "/mode") && readOnly != "" {
		_, _ = fmt.Fprintf(w, `{"isReadOnly":%s}`, readOnly)
		return
	}
	if !strings.HasSuffix(r.URL.Path, "/system/upgrades") {
		_, _ = fmt.Fprintf(w, `{"fullVersion":%q,"currentVersion":"11.5"}`, version)
		return
	}
	p.mu.Lock()
	p.asked++
	p.under++
	p.most = max(p.most, p.under)
	status, body := p.status, p.body
	p.mu.Unlock()
	w.WriteHeader(status)
	_, _ = w.Write([]byte(body))
	p.mu.Lock()
	p.under--
	p.mu.Unlock()
}

// mode changes what its mode tells.
func (p *platform) mode(readOnly string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.readOnly = readOnly
}

func (p *platform) requests() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.asked
}

// set changes the clock of the site and what it has installed.
func (p *platform) set(ahead time.Duration, version string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ahead, p.version = ahead, version
}

// nothing is what a site tells that was never upgraded.
const nothing = `{"status":{"state":"no_upgrade","code":0,"messages":[]}}`

// manualSite returns a platform as a site whose time passes when the test says so.
func manualSite(t *testing.T, p *platform) (operation.Site, *simtest.ManualClock) {
	t.Helper()
	clock := simtest.NewManualClock(uitest.Start)
	p.clock = clock
	server := httptest.NewServer(p)
	t.Cleanup(server.Close)
	client, err := adminapi.New(adminapi.Config{Base: server.URL + "/ctx/admin", Clock: clock, Transport: transport(t), Token: adminapi.Token{Value: "t"}})
	if err != nil {
		t.Fatal(err)
	}
	return operation.Site{Client: client, Clock: clock}, clock
}

// onManual opens a dashboard on a platform; time passes when the test says so.
func onManual(t *testing.T, p *platform, change ...func(*ui.Options)) (*driver, *watcher, *simtest.ManualClock) {
	t.Helper()
	site, clock := manualSite(t, p)
	status, body := p.status, p.body
	p.says(200, nothing) // so that nothing is offered
	d, w := watchingSite(t, site, change...)
	d.see("11.5.0.6745")
	d.keys("2")
	d.see("this is progress")
	p.says(status, body)
	return d, w, clock
}

// began is when the upgrades of these tests begin.
var began = adminapi.MillisOf(uitest.Start.Add(-12 * time.Minute))

// line is a message so many seconds after the begin.
func line(code, seconds int, text string) adminapi.UpgradeMessage {
	return adminapi.UpgradeMessage{Code: code, When: began + adminapi.Millis(1000*seconds), Message: text}
}

// status is what the site tells: an upgrade from 1.0 to 2.0, and more messages of it.
func status(state string, code string, more ...adminapi.UpgradeMessage) string {
	return statusOf(state, code, append([]adminapi.UpgradeMessage{line(2010, 0, "from 1.0 to 2.0")}, more...)...)
}

// statusOf is what the site tells with these messages alone.
func statusOf(state string, code string, messages ...adminapi.UpgradeMessage) string {
	var all []string
	for _, m := range messages {
		all = append(all, fmt.Sprintf(`{"code":%d,"message":%q,"when":%d}`, m.Code, m.Message, m.When))
	}
	return fmt.Sprintf(`{"status":{"state":%q,"code":%s,"messages":[%s]}}`, state, code, strings.Join(all, ","))
}

// done is the message that the upgrade of these tests has ended well, an hour later.
var done = line(2012, 3600, "upgraded")

// ending are the messages of an upgrade that ends in that state.
func ending(state string, more ...adminapi.UpgradeMessage) []adminapi.UpgradeMessage {
	if state == adminapi.UpgradeSuccess {
		more = append(more, done)
	}
	return more
}

// heard waits until the view has been told n times.
func (d *driver) heard(w *watcher, n int) {
	d.t.Helper()
	d.await("reading", func() bool { return len(w.heard) >= n })
}

// lapse lets time pass once so many wait for it.
func (d *driver) lapse(clock *simtest.ManualClock, waiters int, by time.Duration) {
	d.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if err := clock.AwaitWaiters(ctx, waiters); err != nil {
		d.t.Fatalf("%d wait instead of %d", clock.Waiters(), waiters)
	}
	clock.Advance(by)
}
