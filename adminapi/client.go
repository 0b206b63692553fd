package adminapi

import (
	"context"
	"net/http"
	"net/url"
	"time"
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
	// one: a token file that somebody has written again, for instance. May be nil.
	Renew func(context.Context) (Token, error)
	// ReadOnly refuses every write before anything is sent.
	ReadOnly bool
	// Observer sees every write before and after. May be nil.
	Observer WriteObserver
	// Transport sends the requests. Nil means [NewTransport] with no options.
	Transport http.RoundTripper
	// Clock paces repeated reads. Nil means [SystemClock].
	Clock Clock
	// Timeout bounds one request. 0 means 30 s.
	Timeout time.Duration
	// UserAgent names the program.
	UserAgent string
}

// Client talks to one site. It is safe for use by several goroutines.
type Client struct{}

// New returns a client, or an error of [KindInvalid] that says what is wrong
// with the configuration. Nothing is sent.
func New(cfg Config) (*Client, error) { panic("contract only") }

// Base returns the administrative root that the client talks to.
func (c *Client) Base() *url.URL { panic("contract only") }

// ReadOnly tells whether the client refuses every write.
func (c *Client) ReadOnly() bool { panic("contract only") }

// ServerTime returns the server's clock less this machine's, as the Date header
// of the last answer told it (whole seconds), and false before the first answer.
func (c *Client) ServerTime() (ahead time.Duration, known bool) { panic("contract only") }

// ParseBase reads an address as people type it. It returns the administrative
// root, a sentence that says what was added or dropped (empty where nothing
// was), or an error of [KindInvalid] with a sentence: no host, http beyond
// loopback without insecure, user names or queries in the address.
func ParseBase(address string, insecure bool) (base *url.URL, notice string, err error) {
	panic("contract only")
}

// TLS holds the certificates of a connection, in PEM.
type TLS struct {
	CA   []byte // trusted beside the system's own
	Cert []byte // the client's certificate, with its key
	Key  []byte
}

// NewTransport returns a transport with the given certificates, the proxy of the
// environment, and limits on time and headers. The error is of [KindInvalid].
func NewTransport(t TLS) (*http.Transport, error) { panic("contract only") }

// WriteObserver sees each write. An error from BeforeWrite stops it: what cannot
// be recorded is not sent.
type WriteObserver interface {
	BeforeWrite(Write) error
	AfterWrite(Write, Outcome, error)
}

// Write describes one write for an observer. Secrets are masked.
type Write struct {
	ID        uint64 // the same before and after; counts up within one client
	Operation string // such as "run a health check"
	Path      string
	Fields    url.Values // form fields, secrets masked
	Sent      time.Time  // by this machine's clock
}
