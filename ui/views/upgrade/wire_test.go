package upgrade_test

import (
	"os"
	"path/filepath"
	"testing"

	"geodeck/adminapi/simulator"
)

// licence writes a licence for a version and returns its path.
func licence(t testing.TB, folder, version string) string {
	t.Helper()
	path := filepath.Join(folder, "licence.json")
	if err := os.WriteFile(path, simulator.Licence(version), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
