// Command sbom prints the bill of materials of a geodeck that was built for another platform, which
// cannot print its own: sbom VERSION FILE.
package main

import (
	"debug/buildinfo"
	"fmt"
	"os"

	"github.com/go-json-experiment/json/jsontext"

	"geodeck/ui/cli/command"
)

func main() {
	info, err := buildinfo.ReadFile(os.Args[2])
	if err == nil {
		var bill jsontext.Value
		if bill, err = command.SBOM(os.Args[1], info); err == nil {
			if err = bill.Indent(jsontext.WithIndent("  ")); err == nil {
				fmt.Println(bill)
			}
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "sbom:", err)
		os.Exit(1)
	}
}
