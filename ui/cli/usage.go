package cli

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"geodeck/adminapi/plain"
	"geodeck/adminapi/spelling"
	"geodeck/ui/cli/command"
	"geodeck/ui/cli/exit"
)

// flagError says in plainer words what the library refuses about a flag, and which one was meant.
func flagError(cmd *cobra.Command, err error) error {
	if given := cmd.Flags().Args(); len(given) > 0 && cmd.HasSubCommands() { // its flags are unknown because it is
		return command.Unknown(cmd, given[0])
	}
	advice := "See: " + cmd.CommandPath() + " --help"
	if unknown, is := errors.AsType[*pflag.NotExistError](err); is {
		advice = cmp.Or(meantFlag(cmd, unknown.GetSpecifiedName()), advice)
	}
	if wrong, is := errors.AsType[*pflag.InvalidValueError](err); is {
		flag := wrong.GetFlag()
		err = fmt.Errorf("--%s takes %s, not %q", flag.Name, cmp.Or(taken[flag.Value.Type()], "another value"), plain.Clip(wrong.GetValue(), 60))
	}
	return exit.BadInput(advice, err)
}

// argumentsError says which argument is one too many, or missing, and how the command is used.
func argumentsError(cmd *cobra.Command) error {
	given := cmd.Flags().Args()
	if len(given) > 0 && cmd.HasSubCommands() {
		return command.Unknown(cmd, given[0])
	}
	err := errors.New("an argument is missing")
	if names := strings.Fields(cmd.Use)[1:]; len(given) < len(names) {
		err = fmt.Errorf("%w: %s", err, strings.TrimSuffix(names[len(given)], "..."))
	}
	for n := len(given) - 1; n >= 0; n-- {
		if cmd.ValidateArgs(given[:n]) == nil {
			err = fmt.Errorf("unexpected argument %q", given[n])
			break
		}
	}
	return exit.BadInput("Usage: "+cmd.UseLine(), err)
}

// meantFlag asks whether a misspelt flag means one of the command; empty where none is near.
func meantFlag(cmd *cobra.Command, name string) string {
	if name == "json" { // as of many other programs
		return spelling.Question("--output json")
	}
	if set := cmd.Flags(); name == "yes" && set.Lookup(command.FlagDryRun) != nil && set.Lookup("confirm") == nil {
		return "Leave it out. Without a terminal nothing is asked."
	}
	var near []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if len(spelling.Near(name, []string{f.Name})) > 0 {
			near = append(near, "--"+f.Name)
		}
	})
	return spelling.Question(near...)
}

// taken says what a flag takes, by its type.
var taken = map[string]string{
	"int": "a whole number", "int64": "a whole number", "uint": "a whole number from 0 on",
	"float64": "a number", "bool": "true or false", "duration": "a time such as 90s or 15m",
}
