package cli

import "golang.org/x/sys/unix"

// NoDumps keeps what is in memory, such as tokens, out of core dumps, and from other programs
// of the same user. A limit alone does not bind a system that pipes its dumps to a program.
func NoDumps() {
	_ = unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{})
	_ = unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0)
}
