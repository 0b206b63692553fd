package operation

import (
	"os/exec"
	"syscall"
)

// ownGroup lets a program be ended together with whatever it starts. It has no terminal:
// a program that asks for a password would write over the screen, and wait for ever.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Cancel = func() error { return endGroup(cmd) }
}

func endGroup(cmd *exec.Cmd) error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
