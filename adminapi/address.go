package adminapi

import (
	"net/netip"
	"net/url"
	"path"
	"strings"

	"golang.org/x/net/idna"
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
	if name, err := idna.Lookup.ToASCII(host); err == nil { // as net/http writes it
		host = name
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
