package adminapi

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

const (
	defaultTimeout = 30 * time.Second
	longTimeout    = 10 * time.Minute // for what the platform answers only at its end
)

// Config says how to reach a site. Only Base is needed.
type Config struct {
	// Base is the administrative root, https://host/context/admin. A missing
	// /admin is added, a trailing slash dropped; see [ParseBase].
	Base string
	// Insecure accepts http beyond loopback.
	Insecure bool
	// Token is used from the start.
	Token Token
	// Renew is asked once for another token when the site refuses the present
	// one: a token file that somebody has written again, for instance. Of this
	// client it may call SignIn only. May be nil.
	Renew func(context.Context) (Token, error)
	// ReadOnly refuses every write before anything is sent.
	ReadOnly bool
	// Observer sees every write before and after. May be nil.
	Observer WriteObserver
	// Transport sends the requests. Nil means [NewTransport] with no options.
	// Of an [*http.Transport] a copy without kept connections sends the writes.
	Transport http.RoundTripper
	// Clock paces repeated reads. Nil means [SystemClock].
	Clock Clock
	// Rand scatters the pauses between repeated reads. Nil means [SystemRand].
	Rand Rand
	// Timeout bounds one request. 0 means 30 s.
	Timeout time.Duration
	// UserAgent names the program.
	UserAgent string
}

// Client talks to one site. It is safe for use by several goroutines.
type Client struct {
	base, portal  *url.URL
	readOnly      bool
	observer      WriteObserver
	renew         func(context.Context) (Token, error)
	clock         Clock
	rand          Rand
	timeout       time.Duration
	userAgent     string
	reads, writes http.RoundTripper
	lastWrite     atomic.Uint64

	renewing chan struct{} // holds a value while a new token is asked for
	secrets  *remembered
	bodies   bodies

	mu       sync.Mutex
	token    Token
	version  siteVersion
	ahead    time.Duration // the server's clock less ours
	hasAhead bool
}

// New returns a client, or an error of [KindInvalid] that says what is wrong
// with the configuration. Nothing is sent.
func New(cfg Config) (*Client, error) {
	base, _, err := ParseBase(cfg.Base, cfg.Insecure)
	if err != nil {
		return nil, err
	}
	c := &Client{
		base: base, portal: portalRoot(base), readOnly: cfg.ReadOnly, observer: cfg.Observer, renew: cfg.Renew,
		clock: cfg.Clock, rand: cfg.Rand, timeout: cfg.Timeout, userAgent: strings.TrimSpace(cfg.UserAgent), reads: cfg.Transport,
		renewing: make(chan struct{}, 1), secrets: newRemembered(), bodies: newBodies(),
	}
	if c.reads == nil {
		if c.reads, err = NewTransport(TLS{}); err != nil {
			return nil, err
		}
	}
	c.writes = freshConnections(c.reads)
	if c.clock == nil {
		c.clock = SystemClock{}
	}
	if c.rand == nil {
		c.rand = SystemRand{}
	}
	if c.timeout <= 0 {
		c.timeout = defaultTimeout
	}
	if c.userAgent == "" {
		c.userAgent = "geodeck"
	}
	c.SetToken(cfg.Token)
	return c, nil
}

// Base returns the administrative root that the client talks to.
func (c *Client) Base() *url.URL {
	base := *c.base
	return &base
}

// ReadOnly tells whether the client refuses every write.
func (c *Client) ReadOnly() bool { return c.readOnly }

// ServerTime returns the server's clock less this client's, as the Date header
// of the last answer told it (whole seconds), and false before the first answer.
func (c *Client) ServerTime() (ahead time.Duration, known bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.ahead, c.hasAhead
}

// noteDate compares the Date header with our clock in whole seconds, which is
// all that the header holds.
func (c *Client) noteDate(h http.Header) {
	date, err := http.ParseTime(h.Get("Date"))
	if err != nil {
		return
	}
	ahead := date.Sub(c.clock.Now().Truncate(time.Second))
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ahead, c.hasAhead = ahead, true
}
