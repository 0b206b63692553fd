package adminapi

import (
	"fmt"
	"strconv"
	"strings"
)

// Version is a version of the site: major, minor, patch and build. Versions
// compare as numbers, so that 11.10 is newer than 11.9.
type Version [4]int

// Since when the platform offers what not every site has.
var (
	VersionHealth         = Version{11, 2} // health checks
	VersionUpgrades       = Version{10, 9} // the whole area, but for what follows
	VersionUpgradeConfig  = Version{11, 2} // where the pods of an upgrade run
	VersionManifestStatus = Version{11, 4} // where the version manifest is from

	VersionEdit    = Version{10, 9}    // the definition of a service
	VersionEditJob = Version{10, 9, 1} // an edit that goes on in a job

	VersionPlacement = Version{11, 2} // where the pods of a service run
)

// ParseVersion reads a version such as "11.5.0.6745" or "11.2". Parts that are
// missing count as 0, parts beyond the fourth are left out; false where text
// does not begin with a number.
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

// AtLeast tells whether v is other or newer.
func (v Version) AtLeast(other Version) bool {
	for i := range v {
		if v[i] != other[i] {
			return v[i] > other[i]
		}
	}
	return true
}

// String returns the version with two parts at least: "11.2", "11.5.0.6745".
func (v Version) String() string {
	switch {
	case v[3] != 0:
		return fmt.Sprintf("%d.%d.%d.%d", v[0], v[1], v[2], v[3])
	case v[2] != 0:
		return fmt.Sprintf("%d.%d.%d", v[0], v[1], v[2])
	}
	return fmt.Sprintf("%d.%d", v[0], v[1])
}

// siteVersion is the version that the site's root told, if it was read.
type siteVersion struct {
	text   string
	parsed Version
	known  bool
}

// Version returns the version of the site, false until [Client.Root] has told it.
func (c *Client) Version() (Version, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.version.parsed, c.version.known
}

func (c *Client) setVersion(root Root) {
	text := root.FullVersion
	if text == "" {
		text = root.Version
	}
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
		Message: "this site is " + site.text + "; it needs " + o.since.String() + " or later",
	}
}
