package ui_test

import (
	"os"
	"os/exec"
	"testing"

	"geodeck/ui/uitest/terminal"
)

// open starts a scene of this test program in a terminal.
func open(t *testing.T, scene string) *terminal.Terminal {
	t.Helper()
	return openCommand(t, exec.Command(os.Args[0]), scene)
}

// openCommand starts any command in a terminal, which starts the scene.
func openCommand(t *testing.T, cmd *exec.Cmd, scene string, env ...string) *terminal.Terminal {
	t.Helper()
	cmd.Env = append(sceneEnv(scene), env...)
	return terminal.Open(t, cmd, 80, 24)
}

// sceneEnv is the environment in which this test program plays a scene.
func sceneEnv(scene string) []string {
	return append(os.Environ(), sceneVariable+"="+scene, "TERM=xterm-256color", "COLORFGBG=",
		"GORACE=atexit_sleep_ms=0") // the race detector sleeps a second at the end
}
