package operation

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"time"

	"github.com/go-json-experiment/json"

	"geodeck/adminapi"
	"geodeck/adminapi/plain"
)

// hookTime is how long a hook may take.
const hookTime = 30 * time.Second

// Hook is a program that is run at an alarm, without a shell and without arguments.
// It gets the alarm as JSON on its standard input, and in its environment
// GEODECK_ALARM (the kind), GEODECK_ALARM_SITE and GEODECK_ALARM_TEXT. Nothing that
// it prints reaches the screen. GEODECK_TOKEN is not in its environment.
type Hook struct{ Program string }

// Check tells whether there is a program that can be run: an alarm at night is late
// to find that out.
func (h Hook) Check() error {
	if _, err := exec.LookPath(h.Program); err != nil {
		return fmt.Errorf("the hook %s cannot be run: %w", plain.Line(h.Program), errors.Unwrap(err))
	}
	return nil
}

// Run runs the hook and waits for its end, 30 s at most. The error says what became
// of it.
func (h Hook) Run(ctx context.Context, a Alarm) error {
	limited, cancel := context.WithTimeout(ctx, hookTime)
	defer cancel()
	input, err := json.Marshal(a)
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(limited, h.Program)
	cmd.Env, cmd.Stdin = hookEnv(a), bytes.NewReader(input)
	cmd.WaitDelay = time.Second // children of it may hold on to the input
	err = cmd.Run()
	name := plain.Line(h.Program)
	switch {
	case err == nil:
		return nil
	case errors.Is(limited.Err(), context.DeadlineExceeded):
		return fmt.Errorf("the hook %s has not ended within %s; it was ended", name, adminapi.Spell(hookTime))
	case ctx.Err() != nil:
		return ctx.Err()
	}
	if ended, ok := errors.AsType[*exec.ExitError](err); ok {
		return fmt.Errorf("the hook %s has failed: %s", name, ended)
	}
	if reason := errors.Unwrap(err); reason != nil {
		err = reason // without the name
	}
	return fmt.Errorf("the hook %s could not be run: %w", name, err)
}

// hookEnv is the environment of a hook: ours, without secrets, and the alarm.
func hookEnv(a Alarm) []string {
	return append(ProgramEnv(), "GEODECK_ALARM="+string(a.Kind), "GEODECK_ALARM_SITE="+a.Site, "GEODECK_ALARM_TEXT="+a.Text)
}
