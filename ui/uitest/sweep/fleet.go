package sweep

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/simulator"
	"geodeck/ui/uitest/sweep/oracle"
)

// fleetPlay is the play of an administrator of several sites.
const fleetPlay = "fleet"

// branch is a site of the fleet besides the one that the day is about: it has a lock or none, is slow, or
// is dead, and it keeps what was sent to it.
type branch struct {
	name    string
	port    string
	lock    string        // the line of config.yaml; empty for none
	latency time.Duration // different for each: no two answer in the same moment
	dead    bool

	direct   http.Handler      // the platform without what is in front of it
	refuses  map[string]string // what is answered to a path, in place of the platform
	gone     bool              // nobody is at its address
	readOnly bool              // as others have made it

	day      *Day
	server   *simulator.Server
	token    string
	arrivals chan net.Conn
	closed   chan struct{}
	close    sync.Once

	mu       sync.Mutex
	sent     []string // what its requests carried as tokens
	came     int      // writes that reached it
	accepted int
}

// mainBranch is the name of the site that the day is about.
const mainBranch = "city"

// branches are the other sites of the fleet.
func branches() []*branch {
	return []*branch{
		{name: "harbour", port: "7444", lock: "production: true", latency: 7 * time.Millisecond},
		{name: "island", port: "7445", lock: "readOnly: true", latency: 13 * time.Millisecond},
		{name: "mountain", port: "7446", dead: true},
		{name: "valley", port: "7447", latency: 9 * time.Second},
	}
}

// FleetConfig is the file of the sites of a fleet, see [WriteConfig].
var FleetConfig string

// sitesConfig is the same with the first site in production.
var sitesConfig string

// writeFleetConfig writes a file of the sites of a fleet; lock is a line about the first one.
func writeFleetConfig(folder string, file *string, lock string) error {
	*file = filepath.Join(folder, "fleet"+strings.ReplaceAll(lock, ": ", "-")+".yaml")
	var text strings.Builder
	text.WriteString("sites:\n")
	for _, b := range append([]*branch{{name: mainBranch, port: "7443", lock: lock}}, branches()...) {
		text.WriteString("  " + b.name + ":\n    url: http://127.0.0.1:" + b.port + "/geodeck/admin\n    signIn: {environment: " + b.variable() + "}\n")
		if b.lock != "" {
			text.WriteString("    " + b.lock + "\n")
		}
	}
	return os.WriteFile(*file, []byte(text.String()), 0o600)
}

// variable is what holds the token of a site.
func (b *branch) variable() string { return "TOKEN_" + strings.ToUpper(b.name) }

// opens makes the other sites of a fleet.
func (m *machine) opensFleet() error {
	for _, b := range branches() {
		m.fleet = append(m.fleet, b)
		if b.dead {
			continue
		}
		b.day, b.arrivals, b.closed = m.day, make(chan net.Conn), make(chan struct{})
		hand := m.day.random("what " + b.name + " is")
		none := hand.IntN(4)
		o := simulator.Options{
			Scenario: simulator.Scenario{Name: b.name, Description: b.name, Seed: 3, Services: 8, Reports: &none, Latency: simulator.Duration{Duration: b.latency}},
			Clock:    adminapi.SystemClock{}, Wall: time.Now, Secrets: m.day.reader("tokens of " + b.name),
			Watch: func(direct http.Handler) http.Handler {
				b.direct = direct
				return b.keeping(direct)
			},
		}
		if b.lock == "" && m.day.random("lost").IntN(3) > 0 { // the first check never arrives
			o.Scenario.Faults = []simulator.Fault{{Path: "admin/healthCheck/run", Method: "POST", Times: 1, What: "close"}}
		}
		if o.Scenario.Upgrades.Lasts.Duration = 20 * time.Minute; hand.IntN(2) == 0 {
			o.Scenario.Upgrades.Fail = &simulator.UpgradeFailure{After: 2038, Nth: 5}
		}
		token := o.SignIn(400 * time.Hour)
		b.token = token.Value.Reveal()
		m.day.oracle.Secrets.Add("token", b.token)
		var err error
		if b.server, err = simulator.New(o); err != nil {
			return err
		}
		if err = b.server.Serve(b); err != nil {
			return err
		}
	}
	return nil
}

// closesFleet ends them.
func (m *machine) closesFleet() {
	for _, b := range m.fleet {
		if b.server != nil {
			_ = b.server.Close()
		}
	}
}

