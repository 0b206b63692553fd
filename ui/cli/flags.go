package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Names of the environment. A flag goes before the environment.
const (
	envURL     = "GEODECK_URL"
	envToken   = "GEODECK_TOKEN"
	envNoColor = "NO_COLOR"
)

// The forms of output.
const (
	outputTable = "table"
	outputJSON  = "json"
	outputJSONL = "jsonl"
)

var (
	outputs = []string{outputTable, outputJSON, outputJSONL}
	themes  = []string{"auto", "dark", "light"}
)

// flags are the flags that every command takes.
type flags struct {
	url, tokenFile, stateDir  string
	ca, clientCert, clientKey string
	insecure, readOnly        bool

	output                string
	plain, noColor, ascii bool
	theme                 string
	timeout               time.Duration
}

func (f *flags) register(set *pflag.FlagSet) {
	set.StringVar(&f.url, "url", "", "administrative root of the site, https://HOST/CONTEXT/admin (or "+envURL+")")
	set.StringVar(&f.tokenFile, "token-file", "", "file that holds the token (or the token itself in "+envToken+")")
	set.String("token", "", "refused: a token on the command line can be seen by others")
	set.StringVar(&f.ca, "ca", "", "file of certificate authorities to trust beside the system's (PEM)")
	set.StringVar(&f.clientCert, "client-cert", "", "file of the client certificate (PEM)")
	set.StringVar(&f.clientKey, "client-key", "", "file of the client certificate's key (PEM)")
	set.BoolVar(&f.insecure, "insecure", false, "accept http beyond this machine: token and password travel unprotected")
	set.BoolVar(&f.readOnly, "read-only", false, "send nothing that changes the site")
	set.StringVar(&f.stateDir, "state-dir", "", "folder for what is remembered of sites (default geodeck in XDG_STATE_HOME or ~/.local/state)")
	set.StringVarP(&f.output, "output", "o", outputTable, "output: table, json or jsonl")
	set.BoolVar(&f.plain, "plain", false, "words only: no colours, no glyphs")
	set.BoolVar(&f.noColor, "no-color", false, "no colours (or "+envNoColor+")")
	set.BoolVar(&f.ascii, "ascii", false, "draw with ASCII characters only")
	set.StringVar(&f.theme, "theme", "auto", "background of the terminal: auto, dark or light")
	set.DurationVar(&f.timeout, "timeout", 0, "longest time for the whole command, such as 90s or 15m")
	_ = set.MarkHidden("token")
}

// completeFlags offers the values of flags that have a fixed choice.
func completeFlags(cmd *cobra.Command) {
	complete(cmd, "output", outputs)
	complete(cmd, "theme", themes)
	for _, name := range []string{"url", "timeout"} {
		complete(cmd, name, nil)
	}
}

func complete(cmd *cobra.Command, flag string, values []string) {
	err := cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
	if err != nil {
		panic(err) // the flag does not exist: a mistake in this package
	}
}

// errTokenFlag says why a token is not taken from the command line.
var errTokenFlag = errors.New("a token on the command line stands in the list of processes and in the shell's history; " +
	"it was not used, and is better replaced")

func (f *flags) check() error {
	if f.timeout < 0 {
		return badInput("", errors.New("--timeout takes a positive time, such as 90s"))
	}
	if err := oneOf("--output", f.output, outputs); err != nil {
		return err
	}
	return oneOf("--theme", f.theme, themes)
}

// oneOf refuses a value that is not among the choices.
func oneOf(flag, value string, choices []string) error {
	if slices.Contains(choices, value) {
		return nil
	}
	return badInput("", fmt.Errorf("%s takes %s, not %q", flag, strings.Join(choices, ", "), value))
}

// outputIn finds the form of output in a command line that could not be read to
// its end, so that its error has the form that was asked for.
func outputIn(args []string, known string) string {
	for i, arg := range args {
		value, found := strings.CutPrefix(arg, "--output=")
		if !found {
			value, found = strings.CutPrefix(arg, "-o")
			value = strings.TrimPrefix(value, "=")
		}
		if (arg == "-o" || arg == "--output") && i+1 < len(args) {
			value, found = args[i+1], true
		}
		if found && slices.Contains(outputs, value) {
			return value
		}
	}
	return known
}
