package main

import (
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestMain makes this test binary the program itself where a script asks for
// geodeck, so that scripts run what is shipped.
func TestMain(m *testing.M) {
	if os.Getenv("TZ") == "" {
		os.Setenv("TZ", "UTC")
	}
	testscript.Main(m, map[string]func(){"geodeck": main})
}
