package journal

import "net/url"

// DefaultFolder returns where journals are kept when nobody says otherwise:
// geodeck below XDG_STATE_HOME, else below ~/.local/state. env reads one
// variable of the environment, as os.Getenv does. It makes nothing.
func DefaultFolder(env func(string) string) (string, error) { panic("contract only") }

// SiteOf returns the site of an administrative root: its origin and context,
// such as https://gis.example.org/ctx for https://gis.example.org/ctx/admin.
func SiteOf(base *url.URL) string { panic("contract only") }
