package main

import (
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"geodeck/adminapi/simulator/simtest"
)

// reviewsAPatch chooses one and acknowledges its findings, up to the review. Each key is one
// that a person presses: from the picker to the start there are 5, and the typed version.
func (j *journey) reviewsAPatch() *journey {
	j.t.Helper()
	j.sees("1 of 12").presses("2").sees("recommended").presses("enter").seesAtRest("2 cautions to accept")
	j.presses("space").sees("1 caution to accept").seesAtRest("If no node fits").presses("space").sees("nothing else is in the way")
	return j.presses("enter").sees("Nothing has been sent yet")
}

// confirms types what confirms the review.
func (j *journey) confirms(version string) *journey {
	return j.presses("enter").types(version).presses("enter")
}

// installsAPatch chooses, reviews and starts one, and watches it to its end.
func (j *journey) installsAPatch() *journey {
	j.t.Helper()
	return j.reviewsAPatch().confirms("11.5.0.6835").sees("upgrade succeeded")
}

var timeLeft = regexp.MustCompile(`(about (\d+) min|[a-z ]+) left \((\d+) of (\d+) deployments`)

// assertTimesLeft fails where a time that was shown as left, after so many deployments, is not
// what the rest of them takes, to a fifth and a minute.
func (j *journey) assertTimesLeft(deployments int, each, after time.Duration) {
	j.t.Helper()
	j.film.Until("the time left", func(shown []byte) bool {
		all := timeLeft.FindAllStringSubmatch(string(shown), -1)
		for _, said := range all {
			minutes, _ := strconv.Atoi(said[2])
			done, _ := strconv.Atoi(said[3])
			left := (time.Duration(deployments-done)*each + after).Minutes()
			if math.Abs(float64(minutes)-left) > left/5+1 || said[4] != strconv.Itoa(deployments) {
				j.t.Errorf("%q, but it is %.1f min", said[0], left)
			}
		}
		return len(all) > deployments/2
	})
}

func TestJourneyAPatchIsChosenReviewedStartedAndWatchedToItsEnd(t *testing.T) {
	parallel(t)
	j := setOut(t, "healthy", 120, 40)
	j.reviewsAPatch().golden("review").confirms("11.5.0.6835").sees("No new failures").golden("done", "done: the upgrade")
	j.assertTimesLeft(20, 49*time.Second, 160*time.Second)
	if screen := j.ends(); !strings.Contains(screen, "11.5.0.6745") || !strings.Contains(screen, "11.5.0.6835") {
		t.Errorf("the versions are missing:\n%s", screen)
	}
}

func TestJourneyTheChecksAreRepeatedWhenAHealthCheckEnds(t *testing.T) {
	parallel(t)
	j := setOut(t, "healthy", 80, 24)
	j.sees("1 of 12").presses("2").sees("recommended").presses("enter").sees("2 cautions to accept")
	j.presses("1 r").sees("Name of the report").presses("enter enter").sees("running").presses("2")
	j.sees("1 caution to accept")
	j.ends()
}

// reviewsARelease chooses the release, and gives it its licence.
func (j *journey) reviewsARelease() *journey {
	j.t.Helper()
	const name = "licence.json"
	if err := os.WriteFile(filepath.Join(j.folder, name), simtest.Licence("12.0.0"), 0o600); err != nil {
		j.t.Fatal(err)
	}
	j.sees("1 of 12").presses("2").sees("recommended").presses("G enter").seesAtRest("2 cautions to accept").golden("preflight")
	j.presses("space").sees("1 caution to accept").seesAtRest("If no node fits").presses("space").sees("nothing else is in the way")
	j.presses("enter").sees("Licence file *").types("lic").presses("tab").sees("licence.json, ").sees("Draft saved").golden("settings")
	return j.presses("enter").sees("Nothing has been sent yet").golden("review")
}

func TestJourneyAReleaseIsStartedWithItsLicence(t *testing.T) {
	parallel(t)
	j := setOut(t, "healthy", 120, 40)
	j.reviewsARelease().confirms("12.0.0.7286").sees("No new failures").golden("done", "done: the upgrade")
	j.ends()
}

func TestJourneyAnUpgradeWhoseAnswerIsLostIsNotSentAgain(t *testing.T) {
	parallel(t)
	j := setOut(t, "answer-lost-not-performed", 120, 40)
	j.reviewsAPatch().confirms("11.5.0.6835").sees("No upgrade was seen to start").golden("lost")
	j.presses("1").sees("upgrade: outcome unknown") // it is not forgotten elsewhere
	j.ends()
}

func TestJourneySomebodyElsesUpgradeIsOfferedToBeWatched(t *testing.T) {
	parallel(t)
	j := setOut(t, "elses-upgrade", 80, 24)
	j.sees("Watch it?").presses("y").sees("upgrade succeeded")
	j.ends()
}

func TestJourneyAFailureIsWatchedAndItsEvidenceWritten(t *testing.T) {
	parallel(t)
	j := setOut(t, "running-release-fails", 120, 40)
	j.sees("Watch it?").presses("y").sees("failed in PostgreSQL").sees("no report yet").golden("failed", "As of")
	j.presses("1").sees("1 of ").resizes(80, 24).presses("W").sees("What now").leaves("reading the site").golden("what now").presses("esc").leaves("What now") // no test failed, but the upgrade did
	j.presses("x").sees("Evidence of the run").presses("enter").sees("geodeck-evidence-12.0.0.7286").presses("enter").sees("Written to")
	j.ends()
	found, err := filepath.Glob(filepath.Join(j.folder, "geodeck-evidence-*.zip"))
	if err != nil || len(found) != 1 {
		t.Errorf("written: %v, %v", found, err)
	}
}

// resumesAWatch sees an upgrade stall, leaves, comes back and watches on.
func (j *journey) resumesAWatch() *journey {
	j.t.Helper()
	j.sees("Watch it?").presses("y").sees("STALLED")
	j.ends()
	return j.opens().sees("was being watched here").presses("y").sees("Resumed")
}

func TestJourneyAWatchThatWasCutOffIsResumed(t *testing.T) {
	parallel(t)
	j := setOut(t, "upgrade-stalls-for-good", 80, 24)
	screen := j.resumesAWatch().ends()
	if n := strings.Count(screen, " 2010 "); n > 1 {
		t.Errorf("the beginning is there %d times:\n%s", n, screen)
	}
}

func TestJourneyASignInThatEndsMidwayHidesNoUpgradeAndTheWatchGoesOn(t *testing.T) {
	parallel(t)
	j := setOut(t, "sign-in-ends-midway", 80, 24)
	admin := j.site.Server.Users()[0]
	j.sees("Watch it?").presses("y").sees("Press R to sign in")
	j.presses("R").sees("user and password")
	j.pause()
	j.presses("enter").sees("Password").presses("enter").types(admin.Password).presses("enter")
	j.sees("upgrade succeeded")
	j.ends()
}
