package adminapi

import (
	"context"
	"net/http"
	"regexp"

	"github.com/go-json-experiment/json/jsontext"
)

// Root is what the administrative root says of the site.
type Root struct {
	FullVersion string   `json:"fullVersion"` // such as 11.5.0.6745; decides what the site can do
	Version     string   `json:"currentVersion"`
	Resources   []string `json:"resources"`
	Unknown     Unknown  `json:",embed"`
}

// Root reads the administrative root. The client remembers the version, and
// from then on refuses operations that the site is too old for.
func (c *Client) Root(ctx context.Context) (Root, error) {
	var root Root
	k := call{operation: opRoot, method: http.MethodGet, repair: quoteVersions}
	err := c.read(ctx, k, &root, func() string {
		if root.FullVersion == "" && root.Version == "" && root.Resources == nil {
			return "version"
		}
		return ""
	})
	if err != nil {
		return Root{}, err
	}
	c.setVersion(root)
	return root, nil
}

var bareVersion = regexp.MustCompile(`("(?:currentVersion|fullVersion)"\s*:\s*)(\d+(?:\.\d+){2,})`)

// quoteVersions makes JSON of a root that writes its version as 10.9.1, which
// is no number.
func quoteVersions(body []byte) []byte { return bareVersion.ReplaceAll(body, []byte(`$1"$2"`)) }

// Mode says whether the site takes writes.
type Mode struct {
	ReadOnly    bool    `json:"isReadOnly"`
	Message     string  `json:"message"`
	Description string  `json:"description"`
	Unknown     Unknown `json:",embed"`
}

// Mode reads whether the site is in read-only mode.
func (c *Client) Mode(ctx context.Context) (Mode, error) {
	k := call{operation: opMode, shown: true, method: http.MethodGet, path: []string{"mode"}}
	var given struct {
		ReadOnly jsontext.Value `json:"isReadOnly"`
	}
	a, e := c.fetch(ctx, k)
	if e == nil {
		// What is not said is not "takes writes".
		e = a.explain(k, a.decode(&given, func() string { return unlessGiven(given.ReadOnly, "isReadOnly") }))
	}
	if e != nil {
		return Mode{}, e
	}
	var mode Mode
	if e := a.explain(k, a.decode(&mode, nil)); e != nil {
		return Mode{}, e
	}
	return mode, nil
}

// unlessGiven returns what is missing, nothing where there is a value.
func unlessGiven(v jsontext.Value, what string) string {
	if len(v) == 0 || v.Kind() == jsontext.KindNull {
		return what
	}
	return ""
}
