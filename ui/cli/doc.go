// Package cli is the face without a screen: the commands, their flags, what
// they print, and the codes they exit with. Each command drives an operation of
// package operation, the same one that the dashboard drives.
//
// Start at [Run], which makes what the commands share and the tree of commands
// (root.go). A noun such as "geodeck upgrade" is a small struct in a file of its
// name, its big verbs have one each (upgrade_start.go). What they share is passed
// in: output.go prints, connection.go makes the site from flags and environment,
// waiting.go tells what goes on at the site, and exit.go is the table of exit codes.
package cli
