package upgrade_test

import "testing"

func TestScreenPicker(t *testing.T) {
	atEachSize(t, "healthy", func(t *testing.T, s *screen) { s.golden() })
}

func TestScreenPickerDetail(t *testing.T) {
	atEachSize(t, "healthy", func(t *testing.T, s *screen) {
		s.press("G enter")
		s.golden()
	})
}

func TestScreenPickerRequiredFirst(t *testing.T) {
	atEachSize(t, "required-patch-first", func(t *testing.T, s *screen) {
		s.press("G")
		s.golden()
	})
}

func TestScreenPickerWhileAnUpgradeRuns(t *testing.T) {
	atEachSize(t, "elses-upgrade", func(t *testing.T, s *screen) { s.golden() })
}

func TestScreenPickerEmpty(t *testing.T) {
	atEachSize(t, "empty-manifest", func(t *testing.T, s *screen) { s.golden() })
}
