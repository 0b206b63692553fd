package doctor

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/parallel"
	"geodeck/adminapi/secrets"
)

// checkAddress parses the address, and finds out whether a proxy is between.
func (e *examination) checkAddress(context.Context) *Check {
	if e.AddressErr != nil {
		return saying(Failed, "There is no address to connect to.").with(e.AddressErr.Error()).advising(e.AddressFix)
	}
	if strings.TrimSpace(e.Address) == "" {
		return saying(NotApplicable, "No site is given.").advising("To check a site, name it: --site, or --url https://HOST/CONTEXT/admin.")
	}
	base, notice, err := adminapi.ParseBase(e.Address, e.Insecure)
	if err != nil {
		c := saying(Failed, "The address cannot be used.").with(messageOf(err))
		if _, _, insecure := adminapi.ParseBase(e.Address, true); insecure == nil {
			c = c.advising("Use https://. --insecure sends the token unencrypted.")
		}
		return c
	}
	e.base = base
	e.note(ofHost, base.Hostname())
	c := saying(Passed, "The administrative root is %s.", base)
	if notice != "" {
		c = c.with(notice)
	}
	if e.AddressOf != "" {
		c = c.with(e.AddressOf)
	}
	if e.Transport == nil {
		e.Transport = &http.Transport{Proxy: http.ProxyFromEnvironment} // for what needs no TLS
	}
	if e.Dial != nil {
		e.Transport = e.Transport.Clone()
		e.Transport.DialContext = e.Dial
	}
	return c
}

// port is the port of the site, or of a proxy.
func port(u *url.URL) string {
	return cmp.Or(u.Port(), map[string]string{"http": "80", "https": "443", "socks5": "1080", "socks5h": "1080"}[u.Scheme])
}

// checkName resolves the host of the site.
func (e *examination) checkName(ctx context.Context) *Check {
	host := e.base.Hostname()
	if proxy, err := e.proxyOf(); err == nil && proxy != nil {
		return saying(NotApplicable, "The proxy resolves the name.")
	}
	if address, err := netip.ParseAddr(host); err == nil {
		e.addresses = []netip.Addr{address}
		return saying(NotApplicable, "%s is an IP address: there is no name to resolve.", host)
	}
	if e.Dial != nil {
		return saying(NotApplicable, "Connections are not made by this machine.")
	}
	began := e.Clock.Now()
	addresses, err := e.resolve(ctx, host)
	took := e.Clock.Now().Sub(began)
	if err != nil {
		return resolveFailed(host, err)
	}
	e.addresses = addresses
	c := saying(Passed, "%s has %s, found in %s.", host, count(len(addresses), "address", "addresses"), tookText(took))
	if took > slowName {
		c = saying(Warning, "%s was found after %s only.", host, tookText(took)).
			advising("Each new connection waits for it. Check the DNS servers of this machine.")
	}
	for _, address := range addresses {
		c = c.with(address.String())
	}
	return c
}

// slowName is how long a name may take before it is worth a warning.
const slowName = 2 * time.Second

func (e *examination) resolve(ctx context.Context, host string) ([]netip.Addr, error) {
	addresses, err := cmp.Or(e.Resolver, net.DefaultResolver).LookupNetIP(ctx, "ip", host)
	var all []netip.Addr
	for _, address := range addresses {
		if address = address.Unmap(); !slices.Contains(all, address) {
			all = append(all, address)
			e.note(ofHost, address.String())
		}
	}
	return all, err
}

func resolveFailed(host string, err error) *Check {
	found, _ := errors.AsType[*net.DNSError](err)
	switch {
	case found != nil && found.IsNotFound:
		return saying(Failed, "The host name %s is unknown.", host).with(err.Error()).
			advising("Check its spelling, the VPN, and the DNS servers of this machine.")
	case found != nil && found.IsTimeout, errors.Is(err, context.DeadlineExceeded):
		return saying(Failed, "No DNS server told in time who %s is.", host).with(err.Error()).
			advising("Check the network, the VPN, and the DNS servers of this machine.")
	}
	return saying(Failed, "The host name %s could not be resolved.", host).with(err.Error()).
		advising("Check the DNS servers of this machine.")
}

// maxDialled is how many addresses of a host are tried.
const maxDialled = 8

// checkTCP connects to each address of the site.
func (e *examination) checkTCP(ctx context.Context) *Check {
	if proxy, err := e.proxyOf(); err == nil && proxy != nil {
		return saying(NotApplicable, "The proxy makes the connection.")
	}
	target := net.JoinHostPort(e.base.Hostname(), port(e.base))
	if e.Dial != nil {
		_, _, err := e.dial(ctx, target)
		if err != nil {
			return saying(Failed, "There is no connection to %s.", target).with(connectionText(err))
		}
		return saying(Passed, "The site takes connections.")
	}
	lines, errs := e.dialAll(ctx, e.addresses, port(e.base))
	return e.reached(target, lines, errs)
}

