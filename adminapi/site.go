package adminapi

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/net/idna"

	"geodeck/adminapi/pattern"
)

// Root is the administrative root of a site.
type Root struct {
	FullVersion string   `json:"fullVersion"` // such as 11.5.0.6745; decides what the site can do
	Version     string   `json:"currentVersion"`
	Resources   []string `json:"resources"`
	Unknown     Unknown  `json:",embed"`
}

// Root fetches the administrative root. From then on the client refuses operations for
// which the site is too old.
func (c *Client) Root(ctx context.Context) (Root, error) {
	root, err := readAs(ctx, c, Call{operation: opRoot, repair: quoteVersions}, "version",
		func(r *Root) bool { return r.FullVersion != "" || r.Version != "" || r.Resources != nil })
	if err == nil {
		c.setVersion(root)
	}
	return root, err
}

var bareVersion = pattern.New(`("(?:currentVersion|fullVersion)"\s*:\s*)(\d+(?:\.\d+){2,})`)

// quoteVersions makes valid JSON of a root with a version such as 10.9.1, which is not a
// number.
func quoteVersions(body []byte) []byte { return bareVersion().ReplaceAll(body, []byte(`$1"$2"`)) }

// Mode describes whether the site accepts writes.
type Mode struct {
	ReadOnly bool    `json:"isReadOnly"`
	Message  string  `json:"message"`
	Unknown  Unknown `json:",embed"`
}

// Mode fetches whether the site is in read-only mode.
func (c *Client) Mode(ctx context.Context) (Mode, error) {
	type given struct {
		ReadOnly *jsontext.Value `json:"isReadOnly"`
	}
	return read(ctx, c, opMode.at("mode").masked(), func(a answer) (Mode, *Error) {
		// A missing member does not mean that the site accepts writes.
		if _, e := decodeAs(a, "isReadOnly", func(g *given) bool { return g.ReadOnly != nil }); e != nil {
			return Mode{}, e
		}
		return decodeAs[Mode](a, "", nil)
	})
}

// Version is a version of a site: major, minor, patch and build. The parts compare as
// numbers: 11.10 is newer than 11.9.
type Version [4]int

// The versions that introduced what not every site has.
var (
	VersionHealth         = Version{11, 2}    // health checks
	VersionUpgrades       = Version{10, 9}    // the whole area, except for the next three
	VersionImportManifest = Version{10, 9, 1} // the import of a version manifest
	VersionUpgradeConfig  = Version{11, 2}    // where the pods of an upgrade run
	VersionManifestStatus = Version{11, 4}    // where the version manifest is from

	VersionEdit  = Version{10, 9}    // the definition of a service
	VersionAsync = Version{10, 9, 1} // the parameter that lets an operation run in a job

	VersionPlacement = Version{11, 2} // where the pods of a service run
)

// ParseVersion parses a version such as "11.5.0.6745" or "11.2". Missing parts are 0, parts
// after the fourth are ignored. It returns false if text does not begin with a number.
func ParseVersion(text string) (Version, bool) {
	var v Version
	for i, part := range strings.SplitN(strings.TrimSpace(text), ".", len(v)+1) {
		if i == len(v) {
			break
		}
		digits := part
		if end := strings.IndexFunc(part, func(r rune) bool { return r < '0' || r > '9' }); end >= 0 {
			digits = part[:end]
		}
		n, err := strconv.Atoi(digits)
		if err != nil {
			return v, i > 0
		}
		if v[i] = n; digits != part {
			break
		}
	}
	return v, true
}

// AtLeast reports whether v is the same as other or newer.
func (v Version) AtLeast(other Version) bool {
	return slices.Compare(v[:], other[:]) >= 0
}

// String returns the version with at least two parts: "11.2", "11.5.0.6745".
func (v Version) String() string {
	text := fmt.Sprintf("%d.%d.%d.%d", v[0], v[1], v[2], v[3])
	return strings.TrimSuffix(strings.TrimSuffix(text, ".0"), ".0")
}

// siteVersion is the version in the site's root, if it was fetched.
type siteVersion struct {
	text   string
	parsed Version
	known  bool
}

// Version returns the version of the site, and false until [Client.Root] has fetched it.
func (c *Client) Version() (Version, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.version.parsed, c.version.known
}

