package command

import (
	"strings"

	"geodeck/adminapi"
	"geodeck/adminapi/plain"
	"geodeck/ui/cli/output"
)

// DryRunUsage is the help for --dry-run.
const DryRunUsage = "print what would be done and the request, and send nothing"

// PrintRequest prints what a dry run would have sent, for people.
func PrintRequest(out *output.Output, r adminapi.Request) error {
	if err := out.PrintLine("\nrequest: " + plain.Line(r.Method+" "+r.Path)); err != nil {
		return err
	}
	for _, field := range r.Fields {
		value := strings.ReplaceAll(string(plain.SafeJSON([]byte(field.Value))), "\n", "\n  ")
		if err := out.PrintLine("\n" + field.Name + "\n  " + value); err != nil {
			return err
		}
	}
	return out.PrintLine("\ndry run: nothing was sent")
}
