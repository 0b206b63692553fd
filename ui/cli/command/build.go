package command

import (
	"cmp"
	"runtime"
	"runtime/debug"
)

// Build says how the program was built.
type Build struct {
	Version  string `json:"version"`
	Revision string `json:"revision"` // empty if not built from a repository
	Date     string `json:"date"`     // of the revision, RFC 3339; empty like it
	Modified bool   `json:"modified"` // built from changed files
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

// release is the version of a packaged program: .ci/release sets it as it links.
var release string

// UserAgent is how the program names itself to a site.
func (b Build) UserAgent() string { return "geodeck/" + b.Version }

// ThisBuild says how this program was built.
func ThisBuild() Build {
	b := Build{Version: "(devel)", Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	b.Version = cmp.Or(release, info.Main.Version, b.Version)
	for _, setting := range info.Settings {
		switch setting.Key {
		case "vcs.revision":
			b.Revision = setting.Value
		case "vcs.time":
			b.Date = setting.Value
		case "vcs.modified":
			b.Modified = setting.Value == "true"
		}
	}
	return b
}
