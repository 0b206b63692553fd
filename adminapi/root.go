package adminapi

import "context"

// Root is what the administrative root says of the site.
type Root struct {
	FullVersion string   `json:"fullVersion"` // such as 11.5.0.6745; decides what the site can do
	Version     string   `json:"currentVersion"`
	Resources   []string `json:"resources"`
	Unknown     Unknown  `json:",embed"`
}

// Root reads the administrative root. The client remembers the version, and
// from then on refuses operations that the site is too old for.
func (c *Client) Root(ctx context.Context) (Root, error) { panic("contract only") }

// Mode says whether the site takes writes.
type Mode struct {
	ReadOnly    bool    `json:"isReadOnly"`
	Message     string  `json:"message"`
	Description string  `json:"description"`
	Unknown     Unknown `json:",embed"`
}

// Mode reads whether the site is in read-only mode.
func (c *Client) Mode(ctx context.Context) (Mode, error) { panic("contract only") }
