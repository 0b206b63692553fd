// Package adminapi speaks the administrative API of one site of a
// container-hosted geospatial platform: the wire, and nothing above it.
//
// Start reading at [Client] and [New]; then request.go, the one path of every
// request, reads.go and writes.go, which use it, and answer.go, which knows the forms
// of an error. client.go lists what each operation requires. Each area of the API is a
// field of the client with a type of its own ([Health], [Jobs], [Upgrades], [Services] ...), in
// a file with its types and calls (reports.go, jobs.go, upgrades.go, services.go ...).
//
// Values stay as the server sent them: ids, words and unknown members are sent back
// unchanged and are never cleaned here. Package plain makes text fit for a terminal,
// and the pure packages below this one (health ...) give it a meaning. This package
// uses no files, no terminal and no global state.
//
// Resources are read with GET, operations are sent with POST; operations that change
// nothing ([Upgrades.Available], [Upgrades.Settings], [Upgrades.CheckRollback]) count as reads. Reads are
// retried after transport errors and after 502, 503 and 504; writes are sent once and
// return an [Outcome]. Errors are of type [*Error] and match their [Kind] with
// errors.Is.
package adminapi

import (
	"cmp"
	"context"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"geodeck/adminapi/secrets"
)

const defaultTimeout = 30 * time.Second

// SyncTime is how long an answer is awaited that the platform gives at the end of an operation.
const SyncTime = 10 * time.Minute

// Config describes how to reach a site. Only Base is required.
type Config struct {
	// Base is the administrative root, https://host/context/admin. A missing
	// /admin is added, a trailing slash is removed; see [ParseBase].
	Base string
	// Insecure allows http to hosts other than this machine.
	Insecure bool
	// Token is used from the start.
	Token Token
	// AuthHeader is the header that carries the token, in any case: Authorization, also
	// where it is empty, or X-Esri-Authorization, see [ParseAuthHeader].
	AuthHeader string
	// Renew returns another token when the site refuses the present one, for instance
	// from a token file. It is called once for a refusal, and may call no method of this
	// client but those that sign in. May be nil.
	Renew func(ctx context.Context, refused secrets.Secret) (Token, error)
	// RenewEarly makes the client call Renew also before the token ends, 5 minutes or half of
	// its life, and where there is none; Clock must be the one that tokens end by.
	RenewEarly bool
	// RenewFailed is called when a token that ends soon could not be renewed, once until it
	// is. May be nil.
	RenewFailed func(error)
	// ReadOnly makes the client refuse every write before anything is sent.
	ReadOnly bool
	// Locked makes the client refuse every write until [Client.Unlock].
	Locked bool
	// Observer sees every write before and after. May be nil.
	Observer WriteObserver
	// Transport sends the requests. Nil means [NewTransport] with no options.
	// Writes use a copy of an [*http.Transport] that does not keep connections alive.
	Transport http.RoundTripper
	// Dial opens the connections of an [*http.Transport] instead of its own dialer. May
	// be nil.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
	// Clock paces the retries of reads. Nil means [SystemClock].
	Clock Clock
	// Rand adds jitter to the pauses between retries. Nil means [SystemRand].
	Rand Rand
	// AfterFunc starts the timers that end requests without progress. It is separate
	// from Clock because networks run in real time. Nil means [time.AfterFunc].
	AfterFunc func(time.Duration, func()) Timer
	// Timeout bounds one request. 0 means 30 s.
	Timeout time.Duration
	// UserAgent names the program.
	UserAgent string
	// Trace receives every request after its answer or its error, without secrets. It
	// may be called by several goroutines at once. May be nil.
	Trace func(Exchange)
}

// Client talks to one site: what an area of the API offers is in the field of that name. It is safe
// for use by several goroutines.
type Client struct {
	Session     *Session
	Health      Health
	Jobs        Jobs
	Services    Services
	Deployments Deployments
	Upgrades    Upgrades
	Uploads     Uploads
	Backups     Backups

	config        Config // with its defaults, and without the token
	base, portal  *url.URL
	reads, writes http.RoundTripper
	slots         slots
	methods       sync.Map // by the name of an operation, the one by which the site was read last
	lastWrite     atomic.Uint64
	unlocked      atomic.Bool

	secrets *secrets.Known
	bodies  bodies

	mu       sync.Mutex
	version  siteVersion
	ahead    time.Duration // the server's clock minus ours
	hasAhead bool
}

