package journal

import (
	"net/url"
	"path/filepath"
	"strings"
)

// DefaultFolder returns where journals are kept when nobody says otherwise:
// geodeck below XDG_STATE_HOME, else below ~/.local/state. env reads one
// variable of the environment, as os.Getenv does. It makes nothing.
func DefaultFolder(env func(string) string) (string, error) {
	// The base directory specification has relative paths ignored.
	if state := env("XDG_STATE_HOME"); filepath.IsAbs(state) {
		return filepath.Join(state, "geodeck"), nil
	}
	if home := env("HOME"); filepath.IsAbs(home) {
		return filepath.Join(home, ".local", "state", "geodeck"), nil
	}
	return "", failed(nil, "there is no place for the journal: neither XDG_STATE_HOME nor HOME names a folder")
}

// SiteOf returns the site of an administrative root: its origin and context,
// such as https://gis.example.org/ctx for https://gis.example.org/ctx/admin.
func SiteOf(base *url.URL) string {
	path := strings.TrimSuffix(base.EscapedPath(), "/")
	if at := strings.LastIndex(path+"/", "/admin/"); at >= 0 {
		path = path[:at]
	}
	return base.Scheme + "://" + strings.ToLower(base.Host) + path
}

var defaultPorts = map[string]string{"https": ":443", "http": ":80"}

// siteKey returns one spelling for every spelling of a site. Only origin and
// path come in: a name or a password in an address must not reach a path.
func siteKey(site string) (string, error) {
	u, err := url.Parse(strings.TrimSpace(site))
	if err != nil || u.Scheme == "" || u.Hostname() == "" {
		return "", failed(nil, "a journal belongs to a site; its address looks like https://host/context")
	}
	host := strings.TrimSuffix(strings.ToLower(u.Host), defaultPorts[u.Scheme])
	return u.Scheme + "://" + host + strings.TrimRight(u.EscapedPath(), "/"), nil
}

// siteFolder returns the name of the folder of a site.
func siteFolder(key string) string {
	_, shown, _ := strings.Cut(key, "://")
	return fileName(shown, key)
}
