package progress_test

import (
	"testing"

	"geodeck/adminapi/upgrade/progress"
)

func TestAStartThatIsToldTwiceGoesOnOnce(t *testing.T) {
	t.Parallel()
	begins := told{10, 2101, "web-proxy-1"}
	p := progress.Of(logOf(told{0, 2010, ""}, begins, begins, told{20, 2103, "web-proxy-1"}), progress.StateRunning)
	if len(p.Open) != 0 {
		t.Errorf("open %v, though it was completed", openCodes(p))
	}
	p = progress.Of(logOf(told{0, 2010, ""}, begins, told{10, 2101, "web-proxy-2"}, told{20, 2103, "web-proxy-1"}), progress.StateRunning)
	if len(p.Open) != 1 || p.Open[0].Text != "web-proxy-2" {
		t.Errorf("open %v, want the other deployment", openCodes(p))
	}
}

func TestThePatchOfAModuleDoesNotTakeTheCountOfTheReleaseBack(t *testing.T) {
	t.Parallel()
	p := progress.Of(logOf(told{0, 2010, ""}, told{10, 2175, "63 / 63"}, told{20, 2291, ""}, told{30, 2173, "1 / 5"}), progress.StateRunning)
	if p.Done != 63 || p.Total != 63 {
		t.Errorf("%d of %d", p.Done, p.Total)
	}
	p = progress.Of(logOf(told{0, 2010, ""}, told{30, 2173, "1 / 5"}), progress.StateRunning)
	if p.Done != 1 || p.Total != 5 {
		t.Errorf("%d of %d", p.Done, p.Total)
	}
}
