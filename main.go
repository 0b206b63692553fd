// Command geodeck is a keyboard-driven dashboard for the administrators of a
// container-hosted geospatial platform. Everything it does is in package cli
// and below.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"geodeck/ui/cli"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	os.Exit(cli.Run(ctx, os.Args[1:], cli.System()))
}
