package command

import (
	"runtime"
	"runtime/debug"
)

// build says how the program was built.
type build struct {
	Version  string `json:"version"`
	Revision string `json:"revision"` // empty if not built from a repository
	Modified bool   `json:"modified"` // built from changed files
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

// UserAgent is how the program names itself to a site.
func (b build) UserAgent() string { return "geodeck/" + b.Version }

func ThisBuild() build {
	b := build{Version: "(devel)", Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	if info.Main.Version != "" {
		b.Version = info.Main.Version
	}
	for _, setting := range info.Settings {
		switch setting.Key {
		case "vcs.revision":
			b.Revision = setting.Value
		case "vcs.modified":
			b.Modified = setting.Value == "true"
		}
	}
	return b
}