// dialAll connects to all addresses, and returns a line and an error for each.
func (e *examination) dialAll(ctx context.Context, addresses []netip.Addr, port string) (lines []string, errs []error) {
	addresses = addresses[:min(len(addresses), maxDialled)]
	lines, errs = make([]string, len(addresses)), make([]error, len(addresses))
	var dials parallel.Group
	for i, address := range addresses {
		dials.Go(func() {
			to := net.JoinHostPort(address.String(), port)
			local, took, err := e.dial(ctx, to)
			errs[i], lines[i] = err, to+" connected in "+tookText(took)+", from "+local
			if err != nil {
				lines[i] = to + ": " + connectionText(err)
			}
		})
	}
	dials.Wait()
	return lines, errs
}

// dial opens a connection and closes it again.
func (e *examination) dial(ctx context.Context, to string) (local string, took time.Duration, err error) {
	open := e.Dial
	if open == nil {
		open = (&net.Dialer{}).DialContext
	}
	began := e.Clock.Now()
	conn, err := open(ctx, "tcp", to)
	took = e.Clock.Now().Sub(began)
	if err != nil {
		return "", took, err
	}
	local = conn.LocalAddr().String()
	if host, _, err := net.SplitHostPort(local); err == nil {
		local = host
		e.note(ofHost, host)
	}
	return local, took, conn.Close()
}

func (e *examination) reached(target string, lines []string, errs []error) *Check {
	failed, first := 0, error(nil)
	for _, err := range errs {
		if err != nil {
			failed++
			first = cmp.Or(first, err)
		}
	}
	switch {
	case failed == 0 && len(errs) == 1:
		return saying(Passed, "%s takes connections.", target).with(lines...)
	case failed == 0:
		return saying(Passed, "%s takes connections at all %d addresses.", target, len(errs)).with(lines...)
	case failed < len(errs):
		return saying(Warning, "%d of %d addresses of %s take no connection.", failed, len(errs), target).with(lines...).
			advising("Connections may be slow. " + tcpAdvice(first))
	}
	return saying(Failed, "%s takes no connection.", target).with(lines...).advising(tcpAdvice(first))
}

func tcpAdvice(err error) string {
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		return "Nothing listens at that port: check the port, and whether the site runs."
	case errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH):
		return "There is no way to that network: check the VPN and the routes of this machine."
	}
	return "A firewall may drop the connection: ask for access to that port, or name a proxy in HTTPS_PROXY."
}

// connectionText says why a connection failed.
func connectionText(err error) string {
	switch {
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded):
		return "no answer in time"
	case errors.Is(err, syscall.EHOSTUNREACH):
		return "no route to the host"
	case errors.Is(err, syscall.ENETUNREACH):
		return "the network is unreachable"
	}
	if text := adminapi.ConnectionText(err); text != "" {
		return text
	}
	if timeout, ok := errors.AsType[net.Error](err); ok && timeout.Timeout() {
		return "no answer in time"
	}
	return err.Error()
}

// messageOf is the text of an error without what was tried.
func messageOf(err error) string {
	if e, ok := errors.AsType[*adminapi.Error](err); ok && e.Message != "" {
		return e.Message
	}
	return err.Error()
}

// proxyOf is the proxy of the site, nil for none.
func (e *examination) proxyOf() (*url.URL, error) {
	if e.Transport.Proxy == nil {
		return nil, nil
	}
	return e.Transport.Proxy(&http.Request{Method: http.MethodGet, URL: e.base, Host: e.base.Host})
}

// proxySource says which setting names the proxy, or would.
func (e *examination) proxySource() string {
	if e.ProxyFrom != "" {
		return e.ProxyFrom
	}
	names := []string{"HTTPS_PROXY", "https_proxy"}
	if e.base.Scheme == "http" {
		names = []string{"HTTP_PROXY", "http_proxy"}
	}
	for _, name := range names {
		if e.Env(name) != "" {
			return name
		}
	}
	return ""
}

// errConnected ends a connection through a proxy before anything is sent through it.
var errConnected = errors.New("the proxy connects")

