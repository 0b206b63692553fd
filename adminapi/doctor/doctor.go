// Package doctor finds out why a connection to a site fails, or would: it checks each step of
// the way to the platform, and what this machine brings along. The checks are data, see
// [Check]; nothing at the site is changed, and nothing of this machine.
//
// Start at [Examine]. Its table of checks says what each one needs; reach.go and
// certificate.go hold the way to the site, platform.go what answers there, machine.go and
// terminal.go this machine. bundle.go makes a zip of the result, for a report of a bug.
package doctor

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/operation/nodesource"
	"geodeck/adminapi/plain"
	"geodeck/adminapi/secrets"
)

// Verdict is what a check has found.
type Verdict string

// The verdicts. What needs an earlier success is not known without it, and never failed.
const (
	Passed        Verdict = "passed"
	Failed        Verdict = "failed"
	Warning       Verdict = "warning"
	NotKnown      Verdict = "not known"
	NotApplicable Verdict = "not applicable"
)

// Check is one check with its result. All texts are clean, and hold no secret.
type Check struct {
	ID       string   `json:"id"`
	Name     string   `json:"name"`
	Verdict  Verdict  `json:"verdict"`
	Summary  string   `json:"summary"`  // a sentence
	Evidence []string `json:"evidence"` // what was seen, a line each
	Advice   string   `json:"advice,omitempty"`
	Millis   int64    `json:"millis"` // how long it took
}

// Report is what an examination has found.
type Report struct {
	Site   string    `json:"root"` // its administrative root, empty without one
	At     time.Time `json:"at"`   // by this machine's clock
	Millis int64     `json:"millis"`
	Checks []Check   `json:"checks"`

	names   []name // of hosts and people in the texts
	version string // of the site
	mask    secrets.ByValue
}

// Count returns how many checks have a verdict.
func (r Report) Count(v Verdict) int {
	n := 0
	for _, c := range r.Checks {
		if c.Verdict == v {
			n++
		}
	}
	return n
}

// Source is where the token comes from.
type Source interface {
	// Token returns the token, or none.
	Token(context.Context) (adminapi.Token, error)
	// Kept names the place: "the environment (GEODECK_TOKEN)".
	Kept() string
}

// Options are what a connection would be made of. Each part that could not be had comes with
// its error, and only what needs that part is not known.
type Options struct {
	Address    string // as it was typed; empty without a site
	AddressOf  string // which locked site of Config has what was typed, in words; empty for none
	AddressErr error  // why there is no address
	AddressFix string // what to do about that
	Insecure   bool   // http is accepted

	// Transport makes the connections, also through a proxy; nil with TransportErr.
	Transport    *http.Transport
	TransportErr error
	ProxyFrom    string                                                            // which setting names the proxy; empty for the environment
	Dial         func(ctx context.Context, network, addr string) (net.Conn, error) // nil means the transport's
	Resolver     *net.Resolver                                                     // nil means the machine's

	SignIn        Source // nil without a token
	SignInErr     error
	AuthHeader    string
	AuthHeaderErr error

	State    string // the folder for the records of sites
	StateErr error
	Config   string // the path of the file of the sites
	Nodes    nodesource.Source
	NodesErr error
	Terminal Terminal
	Tmux     string  // the program that tells the settings of tmux; empty means tmux
	Extra    []Extra // checks of settings

	Env       func(string) string // as os.Getenv
	Clock     adminapi.Clock
	Rand      adminapi.Rand
	UserAgent string
	Trace     func(adminapi.Exchange) // may be nil

	Limit   time.Duration // of each check; 0 means 10 s
	Overall time.Duration // of all; 0 means 30 s
}

// Extra is a check of this machine that another package knows how to make. Its function
// returns the result without id and name.
type Extra struct {
	ID, Name string
	Run      func(context.Context) *Check
}

const (
	defaultLimit   = 10 * time.Second
	defaultOverall = 30 * time.Second
)

// step is a check before it is run.
type step struct {
	id, name string
	ofSite   bool     // not applicable without a site
	onScreen bool     // not applicable without a terminal
	after    []string // what has to end before
	needs    []string // what must not have failed
	run      func(context.Context) *Check
}

