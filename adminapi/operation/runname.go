package operation

import (
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// longestRunName keeps names readable in a list and in a file's name.
const longestRunName = 128

// DefaultRunName returns a dated name for a run: "geodeck 2026-11-20 14:05:31".
// The seconds matter: a run whose answer was lost is found again by its name.
func DefaultRunName(now time.Time) string { return now.Format("geodeck 2006-01-02 15:04:05") }

// CheckRunName returns a sentence where name cannot name a run: empty, too
// long, not UTF-8, or with characters that cannot be seen.
func CheckRunName(name string) error {
	switch {
	case strings.TrimSpace(name) == "":
		return errors.New("give the run a name")
	case !utf8.ValidString(name):
		return errors.New("the name is not valid UTF-8 text")
	case utf8.RuneCountInString(name) > longestRunName:
		return fmt.Errorf("the name has more than %d characters", longestRunName)
	}
	for _, r := range name {
		if !unicode.IsPrint(r) {
			return fmt.Errorf("the name holds a character that cannot be shown (U+%04X)", r)
		}
	}
	return nil
}
