package journal

import "strings"

const (
	readableName = 60 // bytes; with the hash well below every file system's limit
	nameHash     = 12 // hex digits
)

// fileName returns a name that is safe on every file system: what can be read
// of shown, and a hash that differs for every identity.
func fileName(shown, identity string) string {
	readable := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '.', r == '-':
			return r
		}
		return '-'
	}, strings.ToLower(shown))
	readable = strings.Trim(readable[:min(len(readable), readableName)], ".-")
	return strings.TrimPrefix(readable+"-"+hashOf([]byte(identity))[:nameHash], "-")
}
