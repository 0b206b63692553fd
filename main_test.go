package main

import (
	"os"
	"testing"

	_ "github.com/charmbracelet/x/exp/teatest" // takes -update, as the packages with golden screens do
	"github.com/rogpeppe/go-internal/testscript"
)

// TestMain makes this test binary the program itself where a script asks for
// geodeck, so that scripts run what is shipped.
func TestMain(m *testing.M) {
	if os.Getenv("TZ") == "" {
		os.Setenv("TZ", "UTC")
	}
	os.Setenv("GORACE", atOnce)
	testscript.Main(m, map[string]func(){"geodeck": main})
}

// atOnce spares each process of the program the second that the race detector
// waits at its end for goroutines to be caught.
const atOnce = "atexit_sleep_ms=0"