// New returns a client, or an error of [KindInvalid] that says what is wrong
// with the configuration. Nothing is sent.
func New(cfg Config) (*Client, error) {
	base, _, err := ParseBase(cfg.Base, cfg.Insecure)
	if err != nil {
		return nil, err
	}
	if cfg.AuthHeader, err = ParseAuthHeader(cfg.AuthHeader); err != nil {
		return nil, err
	}
	if cfg.Transport == nil {
		if cfg.Transport, err = NewTransport(TLS{}); err != nil {
			return nil, err
		}
	}
	if transport, ok := cfg.Transport.(*http.Transport); ok && cfg.Dial != nil {
		transport = transport.Clone()
		transport.DialContext = cfg.Dial
		cfg.Transport = transport
	}
	if cfg.Clock == nil {
		cfg.Clock = SystemClock{}
	}
	if cfg.Rand == nil {
		cfg.Rand = SystemRand{}
	}
	if cfg.AfterFunc == nil {
		cfg.AfterFunc = systemTimer
	}
	if cfg.Timeout <= 0 {
		cfg.Timeout = defaultTimeout
	}
	cfg.UserAgent = cmp.Or(strings.TrimSpace(cfg.UserAgent), "geodeck")
	token := cfg.Token
	cfg.Token = Token{}
	c := &Client{
		config: cfg, base: base, portal: portalRoot(base), reads: cfg.Transport, writes: withoutKeepAlive(cfg.Transport), slots: newSlots(),
		secrets: secrets.New(cfg.Rand.Uint64()), bodies: newBodies(),
	}
	c.Session = &Session{client: c, renewing: make(chan struct{}, 1)}
	c.Health, c.Jobs, c.Services, c.Deployments = Health{c}, Jobs{c}, Services{c}, Deployments{c}
	c.Upgrades, c.Uploads, c.Backups = Upgrades{c}, Uploads{c}, Backups{c}
	c.Session.SetToken(token)
	return c, nil
}

// Base returns the administrative root of the site.
func (c *Client) Base() *url.URL {
	base := *c.base
	return &base
}

// Secrets masks what this client has used: tokens, passwords, secret values that it has sent.
// Texts of errors, messages, jobs and reports are already masked.
func (c *Client) Secrets() secrets.ByValue { return c.secrets.Masker() }

// ReadOnly reports whether the client refuses every write.
func (c *Client) ReadOnly() bool { return c.config.ReadOnly }

// Insecure reports whether requests, with the token, go unencrypted to another machine.
func (c *Client) Insecure() bool { return c.base.Scheme == "http" && !isLoopback(c.base.Hostname()) }

// Locked reports whether the client refuses every write until [Client.Unlock].
func (c *Client) Locked() bool { return c.config.Locked && !c.unlocked.Load() }

// Unlocked reports whether the client would be locked without [Client.Unlock].
func (c *Client) Unlocked() bool { return c.config.Locked && c.unlocked.Load() }

// Unlock lets a locked client send writes, unless it is read-only, until [Client.Lock].
func (c *Client) Unlock() { c.unlocked.Store(true) }

// Lock locks a client again that was unlocked. It does nothing to one that never was locked.
func (c *Client) Lock() { c.unlocked.Store(false) }

// ServerTime returns the server's clock minus this client's, from the Date header of
// the last answer (in whole seconds), and false before the first answer.
func (c *Client) ServerTime() (ahead time.Duration, known bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.ahead, c.hasAhead
}

// noteDate compares the Date header with our clock in whole seconds, the resolution of
// the header.
func (c *Client) noteDate(h http.Header) {
	date, err := http.ParseTime(h.Get("Date"))
	if err != nil {
		return
	}
	ahead := date.Sub(c.config.Clock.Now().Truncate(time.Second))
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ahead, c.hasAhead = ahead, true
}

// operation is the name of a request, as an administrator would say it, and what it requires. Each area
// of the client names its own.
type operation struct {
	name      string // goes after "cannot"
	privilege Privileges
	since     Version // zero where every site has it
	needs     string  // what needs that version, with its verb; empty for "this needs"
	upgrade   bool    // below the Upgrades resource: closed while an upgrade runs
	watches   bool    // an upgrade that runs is watched by it: no queue of other reads holds it up
	pjson     bool    // the contract asks for f=pjson in its example
	writes    WriteKind
}

// format is the value of f: that of the contract's example, and json where it has none.
func (o operation) format() string {
	if o.pjson {
		return "pjson"
	}
	return "json"
}

// inContract returns the operation as one of those that the contract has an example of.
func (o operation) inContract() operation {
	o.pjson = true
	return o
}

// writing returns the operation as one that changes the site.
func (o operation) writing(kind WriteKind) operation {
	o.writes = kind
	return o
}

// at is a request for the operation, at a path below the root.
func (o operation) at(path ...string) Call { return Call{operation: o, path: path} }

// of is one for the operation on a service, at a path below that of the service.
func (o operation) of(s ServiceRef, path ...string) Call {
	return Call{operation: o, path: append(s.segments(), path...), target: TargetService(s)}
}
