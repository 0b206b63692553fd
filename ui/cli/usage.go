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

// usageError says in plainer words what the library refuses in a command line, and what was
// meant, or how the command is used.
func usageError(cmd *cobra.Command, err error) error {
	see := "See: " + cmd.CommandPath() + " --help"
	if given := command.First(cmd.Flags().Args()); given != "" && cmd.HasSubCommands() { // its flags are unknown because it is
		return command.Unknown(cmd, given)
	}
	if is, told := flagError(cmd, err); told != nil {
		return exit.BadInput(cmp.Or(is, see), told)
	}
	given := cmd.Flags().Args()
	if n := len(given) - 1; n >= 0 && len(cmd.ValidArgs) > 0 {
		return exit.BadInput("Use "+strings.Join(cmd.ValidArgs, ", ")+".", fmt.Errorf("unknown argument %q", plain.Clip(given[n], 60)))
	}
	for n := len(given) - 1; n >= 0; n-- {
		if cmd.ValidateArgs(given[:n]) == nil {
			return exit.BadInput("Usage: "+cmd.UseLine(), fmt.Errorf("unexpected argument %q", given[n]))
		}
	}
	err = errors.New("an argument is missing")
	if names := strings.Fields(cmd.Use)[1:]; len(given) < len(names) {
		err = fmt.Errorf("an argument is missing: %s", strings.TrimSuffix(names[len(given)], "..."))
	}
	return exit.BadInput("Usage: "+cmd.UseLine(), err)
}

// flagError says what is wrong with a flag, and which one was likely meant; nil where it is about none.
func flagError(cmd *cobra.Command, err error) (meant string, told error) {
	unknown, isUnknown := errors.AsType[*pflag.NotExistError](err)
	empty, isEmpty := errors.AsType[*pflag.ValueRequiredError](err)
	wrong, isWrong := errors.AsType[*pflag.InvalidValueError](err)
	_, isBroken := errors.AsType[*pflag.InvalidSyntaxError](err)
	switch {
	case isUnknown && unknown.GetSpecifiedShortnames() != "":
		return "", errors.New("unknown flag: -" + plain.Clip(unknown.GetSpecifiedName(), 60))
	case isUnknown:
		name := unknown.GetSpecifiedName()
		return meantFlag(cmd, name), errors.New("unknown flag: --" + plain.Clip(name, 60))
	case isEmpty:
		return "", fmt.Errorf("--%s needs a value", empty.GetFlag().Name)
	case isWrong:
		flag := wrong.GetFlag()
		return "", fmt.Errorf("--%s takes %s, not %q", flag.Name, cmp.Or(taken[flag.Value.Type()], "another value"), plain.Clip(wrong.GetValue(), 60))
	case isBroken:
		return "", err
	}
	return "", nil
}

// meantFlag asks whether a misspelt flag means one of the command; empty where none is near.
func meantFlag(cmd *cobra.Command, name string) string {
	if name == "json" { // as of many other programs
		return "Did you mean --output json?"
	}
	if set := cmd.Flags(); name == "yes" && set.Lookup(command.FlagDryRun) != nil && set.Lookup("confirm") == nil {
		return "Leave it out. Without a terminal nothing is asked."
	}
	var near []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { near = append(near, f.Name) })
	near = spelling.Near(name, near)
	if len(near) == 0 || len(near) > 3 {
		return ""
	}
	return "Did you mean --" + strings.Join(near, " or --") + "?"
}

// taken says what a flag takes, by its type.
var taken = map[string]string{
	"int": "a whole number", "int64": "a whole number", "float64": "a number", "bool": "true or false", "duration": "a time such as 90s or 15m",
}
