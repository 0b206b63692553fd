// Package pattern holds regular expressions that are compiled when they are first used.
// Those of the whole program would take longer than the rest of its start.
package pattern

import (
	"regexp"
	"sync"
)

// New returns a function that returns the compiled expression. A test compiles every
// expression of the program: a mistake in one would panic at its first use.
func New(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}
