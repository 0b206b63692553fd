package adminapi

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"path"
	"strings"
)

// CommonAddress returns one address for all that may be of the same site, with the same letters
// wherever a site may take them as the same: case, the scheme with its port, the ways to write a
// host and a path, what is below /admin. It is to be compared, not connected to.
func CommonAddress(base *url.URL) string {
	common := &url.URL{Host: commonHost(base.Hostname())}
	if port := strings.TrimLeft(base.Port(), "0"); port != "" && port != "443" && port != "80" {
		common.Host += ":" + port
	}
	whole := base.Path
	for { // a proxy may decode it once more
		decoded, err := url.PathUnescape(whole)
		if err != nil || decoded == whole {
			break
		}
		whole = decoded
	}
	segments := strings.Split(strings.ToLower(whole), "/")
	for i, segment := range segments {
		segments[i], _, _ = strings.Cut(segment, ";") // servers drop such parameters
	}
	context := path.Clean("/" + strings.Join(segments, "/"))
	for segment := range strings.SplitSeq(context[1:], "/") {
		if segment == "" || segment == "admin" || segment == "manager" {
			break
		}
		common.Path += "/" + segment
	}
	return common.String()
}

// commonHost returns one spelling of a host: that of a name in the network, or of an IP address.
func commonHost(host string) string {
	if strings.ContainsFunc(host, func(r rune) bool { return r > '~' }) {
		host = networkName(host)
	}
	host = strings.TrimRight(strings.ToLower(host), ".")
	ip, err := netip.ParseAddr(host)
	ip = ip.WithZone("").Unmap()
	switch {
	case host == "localhost", ip.IsLoopback(), ip.IsUnspecified(): // all lead to this machine
		return "localhost"
	case err != nil:
		return host
	case ip.Is4():
		return ip.String()
	}
	return "[" + ip.String() + "]"
}

// networkName returns the name that net/http connects to for one in other letters, such as
// gis.xn--bcher-kva.example. Nothing is sent. Tables of our own would be a second truth, of 170 KB.
func networkName(host string) string {
	name := host
	transport := &http.Transport{DialContext: func(_ context.Context, _, address string) (net.Conn, error) {
		if dialled, _, err := net.SplitHostPort(address); err == nil {
			name = dialled
		}
		return nil, net.ErrClosed
	}}
	request := &http.Request{URL: &url.URL{Scheme: "http", Host: host}, Header: http.Header{}}
	if response, err := transport.RoundTrip(request); err == nil {
		_ = response.Body.Close() // cannot be: there is no connection
	}
	return name
}
