package cli

import (
	"errors"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"geodeck/ui/cli/command"
	"geodeck/ui/cli/exit"
	"geodeck/ui/cli/output"
)

func versionCommand(out *output.Output) *cobra.Command {
	sbom := false
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version of this program, and what it was built from",
		Example: `  geodeck version
  geodeck version --sbom > geodeck.cdx.json`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if sbom {
				return printSBOM(out)
			}
			return printVersion(out)
		},
	}
	cmd.Flags().BoolVar(&sbom, "sbom", false, "print the modules in this program instead, as JSON of CycloneDX 1.6")
	return cmd
}

func printVersion(out *output.Output) error {
	b := command.ThisBuild()
	if out.JSON() {
		return out.PrintValue(b)
	}
	words := []string{"geodeck", b.Version}
	if b.Revision != "" {
		words = append(words, b.Revision[:min(8, len(b.Revision))], b.Date)
		if b.Modified {
			words = append(words, "changed")
		}
	}
	return out.PrintLine(strings.Join(append(words, b.Go, b.Platform), " "))
}

func printSBOM(out *output.Output) error {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return exit.BadInput("Build it with go build, which writes them into it.", errors.New("this program does not know its modules"))
	}
	raw, err := command.SBOM(command.ThisBuild().Version, info)
	if err != nil {
		return err
	}
	return out.PrintEditable(raw)
}
