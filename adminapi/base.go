package adminapi

import (
	"net"
	"net/url"
	"path"
	"strconv"
	"strings"
)

// ParseBase reads an address as people type it. It returns the administrative
// root, sentences that say what was added or dropped (empty where nothing was),
// or an error of [KindInvalid] with a sentence: no host, another scheme than
// http or https, http beyond loopback without insecure, a user name or a
// password in the address.
func ParseBase(address string, insecure bool) (base *url.URL, notice string, err error) {
	var notices []string
	address = strings.TrimSpace(address)
	if address == "" {
		return nil, "", badBase("no address is given; it looks like https://host/context/admin")
	}
	if !strings.Contains(address, "://") {
		address = "https://" + address
		notices = append(notices, "https:// was added to the address.")
	}
	u, err := url.Parse(address)
	if err != nil {
		// The parser's own words repeat the address, which may hold a password.
		return nil, "", badBase("the address cannot be read; it looks like https://host/context/admin")
	}
	if err := checkOrigin(u, insecure); err != nil {
		return nil, "", err
	}
	if u.RawQuery != "" || u.ForceQuery || u.Fragment != "" {
		notices = append(notices, "What followed the path of the address was dropped.")
	}
	base, added := adminRoot(u)
	if added != "" {
		notices = append(notices, added)
	}
	return base, strings.Join(notices, " "), nil
}

func badBase(sentence string) *Error {
	return &Error{Kind: KindInvalid, Operation: "use this address", Message: sentence}
}

func checkOrigin(u *url.URL, insecure bool) error {
	port, err := strconv.Atoi(u.Port())
	switch {
	case u.Scheme != "https" && u.Scheme != "http":
		return badBase("an address begins with https:// (or http:// on this machine)")
	case u.User != nil:
		return badBase("an address holds no user name and no password; sign in instead")
	case u.Hostname() == "":
		return badBase("the address names no host; it looks like https://host/context/admin")
	case u.Port() != "" && (err != nil || port < 1 || port > 65535):
		return badBase("the port in the address is not a number from 1 to 65535")
	case u.Scheme == "http" && !insecure && !isLoopback(u.Hostname()):
		return badBase("http sends the token readable for everybody on the way; use https://, or say that the site is insecure")
	}
	return nil
}

func isLoopback(host string) bool {
	if strings.EqualFold(strings.TrimSuffix(host, "."), "localhost") {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

// adminRoot keeps the origin and the path of u and adds what is missing of the
// path. An address of the web application or of something below the root is
// not guessed at.
func adminRoot(u *url.URL) (root *url.URL, notice string) {
	root = &url.URL{Scheme: u.Scheme, Host: strings.ToLower(u.Host)}
	escaped := strings.TrimSuffix(path.Clean("/"+u.EscapedPath()), "/")
	switch {
	case hasSegment(escaped, "admin"):
	case path.Base(escaped) == "manager":
		notice = "The address ends in /manager, which is the web application; the administrative root beside it ends in /admin."
	default:
		escaped += "/admin"
		notice = "/admin was added to the address."
	}
	setPath(root, escaped)
	return root, notice
}

func hasSegment(escaped, segment string) bool {
	return strings.Contains(escaped+"/", "/"+segment+"/")
}

func setPath(u *url.URL, escaped string) {
	plainPath, err := url.PathUnescape(escaped)
	if err != nil {
		plainPath = escaped // cannot be: it comes from EscapedPath and PathEscape
	}
	u.Path, u.RawPath = plainPath, escaped
}

// portalRoot returns the portal's side of the site: beside /admin, on the same
// origin.
func portalRoot(base *url.URL) *url.URL {
	escaped := base.EscapedPath()
	if at := strings.LastIndex(escaped+"/", "/admin/"); at >= 0 {
		escaped = escaped[:at]
	} else {
		escaped = strings.TrimSuffix(escaped, "/manager")
	}
	root := &url.URL{Scheme: base.Scheme, Host: base.Host}
	setPath(root, escaped+"/sharing/rest")
	return root
}
