package progress_test

import (
	"errors"
	"testing"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/upgrade/progress"
	"geodeck/ui/uitest"
)

// atEachSize runs a story at each size and compares the screen at its end.
func atEachSize(t *testing.T, story func(t *testing.T, width, height int) *screen) {
	t.Helper()
	for _, size := range uitest.Sizes {
		t.Run(size.Name, func(t *testing.T) {
			t.Parallel()
			s := story(t, size.Width, size.Height)
			uitest.Golden(t, s.Draw())
		})
	}
}

func TestScreenRunning(t *testing.T) {
	t.Parallel()
	atEachSize(t, func(t *testing.T, width, height int) *screen {
		s := open(t, runningSite(t), width, height)
		s.next()
		s.pass(7 * time.Second)
		return s
	})
}

func TestScreenAway(t *testing.T) {
	t.Parallel()
	atEachSize(t, func(t *testing.T, width, height int) *screen {
		s := open(t, runningSite(t, away(1, 0)), width, height)
		s.next()
		s.pass(2 * time.Second)
		s.next()
		s.pass(20 * time.Second)
		s.next()
		// The pause after a failure has jitter; its end is at a fixed time here.
		s.env.Upgrade.Next = s.env.Clock.Now().Add(4 * time.Second)
		return s
	})
}

func TestScreenEnded(t *testing.T) {
	t.Parallel()
	atEachSize(t, func(t *testing.T, width, height int) *screen {
		s := open(t, runningSite(t), width, height)
		s.next()
		for s.pass(time.Minute); !s.next().Ended; s.pass(time.Minute) {
		}
		return s
	})
}

// polledOnce is a view of a scenario that was polled once, and is not watched.
func polledOnce(scenario string) func(t *testing.T, width, height int) *screen {
	return func(t *testing.T, width, height int) *screen {
		s := open(t, uitest.NewSite(t, uitest.Scenario(t, scenario)).Site, width, height)
		s.next()
		s.env.Upgrade.On = false
		return s
	}
}

func TestScreenHistory(t *testing.T) {
	t.Parallel()
	atEachSize(t, polledOnce("upgraded"))
}

func TestScreenEmpty(t *testing.T) {
	t.Parallel()
	atEachSize(t, polledOnce("healthy"))
}

func TestScreenStoresOfARelease(t *testing.T) {
	t.Parallel()
	atEachSize(t, func(t *testing.T, width, height int) *screen {
		s := showing(t, width, height, statusWith("in_progress", 1, stores))
		s.Press("enter")
		return s
	})
}

// release is the log of an upgrade to a new release up to its n-th message.
func release(n int) []adminapi.UpgradeMessage {
	start := adminapi.Millis(uitest.Start.Add(-41 * time.Minute).UnixMilli())
	at := func(seconds, code int, text string) adminapi.UpgradeMessage {
		return adminapi.UpgradeMessage{Code: code, When: start + adminapi.Millis(1000*seconds), Message: text}
	}
	all := []adminapi.UpgradeMessage{
		at(0, 2010, "Upgrade from 11.5.0.6835 to 12.0.0.7286 begins."), at(4, 2168, "The upgrader runs."),
		at(12, 2287, "Diagnostics begin."), at(74, 2288, "Diagnostics ended, nothing stands in the way."),
		at(78, 2270, "The plan is ready."), at(80, 2271, "The plan is being carried out."), at(180, 2165, "The site is in read-only mode."),
		at(1850, 2094, "PostgreSQL database gis has been checked."), at(1920, 2108, "PostgreSQL moves from 13 to 15."),
		at(2000, 2087, "The primary database takes no writes."), at(2040, 2144, "The upgrade of PostgreSQL begins on postgres-abc."),
		at(2400, 2151, "postgres-def is the primary now."),
		at(2430, 2145, "PostgreSQL has been upgraded on postgres-abc."), at(2440, 2090, "standby promoted to primary"),
		at(2450, 2109, "PostgreSQL is at 15."), at(2460, 2101, "arcgis-portal moves."), at(2475, 2175, "41 of 41 deployments are upgraded."),
		at(2800, 2103, "arcgis-portal is at 12.0."), at(2900, 2179, "Work after the upgrade."), at(3000, 2191, "Search indices."), at(3200, 2192, "Search indices done."),
		at(3300, 2166, "The site is out of read-only mode."), at(3310, 2011, "Upgrade done in 55 minutes 10 seconds."), at(3311, 2012, "The site is at 12.0.0.7286."),
	}
	return all[:n]
}

