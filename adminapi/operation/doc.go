// Package operation holds what an administrator does, in steps that the
// dashboard and the commands share: it joins calls of package adminapi to an
// act with an end. Calls block and take a context; whatever goes on for long is
// a Next that returns a reading and how long to wait before the next one, so
// that a view can chain it as commands and a command can loop over it.
//
// Start at [Site], then [StartHealthRun].
package operation
