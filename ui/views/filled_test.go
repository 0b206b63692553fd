package views_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A large terminal is at least half filled, where there is something to tell.
func TestScreensOfALargeTerminalAreFilled(t *testing.T) {
	t.Parallel()
	little := []string{ // these have nothing more to tell
		"TestScreenEmpty",            // no upgrade so far
		"TestScreenStoresOfARelease", // one part of a screen
		"TestScreenComparison",       // of two reports that hardly differ
		"TestScreenOfTwoDeployments", // few rules
		"TestScreenRecord",           // of what a few minutes brought
		"TestScreenOneRecord",
		"TestScreenJobs",
	}
	var screens []string
	for _, pattern := range []string{"*/testdata/*/200x60.golden", "*/testdata/*/*/200x60.golden", "*/*/testdata/*/200x60.golden"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		screens = append(screens, found...)
	}
	if len(screens) < 20 {
		t.Fatalf("only %d screens were found", len(screens))
	}
	for _, path := range screens {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(string(data), "\n")
		empty := len(slices.DeleteFunc(slices.Clone(lines), func(line string) bool { return strings.Trim(line, " │") != "" }))
		if 2*empty > len(lines) && !slices.Contains(little, filepath.Base(filepath.Dir(path))) {
			t.Errorf("%s: %d of %d lines are empty", path, empty, len(lines))
		}
	}
}
