package command

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// outlasting are the commands that wait, or write something on this machine, whatever their flags say.
var outlasting = []string{
	"job wait", "upgrade watch", "upgrade evidence", "pull", "man", "login", "logout", "token", "site add", "site edit", "site remove", "site use",
}

// OutlivesReader reports whether a command goes on to its end where nobody reads its output any
// more: what changes something or waits does. What only prints has nothing to go on for.
func OutlivesReader(cmd *cobra.Command) bool {
	is := func(flag, value string) bool {
		f := cmd.Flags().Lookup(flag)
		return f != nil && f.Value.String() == value
	}
	_, path, _ := strings.Cut(cmd.CommandPath(), " ")
	return slices.Contains(outlasting, path) || is(FlagDryRun, "false") || is("wait", "true")
}
