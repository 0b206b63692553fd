package editor_test

import (
	"os"
	"testing"

	"geodeck/ui/uitest"
)

func TestMain(m *testing.M) {
	uitest.SetUp()
	os.Exit(m.Run())
}