// examination is what the checks find out for each other. A check writes what those that come
// after it read.
type examination struct {
	Options
	base       *url.URL
	addresses  []netip.Addr
	client     *adminapi.Client
	root       adminapi.Root
	rootErr    error
	self       adminapi.Self
	selfErr    error
	said       answers // of the terminal
	tmux       map[string]string
	mu         sync.Mutex
	names      []name
	mask       secrets.ByValue
	known      *adminapi.Client // as client, once there is one
	signInKept string
}

// steps are all checks, in the order of the report.
func (e *examination) steps() []step {
	list := []step{
		{id: "address", name: "Address", run: e.checkAddress},
		{id: "name", name: "Name resolution", ofSite: true, needs: []string{"address"}, run: e.checkName},
		{id: "proxy", name: "Proxy", ofSite: true, needs: []string{"address"}, run: e.checkProxy},
		{id: "tcp", name: "TCP", ofSite: true, needs: []string{"name"}, run: e.checkTCP},
		{id: "tls", name: "TLS", ofSite: true, needs: []string{"tcp", "proxy"}, run: e.checkTLS},
		{id: "path", name: "Context path", ofSite: true, needs: []string{"tls"}, run: e.checkPath},
		{id: "version", name: "Version", ofSite: true, needs: []string{"path"}, run: e.checkVersion},
		{id: "clock", name: "Clock", ofSite: true, needs: []string{"tls"}, after: []string{"path"}, run: e.checkClock},
		{id: "signIn", name: "Sign-in", ofSite: true, needs: []string{"path"}, run: e.checkSignIn},
		{id: "privileges", name: "Privileges", ofSite: true, needs: []string{"signIn"}, run: e.checkPrivileges},
		{id: "config", name: "File of the sites", run: e.checkConfig},
		{id: "state", name: "State folder", run: e.checkState},
	}
	for _, x := range e.Extra {
		list = append(list, step{id: x.ID, name: x.Name, run: x.Run})
	}
	return append(list,
		step{id: "nodes", name: "Nodes", run: e.checkNodes},
		step{id: "terminal", name: "Terminal", onScreen: true, run: e.checkTerminal},
		step{id: "locale", name: "Locale", run: e.checkLocale},
		step{id: "colours", name: "Colours", onScreen: true, needs: []string{"terminal"}, run: e.checkColours},
		step{id: "width", name: "Width of characters", onScreen: true, needs: []string{"terminal"}, run: e.checkWidth},
		step{id: "tmux", name: "tmux", after: []string{"terminal"}, run: e.checkTmux},
		step{id: "clipboard", name: "Copying (OSC 52)", onScreen: true, needs: []string{"terminal"}, after: []string{"tmux"}, run: e.checkClipboard},
		step{id: "notifications", name: "Notifications (OSC 9)", onScreen: true, needs: []string{"terminal"}, after: []string{"tmux"}, run: e.checkNotifications},
	)
}

