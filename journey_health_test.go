package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"geodeck/adminapi/operation"
	"geodeck/ui"
	"geodeck/ui/uitest"
)

// checksHealth runs a health check to its end.
func (j *journey) checksHealth() *journey {
	j.t.Helper()
	j.sees("1 of 12").presses("r").sees("Name of the report").presses("enter enter")
	j.sees("13 of 13 tests passed").rests("reading reports")
	if j.width >= 100 { // the reports before have been read as well
		j.sees("✓✓✗✓✓✓✓✓✓  healthcheck_index_synced")
	}
	return j
}

func TestJourneyAHealthCheckIsRunAndItsReportRead(t *testing.T) {
	t.Parallel()
	for _, size := range []struct {
		name          string
		width, height int
	}{{"80x24", 80, 24}, {"120x40", 120, 40}, {"200x60", 200, 60}} {
		t.Run(size.name, func(t *testing.T) {
			parallel(t)
			j := setOut(t, "healthy", size.width, size.height)
			uitest.Golden(t, settled(j.checksHealth().ends()))
		})
	}
}

func TestJourneyAFailedReportIsComparedWithAGoodOne(t *testing.T) {
	parallel(t)
	j := setOut(t, "degraded", 120, 40)
	j.sees("Reports").presses("r").sees("Name of the report").presses("enter enter").sees("Health check failed: 1 of 13 tests").rests("reading reports").sees("passed in 8 of the last 9").golden("report")
	j.presses("C").sees("newly failing").golden("comparison")
	if screen := j.ends(); !strings.Contains(screen, "healthcheck_objectStore") {
		t.Errorf("the failing test is not named:\n%s", screen)
	}
}

// exports writes the newest report into the folder.
func (j *journey) exports() *journey {
	j.t.Helper()
	return j.sees("13 of 13 passed").types(":").types("export csv").presses("enter").sees("Written to")
}

func TestJourneyAReportIsExported(t *testing.T) {
	parallel(t)
	j := setOut(t, "healthy", 120, 40)
	j.exports()
	j.ends()
	files, err := filepath.Glob(filepath.Join(j.folder, "*.csv"))
	if err != nil || len(files) != 1 {
		t.Fatalf("files %v, error %v", files, err)
	}
	content, err := os.ReadFile(files[0])
	if err != nil || !strings.Contains(string(content), "healthcheck_ingress") {
		t.Errorf("content %q, error %v", content, err)
	}
}

func TestJourneyHostileTextIsHarmless(t *testing.T) {
	parallel(t)
	j := setOut(t, "hostile", 120, 40)
	j.sees("Reports").presses("enter down down enter ?").sees("Help for Health")
	j.ends()
}

func TestJourneyAReportIsReadWhileTheTerminalChangesItsSize(t *testing.T) {
	parallel(t)
	j := setOut(t, "healthy", 120, 40)
	j.sees("13 of 13 passed").resizes(60, 15).sees("1 of 12").presses("enter").sees("passed")
	j.resizes(40, 10).sees("too small").resizes(200, 60).sees("13 of 13 passed").presses("?").sees("Help for Health")
	j.resizes(80, 24).sees("Help for Health").presses("esc")
	j.ends()
}

func TestJourneyWithoutASiteASavedReportIsRead(t *testing.T) {
	parallel(t)
	name, err := filepath.Abs("ui/cli/testdata/report.json")
	if err != nil {
		t.Fatal(err)
	}
	j := setOut(t, "healthy", 120, 40, func(o *ui.Options) {
		o.Site, o.File = operation.Site{}, name
	})
	j.sees("offline").sees("report.json")
	j.ends()
}
