// Package cli is the face without a screen: the commands, their flags, what
// they print, and the codes they exit with. Each command drives an operation of
// package operation, the same one that the dashboard drives.
//
// Start at [Run]. Every family of commands has a file of its own; site.go makes
// the client from flags and environment, output.go prints results, exit.go is
// the table of exit codes.
package cli