// Examine runs all checks, those beside each other that do not need each other. It returns
// after about 30 s at the latest: what had no time is not known.
func Examine(ctx context.Context, o Options) Report {
	o.Limit, o.Overall = cmp.Or(o.Limit, defaultLimit), cmp.Or(o.Overall, defaultOverall)
	e := &examination{Options: o}
	began := e.Clock.Now()
	ctx, cancel := context.WithTimeout(ctx, o.Overall)
	defer cancel()
	steps := e.steps()
	results := make([]Check, len(steps))
	index, ended := map[string]int{}, make([]chan struct{}, len(steps))
	for i, s := range steps {
		index[s.id], ended[i] = i, make(chan struct{})
	}
	for i, s := range steps {
		go func() {
			defer close(ended[i])
			for _, id := range slices.Concat(s.after, s.needs) {
				<-ended[index[id]]
			}
			for _, id := range s.needs {
				if first := results[index[id]]; first.Verdict == Failed || first.Verdict == NotKnown {
					results[i] = e.finish(s, &Check{Verdict: NotKnown, Summary: fmt.Sprintf("%s comes first; see there.", first.Name)}, 0)
					return
				}
			}
			results[i] = e.runStep(ctx, s)
		}()
	}
	for _, done := range ended {
		<-done
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	r := Report{At: began.UTC().Truncate(time.Millisecond), Millis: e.Clock.Now().Sub(began).Milliseconds(), Checks: results, names: slices.Clone(e.names), mask: e.mask}
	if e.known != nil {
		version, _ := e.known.Version()
		r.version = version.String()
	}
	if e.base != nil {
		r.Site = e.base.String()
	}
	return r
}

// runStep runs a check within its time. One that does not end is left behind.
func (e *examination) runStep(ctx context.Context, s step) Check {
	if s.ofSite && e.base == nil {
		return e.finish(s, &Check{Verdict: NotApplicable, Summary: "No site is given."}, 0)
	}
	if s.onScreen && e.Terminal.Ask == nil {
		return e.finish(s, &Check{Verdict: NotApplicable, Summary: "The output is not a terminal."}, 0)
	}
	limited, cancel := context.WithTimeout(ctx, e.Limit)
	defer cancel()
	began := e.Clock.Now()
	done := make(chan *Check, 1)
	go func() {
		defer func() {
			if recovered := recover(); recovered != nil {
				done <- &Check{Verdict: NotKnown, Summary: "The check itself failed.", Evidence: []string{fmt.Sprintf("%T", recovered), string(debug.Stack())}}
			}
		}()
		done <- s.run(limited)
	}()
	var c *Check
	select {
	case c = <-done:
	case <-limited.Done():
		select {
		case c = <-done:
		case <-time.After(grace): // it ends by itself where it can
			c = &Check{Verdict: NotKnown, Summary: "The check took too long."}
		}
	}
	if ctx.Err() != nil && (c.Verdict == NotKnown || c.Verdict == Failed) {
		c = &Check{Verdict: NotKnown, Summary: "There was no time left for it.", Evidence: c.Evidence}
	}
	return e.finish(s, c, e.Clock.Now().Sub(began))
}

// grace is how long a check may take to say what it has found when its time is over.
const grace = time.Second

// finish cleans a result.
func (e *examination) finish(s step, c *Check, took time.Duration) Check {
	c.ID, c.Name, c.Millis = s.id, s.name, took.Milliseconds()
	c.Summary, c.Advice = e.clean(c.Summary), e.clean(c.Advice)
	lines := make([]string, 0, min(len(c.Evidence), maxEvidence))
	for i, line := range c.Evidence {
		if i == maxEvidence {
			lines = append(lines, fmt.Sprintf("and %d more", len(c.Evidence)-i))
			break
		}
		lines = append(lines, e.clean(line))
	}
	c.Evidence = lines
	return *c
}

// What a check says at most.
const (
	maxEvidence = 40
	maxLine     = 1000 // bytes
)

// clean makes a text fit to be shown: one line without secrets.
func (e *examination) clean(text string) string {
	e.mu.Lock()
	mask := e.mask
	e.mu.Unlock()
	text = mask.Text(new(secrets.ByName).Text(text), secrets.Anywhere)
	return plain.Clip(plain.Line(strings.TrimSpace(text)), maxLine)
}

// hide masks secrets in all results from now on.
func (e *examination) hide(what secrets.ByValue) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.mask = e.mask.And(what)
}

// name is a name in the texts that says where the site is or who works there.
type name struct{ kind, text string }

// note keeps names, which a bundle may replace.
func (e *examination) note(kind string, texts ...string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, text := range texts {
		if text = strings.ToLower(strings.Trim(text, ". ")); text != "" && !slices.Contains(e.names, name{kind, text}) {
			e.names = append(e.names, name{kind, text})
		}
	}
}

// The kinds of names.
const (
	ofHost = "host"
	ofUser = "user"
	ofSite = "site"
	ofOrg  = "organisation"
)

// saying makes a result of a sentence.
func saying(v Verdict, format string, args ...any) *Check {
	return &Check{Verdict: v, Summary: fmt.Sprintf(format, args...)}
}

// with adds lines of evidence to a result.
func (c *Check) with(lines ...string) *Check {
	c.Evidence = append(c.Evidence, lines...)
	return c
}

// advising adds what to do to a result.
func (c *Check) advising(advice string) *Check {
	c.Advice = advice
	return c
}
