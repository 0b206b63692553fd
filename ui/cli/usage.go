package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// misused says in our words what the library refuses in a command line, and what the
// command takes.
func misused(cmd *cobra.Command, err error) error {
	if !wrongNumber(cmd, err) {
		return badInput("See: "+cmd.CommandPath()+" --help", err)
	}
	return badInput("Usage: "+cmd.UseLine(), oneOff(cmd))
}

// wrongNumber tells whether an error is about how many arguments there are. The library
// takes the first of a command without any for the name of another command.
func wrongNumber(cmd *cobra.Command, err error) bool {
	return strings.Contains(err.Error(), "arg(s)") || !cmd.HasSubCommands() && strings.HasPrefix(err.Error(), "unknown command")
}

// oneOff names the first argument that is one too many, else says that one is missing.
func oneOff(cmd *cobra.Command) error {
	given := cmd.Flags().Args()
	for n := len(given) - 1; n >= 0; n-- {
		if cmd.ValidateArgs(given[:n]) == nil {
			return fmt.Errorf("unexpected argument %q", given[n])
		}
	}
	return errors.New("an argument is missing")
}