// usualRelease is what three earlier runs took.
var usualRelease = progress.UsualTimes{
	Runs: 3, Took: 66 * time.Minute,
	Spent: map[string]time.Duration{
		progress.PhaseLaunch: 12 * time.Second, progress.PhaseDiagnostics: time.Minute, progress.PhasePlan: 20 * time.Minute,
		progress.PhasePostgreSQL: 12 * time.Minute, progress.PhaseComponents: 20 * time.Minute, progress.PhaseContent: 4 * time.Minute,
		progress.PhaseSearch: 8 * time.Minute, progress.PhaseFinish: 40 * time.Second,
	},
	Silence: map[string]time.Duration{progress.PhasePostgreSQL: 6 * time.Minute},
}

func inPostgreSQL() adminapi.UpgradeStatus {
	return adminapi.UpgradeStatus{State: "in_progress", Code: 1, Messages: release(12)}
}

// with shows a status with the usual times of earlier runs.
func with(t *testing.T, width, height int, status adminapi.UpgradeStatus) *screen {
	t.Helper()
	s := showing(t, width, height, adminapi.UpgradeStatus{State: "in_progress", Code: 1, Messages: status.Messages[:1]})
	s.usual = usualRelease
	s.poll(status)
	return s
}

func TestScreenReleaseInPostgreSQL(t *testing.T) {
	t.Parallel()
	atEachSize(t, func(t *testing.T, width, height int) *screen { return with(t, width, height, inPostgreSQL()) })
}

func TestScreenStalled(t *testing.T) {
	t.Parallel()
	atEachSize(t, func(t *testing.T, width, height int) *screen {
		s := with(t, width, height, inPostgreSQL())
		s.stall = &progress.Stall{Phase: progress.PhasePostgreSQL, Quiet: 14 * time.Minute, Limit: 12 * time.Minute, Before: 6 * time.Minute, Usual: true}
		s.transcriptErr = errors.New("the disk is full")
		s.pass(14 * time.Minute)
		s.poll(inPostgreSQL())
		return s
	})
}

func TestScreenSummary(t *testing.T) {
	t.Parallel()
	atEachSize(t, func(t *testing.T, width, height int) *screen {
		s := with(t, width, height, inPostgreSQL())
		s.pass(20 * time.Minute)
		s.poll(adminapi.UpgradeStatus{State: "success", Code: 3, Messages: release(24)})
		return s
	})
}

func TestScreenFailed(t *testing.T) {
	t.Parallel()
	atEachSize(t, func(t *testing.T, width, height int) *screen {
		s := with(t, width, height, inPostgreSQL())
		s.poll(adminapi.UpgradeStatus{State: "failed", Code: 2, Messages: append(release(12),
			adminapi.UpgradeMessage{Code: 2999, When: release(12)[11].When + 60_000, Message: "postgres-abc: no space is left on the volume"})})
		return s
	})
}

func TestScreenUnknownState(t *testing.T) {
	t.Parallel()
	atEachSize(t, func(t *testing.T, width, height int) *screen {
		return with(t, width, height, adminapi.UpgradeStatus{State: "awaiting_input", Code: 9, Messages: release(9)})
	})
}

func TestScreenHostileText(t *testing.T) {
	t.Parallel()
	atEachSize(t, func(t *testing.T, width, height int) *screen {
		var nasty []adminapi.UpgradeMessage
		for i, text := range []string{
			"\x1b[2J\x1b[31mred\x1b]52;c;cm0gLXJm\x07 and gone", "two\nlines\r\nand\ttabs", "\u202egnirts\u202c turned", "日本語のメッセージ 一二三", "\x9b31m", "", "a\xff\xfe\xfdb",
		} {
			nasty = append(nasty, adminapi.UpgradeMessage{Code: 2101 + 7000*(i%2), When: began + adminapi.Millis(1000*i), Message: text})
		}
		return showing(t, width, height, statusWith("in_progress\x1b[5m\u202e", 1, nasty...))
	})
}

func TestScreenFilterAndSearch(t *testing.T) {
	t.Parallel()
	atEachSize(t, func(t *testing.T, width, height int) *screen {
		s := with(t, width, height, adminapi.UpgradeStatus{State: "in_progress", Code: 1, Messages: release(17)})
		s.filter("phase:post")
		s.search("postgresql")
		s.Press("enter rows.next space")
		return s
	})
}

func TestScreenRecord(t *testing.T) {
	t.Parallel()
	atEachSize(t, func(t *testing.T, width, height int) *screen {
		s := recorded(t, width, height)
		s.openRecord()
		return s
	})
}
