package watching

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/plain"
	"geodeck/adminapi/program"
)

// hookTime is how long a hook may take.
const hookTime = 30 * time.Second

// Hook is a program that is run at an alarm, without a shell and without arguments. It gets
// the alarm as JSON on its standard input, and in its environment GEODECK_ALARM (the kind),
// GEODECK_ALARM_SITE and GEODECK_ALARM_TEXT, but not GEODECK_TOKEN. Its output is dropped.
type Hook struct{ Program string }

// Check returns an error where the program cannot be run.
func (h Hook) Check() error {
	if _, err := exec.LookPath(h.Program); err != nil {
		return fmt.Errorf("the hook %s cannot be run: %w", plain.Line(h.Program), errors.Unwrap(err))
	}
	return nil
}

// Run runs the hook and waits for its end, 30 s at most.
func (h Hook) Run(ctx context.Context, a Alarm) error {
	limited, cancel := context.WithTimeout(ctx, hookTime)
	defer cancel()
	input, err := adminapi.JSONLine(a)
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(limited, h.Program)
	cmd.Stdin = bytes.NewReader(input)
	cmd.Env = append(program.Environment(), "GEODECK_ALARM="+string(a.Kind), "GEODECK_ALARM_SITE="+a.Site, "GEODECK_ALARM_TEXT="+a.Text)
	cmd.WaitDelay = time.Second // children of it may hold on to the input
	err = cmd.Run()
	name := plain.Line(h.Program)
	switch {
	case err == nil:
		return nil
	case errors.Is(limited.Err(), context.DeadlineExceeded):
		return fmt.Errorf("the hook %s was stopped after %s", name, adminapi.FormatDuration(hookTime))
	case ctx.Err() != nil:
		return ctx.Err()
	}
	if ended, ok := errors.AsType[*exec.ExitError](err); ok {
		return fmt.Errorf("the hook %s failed: %s", name, ended)
	}
	if reason := errors.Unwrap(err); reason != nil {
		err = reason // without the name
	}
	return fmt.Errorf("the hook %s could not be run: %w", name, err)
}
