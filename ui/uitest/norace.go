//go:build !race

package uitest

// raced says that the race detector is on.
const raced = false