// keeping keeps what was sent, and checks that it may be.
func (b *branch) keeping(direct http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answered := httptest.NewRecorder()
		write := r.Method == http.MethodPost && (&oracle.Write{Path: below(r.URL.Path)}).Changes()
		if b.day.oracle.Visits != nil && write {
			b.lands(r)
		} else if b.lock != "" && write && !slices.Contains(b.day.machine.named, b.name) {
			b.day.fail("POST %s reached %s, which is locked, and nobody gave its name", below(r.URL.Path), b.name)
		}
		b.day.machine.presents(b.name, r)
		b.mu.Lock()
		b.sent = append(b.sent, r.Header.Get("Authorization")+" "+r.URL.RawQuery)
		refusal := b.refuses[below(r.URL.Path)]
		b.mu.Unlock()
		if refusal != "" { // by whatever method it is read
			_, _ = w.Write([]byte(refusal))
			return
		}
		direct.ServeHTTP(answered, r)
		b.day.machine.gives(b.name, answered.Body.Bytes())
		if write {
			b.mu.Lock()
			b.came++
			if answered.Code == http.StatusOK && !refused(answered.Body.Bytes()) {
				b.accepted++
			}
			b.mu.Unlock()
		}
		for name, values := range answered.Header() {
			w.Header()[name] = values
		}
		w.WriteHeader(answered.Code)
		_, _ = w.Write(answered.Body.Bytes())
	})
}

// lands judges a write of the one program that runs.
func (b *branch) lands(r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		panic(http.ErrAbortHandler) // the request was cut off
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	runs := b.day.machine.runs
	fields, _ := fieldsOf(r, body)
	b.day.oracle.Lands(oracle.Landed{Program: runs[len(runs)-1].name, Site: b.name, Path: below(r.URL.Path), Text: fields.Get("service")})
}

// Accept waits for the next connection.
func (b *branch) Accept() (net.Conn, error) {
	select {
	case conn := <-b.arrivals:
		return conn, nil
	case <-b.closed:
		return nil, net.ErrClosed
	}
}

// Close ends the waiting.
func (b *branch) Close() error {
	b.close.Do(func() { close(b.closed) })
	return nil
}

// Addr is where the site is.
func (b *branch) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 7444} }

// dialBranch opens a connection to another site of the fleet; found reports whether there is one at that address.
func (m *machine) dialBranch(ctx context.Context, r *run, address string) (conn net.Conn, found bool, err error) {
	at := slices.IndexFunc(m.fleet, func(b *branch) bool { return address == "127.0.0.1:"+b.port })
	if at < 0 {
		return nil, false, nil
	}
	b := m.fleet[at]
	if b.isAway() || r.dead.Load() {
		return nil, true, &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}
	}
	near, far := net.Pipe()
	select {
	case b.arrivals <- far:
		r.opened(near)
		return begin{near, m.site, new(int)}, true, nil
	case <-b.closed:
		return nil, true, &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}
	case <-ctx.Done():
		return nil, true, ctx.Err()
	}
}

// ofBranch reports whether a file of the machine is about another site of the fleet.
func ofBranch(file string) bool {
	return slices.ContainsFunc(branches(), func(b *branch) bool { return strings.Contains(file, "-"+b.port+"-") })
}

// playFleet runs a health check at every site that may get one.
func playFleet(m *machine) {
	if err := m.opensFleet(); err != nil {
		m.day.fail("the fleet cannot be made: %v", err)
		return
	}
	choice := m.day.random("unlocked")
	for _, b := range m.fleet {
		if b.lock != "" && choice.IntN(2) == 0 {
			m.named = append(m.named, b.name)
		}
	}
	m.judgesRows()
	m.insist(wish{
		name: fleetPlay,
		is:   func(p *post) bool { return p.path == "/healthCheck/run" && p.fields.Get("runName") == runName },
		try:  m.checksFleet,
		has: func() bool {
			return strings.Contains(m.site.ask("GET", "/healthCheck/reports/query", url.Values{"start": {"1"}, "num": {"50"}}), runName)
		},
	})
	m.ownTokens()
}

// fleetLine is what a command says of a site.
type fleetLine struct {
	Site, Outcome string
	Verdict       *string
	ExitCode      int
	Name, State   string // of the list

	Message, Advice string
}

