// Command geodeck is a keyboard-driven dashboard for the administrators of a
// container-hosted geospatial platform. Everything it does is in package cli
// and below.
package main

import (
	"context"
	"os"

	"geodeck/ui/cli"
)

func main() {
	os.Exit(cli.Run(cli.Interruptible(context.Background()), os.Args[1:], cli.System()))
}
