//go:build !unix

package operation

import "os/exec"

// ownGroup leaves it at ending the program itself: there are no process groups.
func ownGroup(cmd *exec.Cmd) { cmd.Cancel = func() error { return endGroup(cmd) } }

func endGroup(cmd *exec.Cmd) error { return cmd.Process.Kill() }
