package journal

import (
	"os"
	"testing"
)

// BetweenDisk calls see before each step that is done to the disk until the test ends:
// "sync", "close" or "rename" of a path. An error of it is that of the step.
func BetweenDisk(t testing.TB, see func(step, path string) error) {
	t.Helper()
	system := disk
	t.Cleanup(func() { disk = system })
	of := func(step string, do func(*os.File) error) func(*os.File) error {
		return func(f *os.File) error {
			if err := see(step, f.Name()); err != nil {
				return err
			}
			return do(f)
		}
	}
	disk.sync, disk.close = of("sync", system.sync), of("close", system.close)
	disk.rename = func(from, to string) error {
		if err := see("rename", to); err != nil {
			return err
		}
		return system.rename(from, to)
	}
}

// AsUser lets the process be another user until the test ends.
func AsUser(t testing.TB, id int) {
	t.Helper()
	system := disk
	t.Cleanup(func() { disk = system })
	disk.user = func() int { return id }
}