// checkProxy connects to the proxy, and lets it connect to the site.
func (e *examination) checkProxy(ctx context.Context) *Check {
	proxy, err := e.proxyOf()
	source := e.proxySource()
	switch {
	case err != nil: // the error repeats the address with its password
		return saying(Failed, "The address of the proxy in %s is not valid.", source).advising("Write it as http://HOST:PORT.")
	case proxy == nil && e.ProxyFrom != "":
		return saying(NotApplicable, "No proxy is used for this site.").with(source + " says none")
	case proxy == nil && source != "":
		return saying(NotApplicable, "No proxy is used for this site.").with(e.withoutProxy(source))
	case proxy == nil:
		return saying(NotApplicable, "No proxy is used.")
	}
	if password, given := proxy.User.Password(); given {
		e.hide(secrets.Of(secrets.Secret(password)))
	}
	e.note(ofUser, proxy.User.Username())
	e.note(ofHost, proxy.Hostname())
	seen := []string{source + " decides: " + proxy.Redacted()}
	addresses := []netip.Addr{}
	if address, err := netip.ParseAddr(proxy.Hostname()); err == nil {
		addresses = append(addresses, address)
	} else if addresses, err = e.resolve(ctx, proxy.Hostname()); err != nil {
		c := resolveFailed(proxy.Hostname(), err)
		c.Evidence = append(seen, c.Evidence...)
		return c.advising("Check the name of the proxy in " + source + ".")
	}
	lines, errs := e.dialAll(ctx, addresses, port(proxy))
	seen = append(seen, lines...)
	if !slices.Contains(errs, nil) {
		return saying(Failed, "There is no connection to the proxy.").with(seen...).advising("Check the proxy in " + source + ", and whether it runs.")
	}
	if e.base.Scheme != "https" || strings.HasPrefix(proxy.Scheme, "socks") {
		return saying(Passed, "The proxy takes connections.").with(seen...)
	}
	return e.connectThrough(ctx, proxy, source, seen)
}

// withoutProxy says why the proxy of the environment is not used.
func (e *examination) withoutProxy(source string) string {
	for _, name := range []string{"NO_PROXY", "no_proxy"} {
		if list := e.Env(name); list != "" {
			return fmt.Sprintf("%s is set, and so is %s: %s", source, name, list)
		}
	}
	return source + " is set; this machine itself is reached without it."
}

// connectThrough asks the proxy to connect to the site, and sends nothing through it.
func (e *examination) connectThrough(ctx context.Context, proxy *url.URL, source string, seen []string) *Check {
	transport := e.Transport.Clone()
	transport.DisableKeepAlives = true
	status, header := 0, http.Header{}
	transport.OnProxyConnectResponse = func(_ context.Context, _ *url.URL, _ *http.Request, answer *http.Response) error {
		status, header = answer.StatusCode, answer.Header
		return errConnected
	}
	_, err := e.get(ctx, transport)
	target := net.JoinHostPort(e.base.Hostname(), port(e.base))
	if status != 0 {
		seen = append(seen, strings.TrimSpace(fmt.Sprintf("CONNECT %s: %d %s", target, status, http.StatusText(status))))
	}
	for _, way := range header.Values("Proxy-Authenticate") {
		seen = append(seen, "It asks for: "+way)
	}
	switch {
	case status == http.StatusOK:
		return saying(Passed, "The proxy connects to the site.").with(seen...)
	case status == http.StatusProxyAuthRequired && proxy.User != nil:
		return saying(Failed, "The proxy refuses the user or the password.").with(seen...).advising("Correct them in " + source + ".")
	case status == http.StatusProxyAuthRequired:
		return saying(Failed, "The proxy asks for a user and a password.").with(seen...).advising("Add them in " + source + ": http://USER:PASSWORD@HOST:PORT.")
	case status != 0:
		return saying(Failed, "The proxy does not connect to the site.").with(seen...).
			advising("Ask for access to " + target + ", or leave the host out of the proxy with NO_PROXY.")
	case errors.As(err, new(tls.RecordHeaderError)):
		return saying(Failed, "The proxy speaks no TLS.").with(seen...).advising("Write its address with http:// in " + source + ".")
	}
	return saying(Failed, "The proxy gives no usable answer.").with(append(seen, connectionText(err))...).advising("Check the proxy in " + source + ".")
}

// get requests the administrative root without a token.
func (e *examination) get(ctx context.Context, transport *http.Transport) (*http.Response, error) {
	target := *e.base
	target.RawQuery = "f=json"
	request := (&http.Request{Method: http.MethodGet, URL: &target, Host: target.Host, Header: http.Header{"User-Agent": {e.UserAgent}}}).WithContext(ctx)
	answer, err := transport.RoundTrip(request)
	if err == nil {
		_ = answer.Body.Close()
	}
	transport.CloseIdleConnections()
	return answer, err
}

// tookText says how long something took.
func tookText(d time.Duration) string {
	if d < time.Second {
		return fmt.Sprintf("%d ms", d.Milliseconds())
	}
	return adminapi.FormatElapsed(d)
}

func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
