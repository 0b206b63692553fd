// Limits of a container are not read, neither at the start nor once a second: a dashboard
// that rests needs no processor.
//go:debug containermaxprocs=0
//go:debug updatemaxprocs=0

// Command geodeck is a keyboard-driven dashboard for the administrators of a
// container-hosted geospatial platform. Everything it does is in package cli
// and below.
package main

import (
	"context"
	"io"
	"log"
	"os"

	"geodeck/ui/cli"
)

func main() {
	log.SetOutput(io.Discard) // net/http would write there, over the screen, what a site says unasked
	cli.NoDumps()
	os.Exit(cli.Run(cli.Interruptible(context.Background()), os.Args[1:], cli.System()))
}
