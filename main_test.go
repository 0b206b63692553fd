package main

import (
	"context"
	"flag"
	"os"
	"strconv"
	"testing"

	_ "github.com/charmbracelet/x/exp/teatest" // takes -update, as the packages with golden screens do
	"github.com/rogpeppe/go-internal/testscript"

	"geodeck/adminapi/simulator"
	"geodeck/ui/cli"
)

// TestMain makes this test binary the program itself where a script asks for
// geodeck, so that scripts run what is shipped.
func TestMain(m *testing.M) {
	if os.Getenv("TZ") == "" {
		os.Setenv("TZ", "UTC")
	}
	os.Setenv("GORACE", atOnce)
	// Nearly all of these tests wait for something rather than compute.
	if err := flag.Set("test.parallel", "12"); err != nil {
		panic(err)
	}
	testscript.Main(m, map[string]func(){"geodeck": geodeck})
}

// clockSpeed names the variable that says how fast the clock of a script's geodeck runs,
// which paces what it waits for. Without it the program is the one that is shipped.
const clockSpeed = "CLOCK_SPEED"

func geodeck() {
	speed, err := strconv.ParseFloat(os.Getenv(clockSpeed), 64)
	if err != nil {
		main()
		return
	}
	process := cli.System()
	process.Clock = simulator.NewScaledClock(speed)
	os.Exit(cli.Run(cli.Interruptible(context.Background()), os.Args[1:], process))
}

// atOnce spares each process of the program the second that the race detector
// waits at its end for goroutines to be caught.
const atOnce = "atexit_sleep_ms=0"