// checksFleet looks at the sites, and runs a health check at all of them.
func (m *machine) checksFleet(r *run) told {
	if len(m.runs) > 1 { // who was interrupted looks for the report before asking again
		reports, ok := m.read("health", "reports", "--site", mainBranch, "-o", "json")
		switch {
		case !ok:
			return told{outcome: adminapi.OutcomeNotSent, text: "the reports cannot be read"}
		case strings.Contains(reports, runName):
			return told{outcome: adminapi.OutcomeDone, ended: true, text: "its report is there"}
		}
	}
	hand := m.day.random(r.name + " others")
	for range hand.IntN(3) {
		m.isOthers(hand, m.fleet[hand.IntN(2)])
	}
	m.looksAtFleet(r)
	args := []string{"fleet", "health", "run", "--wait", "--suite", firstSuite, "--name", runName, "-o", "jsonl",
		"--timeout", pick(m.day.random(r.name+" timeout"), []string{"20m", "20m", "50s", "25s"})}
	m.changesNothing(r, args...)
	for _, name := range m.named {
		args = append(args, "--unlock", name)
	}
	before := map[string][2]int{}
	for _, b := range m.fleet {
		before[b.name] = b.counts()
	}
	p := r.command("", args...)
	said := told{text: p.err}
	if strings.Contains(p.err, "Nothing was sent") || strings.Contains(p.err, "nothing was sent") {
		said.outcome = adminapi.OutcomeNotSent
	}
	for _, line := range fleetLines(p.out) {
		if line.Site == mainBranch {
			said.outcome = outcomeOf(line.Outcome)
			said.ended = line.Verdict != nil && *line.Verdict == "succeeded"
			said.broken = line.Verdict != nil && *line.Verdict == "failed"
			continue
		}
		m.judgesBranch(line, before, r.dead.Load())
		m.goesOn(line)
	}
	m.judgesCode(p, r.dead.Load())
	return said
}

// fleetCodes are the exit codes of sites, the worst first, as docs/scripting.md promises them.
var fleetCodes = []int{codeUnknown, codeFailed, 2, codeGoingOn, codeUnreachable, codeSignIn, codeRefused}

// judgesCode checks that a command about all sites ends with the worst code of them: a script goes on after 0.
func (m *machine) judgesCode(p printed, dead bool) {
	lines := fleetLines(p.out)
	at := slices.IndexFunc(fleetCodes, func(code int) bool {
		return slices.ContainsFunc(lines, func(l fleetLine) bool { return l.ExitCode == code })
	})
	if at >= 0 && len(lines) > len(m.fleet) && !dead && p.code != fleetCodes[at] { // all sites were told of
		m.day.fail("the fleet ends with code %d, and a site with %d: %.200s", p.code, fleetCodes[at], p.err)
	}
}

// judgesBranch checks what was told of one of the other sites.
func (m *machine) judgesBranch(line fleetLine, before map[string][2]int, dead bool) {
	for _, b := range m.fleet {
		if b.name != line.Site || dead {
			continue
		}
		now, was := b.counts(), before[b.name]
		came, accepted := now[0]-was[0], now[1]-was[1]
		m.day.meet("fleet: " + b.name + " " + line.Outcome)
		switch outcome := outcomeOf(line.Outcome); {
		case came > 1:
			m.day.fail("%s got %d health checks of one command", b.name, came)
		case outcome == adminapi.OutcomeNotSent && came > 0, outcome == adminapi.OutcomeRefused && accepted > 0, outcome == adminapi.OutcomeDone && accepted == 0:
			m.day.fail("the health check of %s is told as %s, and %d of %d were accepted", b.name, line.Outcome, accepted, came)
		}
	}
}

// counts are the writes that came, and how many were accepted.
func (b *branch) counts() [2]int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return [2]int{b.came, b.accepted}
}

// ownTokens checks that no site got the token of another one.
func (m *machine) ownTokens() {
	for _, b := range m.fleet {
		for _, other := range m.fleet {
			for _, sent := range b.sent {
				if other != b && other.token != "" && strings.Contains(sent, other.token) {
					m.day.fail("%s got the token of %s", b.name, other.name)
				}
			}
		}
		for _, sent := range b.sent {
			for _, token := range m.site.tokens {
				if strings.Contains(sent, token) {
					m.day.fail("%s got the token of %s", b.name, mainBranch)
				}
			}
		}
	}
}

func fleetLines(out string) (lines []fleetLine) {
	for text := range strings.Lines(out) {
		var line fleetLine
		if json.Unmarshal([]byte(text), &line) == nil && line.Site+line.Name != "" {
			lines = append(lines, line)
		}
	}
	return lines
}

// outcomeOf reads an outcome as scripts get it.
func outcomeOf(text string) adminapi.Outcome {
	for _, o := range []adminapi.Outcome{adminapi.OutcomeDone, adminapi.OutcomeRefused, adminapi.OutcomeNotSent} {
		if strings.EqualFold(strings.ReplaceAll(text, " ", ""), strings.ReplaceAll(o.String(), " ", "")) {
			return o
		}
	}
	if text == "failed" {
		return adminapi.OutcomeDone
	}
	return adminapi.OutcomeUnknown
}
