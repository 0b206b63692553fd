//go:build !linux

package cli

import "golang.org/x/sys/unix"

// NoDumps keeps what is in memory, such as tokens, out of core dumps.
func NoDumps() { _ = unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{}) }