func (c *Client) setVersion(root Root) {
	text := cmp.Or(root.FullVersion, root.Version)
	parsed, ok := ParseVersion(text)
	if !ok {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.version = siteVersion{text: text, parsed: parsed, known: true}
}

// tooOld returns the error of an operation that the site is known to lack.
func (c *Client) tooOld(o operation) *Error {
	c.mu.Lock()
	site := c.version
	c.mu.Unlock()
	if !site.known || site.parsed.AtLeast(o.since) {
		return nil
	}
	return &Error{
		Kind: KindVersionTooOld, Operation: o.name,
		Message: cmp.Or(o.needs, "this needs") + " " + o.since.String() + " or later; this site is " + site.text,
	}
}

// ParseBase parses an address as people type it. It returns the administrative root and
// sentences about what was added or removed ("" if nothing was). The error is of
// [KindInvalid]: there is no host, the scheme is not http or https, it is http to another
// machine without insecure, or there is a user name or a password.
func ParseBase(address string, insecure bool) (base *url.URL, notice string, err error) {
	var notices []string
	address = strings.TrimSpace(address)
	if address == "" {
		return nil, "", badBase("no address given; use https://host/context/admin")
	}
	if !strings.Contains(address, "://") {
		address = "https://" + address
		notices = append(notices, "https:// was added to the address.")
	}
	u, err := url.Parse(address)
	if err != nil {
		// The parser's own words repeat the address, which may hold a password.
		return nil, "", badBase("the address is not valid; use https://host/context/admin")
	}
	if err := checkOrigin(u, insecure); err != nil {
		return nil, "", err
	}
	if u.RawQuery != "" || u.ForceQuery || u.Fragment != "" {
		notices = append(notices, "The query and fragment of the address are ignored.")
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
		return badBase("an address begins with https://, not " + u.Scheme + "://; with http:// only on this machine")
	case u.User != nil:
		return badBase("an address must not contain a user name or password; sign in instead")
	case u.Hostname() == "":
		return badBase("the address names no host; use https://host/context/admin")
	case u.Port() != "" && (err != nil || port < 1 || port > 65535):
		return badBase("the port in the address must be between 1 and 65535")
	case u.Scheme == "http" && !insecure && !isLoopback(u.Hostname()):
		return badBase("http sends the token unencrypted; use https://, or allow it with --insecure")
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

// adminRoot returns the origin and the path of u, with /admin added if it is missing. It
// does not change the address of the web application or of a resource below the root.
func adminRoot(u *url.URL) (root *url.URL, notice string) {
	root = &url.URL{Scheme: u.Scheme, Host: strings.ToLower(u.Host)}
	escaped := strings.TrimSuffix(path.Clean("/"+u.EscapedPath()), "/")
	switch {
	case strings.Contains(escaped+"/", "/admin/"):
	case path.Base(escaped) == "manager":
		notice = "The address ends in /manager, the web application. Use the administrative root, which ends in /admin."
	default:
		escaped += "/admin"
		notice = "/admin was added to the address."
	}
	setPath(root, escaped)
	return root, notice
}

func setPath(u *url.URL, escaped string) {
	plainPath, err := url.PathUnescape(escaped)
	if err != nil {
		plainPath = escaped // cannot be: it comes from EscapedPath and PathEscape
	}
	u.Path, u.RawPath = plainPath, escaped
}

// portalRoot returns the root of the portal, which is next to /admin on the same origin.
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

// BackupStore is a place where the site stores backups.
type BackupStore struct {
	Name    string  `json:"name"`
	Default bool    `json:"default"`
	Unknown Unknown `json:",embed"`
}

// BackupCompleted is the status of a backup that can be restored. Others exist.
const BackupCompleted = "completed"

// Backup is one backup of the site.
type Backup struct {
	Name    string  `json:"backupName"`
	Status  string  `json:"status"` // see BackupCompleted
	Start   Millis  `json:"startTime"`
	End     Millis  `json:"completeTime"` // zero if not known
	Unknown Unknown `json:",embed"`
}

// Backups are the backups of a whole site (disaster recovery).
type Backups struct{ client *Client }

// The operations of this file, with the privilege and the version that they require.
var (
	opRoot         = operation{name: "read the administrative root"}
	opMode         = operation{name: "read the mode of the site"}
	opBackupStores = operation{name: "read the stores of backups"}
	opBackups      = operation{name: "read the list of backups"}
)

// Stores fetches the stores of backups (disaster recovery).
func (b Backups) Stores(ctx context.Context) ([]BackupStore, error) {
	k := opBackupStores.at("system", "disasterrecovery", "stores")
	return readList[BackupStore](ctx, b.client, k, "backupStores")
}

// List fetches the backups in one store, in the server's order.
func (b Backups) List(ctx context.Context, store string) ([]Backup, error) {
	k := opBackups.at("system", "disasterrecovery", "stores", store, "backups")
	return readList[Backup](ctx, b.client, k, "backups")
}
