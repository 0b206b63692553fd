package upgrade_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/charmbracelet/x/ansi"

	"geodeck/ui/uitest"
	"geodeck/ui/views"
)

func TestPastedTextStartsNothing(t *testing.T) {
	t.Parallel()
	s := recorded(t, "healthy")
	s.patchReview()
	s.Press("enter")
	uitest.Press(t, s.Model, uitest.Paste("11.5.0.6805\n"), uitest.Key("enter"))
	s.Shows("Request")
	s.Type("11.5.0")
	s.Press("enter")
	s.Shows("The version does not match.")
	s.Type("x") // what is begun goes on
	s.Shows(": 11.5.0x")
	s.Press("enter")
	s.Type("35") // what is wrong begins anew
	s.Shows(": 35")
	s.Press("enter backspace")
	s.Type("4") // what is mended goes on
	s.Shows(": 34")
	s.sent("POST upgrade", 0)
}

func TestKeysThatCameTogetherAcknowledgeNothing(t *testing.T) {
	t.Parallel()
	s := show(t, "healthy")
	s.patchReview()
	if !s.Hooks().Takes().Question {
		t.Fatal("the review does not get keys that come together in one go")
	}
	before := s.Draw()
	for _, together := range []string{"  ", "y\r", "\r\r", "sw"} {
		told := uitest.Press(t, s.Model, uitest.Key(together))
		for _, msg := range told {
			if notice, ok := msg.(views.Notice); !ok || !strings.Contains(notice.Text, "one by one") {
				t.Errorf("%q led to %v", together, msg)
			}
		}
		if s.Draw() != before {
			t.Fatalf("%q acted:\n%s", together, s.Draw())
		}
	}
}

// A7: digits are of the version once its field has been entered. A slow line may bring both at once.
func TestAVersionIsTypedOnceItsFieldIsEntered(t *testing.T) {
	t.Parallel()
	s := show(t, "healthy")
	s.patchReview()
	s.Tells(uitest.Drain(t, s.Model, s.Update(uitest.Key("11.5"))), "Press enter first, then type the version.")
	s.Hides("To start, type")
	for _, key := range []string{"enter", "w"} {
		s.Press(key)
		s.Type("11.5")
		s.Shows("To start, type", ": 11.5")
		s.Press("esc")
		s.Hides("To start, type")
	}
	uitest.Drain(t, s.Model, s.Update(uitest.Key("\r11.5.0.6805\r")))
	s.Shows(": 11.5.0.6805", "Press enter again.")
}

func TestAVersionOfWhichAPartWasPastedIsShownWholeAndStartsNothing(t *testing.T) {
	t.Parallel()
	s := recorded(t, "healthy")
	s.patchReview()
	s.Press("enter")
	for _, key := range []tea.KeyMsg{uitest.Key("1"), uitest.Paste("1.5."), uitest.Key("0"), uitest.Paste(".6805")} {
		uitest.Drain(t, s.Model, s.Update(key))
	}
	const why = "Pasted text confirms nothing."
	s.Shows(": 11.5.0.6805", why+" Press ctrl+u, then type it.")
	s.Press("enter")
	s.Shows(why + " Type it instead.")
	s.Hides(": 11.5")
	s.Press("enter")
	s.Shows("Type the version first.")
	s.sent("POST upgrade", 0)
	s.Press("ctrl+u")
	s.Hides(why)
	s.Type("11.5.0.6805")
	started(t, s.Press("enter"))
	s.sent("POST upgrade", 1)
}

// A check that fails while the version is typed is acknowledged, or mended, before anything is sent.
func TestAVersionThatIsTypedConfirmsNothingOnceACheckIsInTheWay(t *testing.T) {
	t.Parallel()
	for scenario, changes := range map[string]func(s *screen){
		"healthy":  func(s *screen) { s.goesReadOnly(); uitest.Drain(t, s.Model, s.Update(views.Shown)) },
		"degraded": func(s *screen) { s.Update(views.HealthEnded) }, // and the checks are not repeated yet
	} {
		s := recorded(t, scenario)
		s.patchReview()
		s.Press("enter")
		s.Type("11.5.0.6805")
		s.Shows("To start, type")
		changes(s)
		s.Press("enter")
		s.sent("POST upgrade", 0)
		s.Shows("1 caution to accept (space)")
	}
}

// A check that is repeated while the version is typed is waited for: what it finds may be in the way.
func TestAVersionIsSentOnlyAfterTheChecksThatAreRepeated(t *testing.T) {
	t.Parallel()
	s := recorded(t, "healthy")
	s.patchReview()
	s.Press("enter")
	s.Type("11.5.0.6805")
	s.goesReadOnly()
	checks := s.Update(views.Shown)
	s.Tells(s.Press("enter"), "The checks are still running.")
	s.Shows(": 11.5.0.6805")
	uitest.Drain(t, s.Model, checks)
	s.sent("POST upgrade", 0)
	s.Shows("1 caution to accept (space)", "Read-only mode: On")
	s.goesWritable()
	uitest.Drain(t, s.Model, s.Update(views.Shown))
	started(t, s.confirm("11.5.0.6805"))
}

// The dashboard may lie open for hours, and a colleague runs a health check, or switches read-only mode on:
// what that finds stops the start as it stops the command.
func TestWhatIsNewSinceTheReviewStopsTheStart(t *testing.T) {
	t.Parallel()
	for finds, c := range map[string]struct {
		scenario string
		happens  func(s *screen)
		shows    []string
	}{
		"Checked again before sending: 1 danger is new. Health is no longer what you accepted. Nothing was sent.": {"degraded", func(s *screen) { s.healthElsewhere() }, []string{"1 danger to accept", "✗ Health: danger"}},
		"Checked again before sending: 1 caution is new. Nothing was sent.":                                       {"healthy", func(s *screen) { s.goesReadOnly() }, []string{"1 caution to accept", "! Read-only mode: caution"}},
	} {
		s := recorded(t, c.scenario)
		s.patchReview()
		c.happens(s)
		s.Tells(s.confirm("11.5.0.6805"), finds)
		s.Shows(append(c.shows, "[Pre-flight]")...)
		s.sent("POST upgrade", 0)
		s.clear()
		s.confirm("11.5.0.6805") // a site in read-only mode refuses it
		s.sent("POST upgrade", 1)
	}
}

// A report that failed is accepted as it is: another one that fails is asked about anew, whatever its numbers.
func TestAnotherReportThatFailedIsNotAcceptedWithTheOneBefore(t *testing.T) {
	t.Parallel()
	s := recorded(t, "degraded")
	s.healthElsewhere()
	s.patchReview()
	s.healthElsewhere()
	s.Tells(s.confirm("11.5.0.6805"), "Checked again before sending: 1 danger is new. Health is no longer what you accepted. Nothing was sent.")
	s.Shows("✗ Health: danger, no longer what you accepted", "1 danger to accept")
	s.sent("POST upgrade", 0)
	s.clear()
	s.Hides("no longer what you accepted")
	s.confirm("11.5.0.6805")
	s.sent("POST upgrade", 1)
}

// What a new check has taken back says so in its own row, in the review and in the pre-flight, where the cursor
// is on it.
func TestAnAcceptanceThatFellSaysSoInItsRow(t *testing.T) {
	t.Parallel()
	s := recorded(t, "degraded")
	s.healthElsewhere()
	s.patchReview()
	s.healthElsewhere()
	s.Hides("no longer what you accepted")
	s.Press("upgrade.check-again")
	s.Shows("[ ] Health: no longer what you accepted. The last report failed")
	s.Press("upgrade.back")
	for !strings.Contains(s.View(), "[Pre-flight]") {
		s.Press("upgrade.back")
	}
	s.Shows("✗ Health: danger, no longer what you accepted")
}

func TestWhatIsNewSinceTheReviewStopsARollback(t *testing.T) {
	t.Parallel()
	s := recorded(t, "upgraded")
	s.Press("upgrade.next-list down upgrade.rollback")
	s.clear()
	s.goesReadOnly()
	s.Tells(s.confirm("11.5.0.6825"), "Checked again before sending: 1 caution is new. Nothing was sent.")
	s.Shows("[Pre-flight]", "! Read-only mode: caution")
	s.sent("POST rollback", 0)
}

func TestTheRequestIsSavedAndCopiedWithoutSecrets(t *testing.T) {
	t.Parallel()
	s := show(t, "healthy")
	s.releaseReview()
	notices(t, s.Press("upgrade.save-request"), "upgrade-12.0.0.7286-request.txt")
	path := filepath.Join(s.env.Folder, "upgrade-12.0.0.7286-request.txt")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	info, _ := os.Stat(path)
	if info.Mode().Perm() != 0o600 {
		t.Errorf("others may read it: %v", info.Mode())
	}
	sent := uitest.Find[views.Copy](t, s.Press("upgrade.copy-request"))
	if sent.What != "request" { // sent to the terminal's clipboard
		t.Errorf("what is copied is called %q", sent.What)
	}
	copied := sent.Text
	content, _ := os.ReadFile(filepath.Join(s.env.Folder, "licence.json"))
	for _, out := range []string{string(text), copied} {
		for _, want := range []string{"Site: " + s.env.Site.Client.Base().Redacted(), "Version: 11.5.0.6745\n", " UTC by admin of the site, ", "Upgrade to 12.0.0.7286, as reviewed\n", "[x] "} {
			if !strings.Contains(out, want) {
				t.Errorf("it lacks %q:\n%s", want, out)
			}
		}
		if strings.Contains(out, "(v)") || strings.Contains(out, "(space)") {
			t.Errorf("it names keys:\n%s", out)
		}
		if !strings.Contains(out, "userInputs") || strings.Contains(out, s.env.Site.Client.Session.Token().Value.Reveal()) || strings.Contains(out, string(content)) {
			t.Errorf("the request reads\n%s", out)
		}
	}
}

func TestASiteIsRolledBackThroughTheSameChecksAndReview(t *testing.T) {
	t.Parallel()
	s := recorded(t, "upgraded")
	s.Press("upgrade.next-list")
	s.Shows("› 11.5.0.6835", "A rollback to 11.5.0.6825 removes it.") // the newest
	s.Hides("can be rolled back ·", "(b)")
	if told := uitest.Find[views.Notice](t, s.Press("upgrade.rollback")); !strings.Contains(told.Text, "A rollback to 11.5.0.6825 removes it.") {
		t.Errorf("%+v", told)
	}
	s.Press("down down")
	s.Shows("✓ Rollback (b). Back to 11.5.0.6820; removes 2 ", "  patches: 11.5.0.6835, 11.5.0.6825.")
	s.Press("upgrade.rollback")
	s.goesReadOnly()
	s.Press("upgrade.check-again")
	s.Shows("Choose · [Pre-flight] · Review · Run", "4 cautions to accept", "[ ] ! caution   Read-only mode")
	s.Hides("Licence")
	s.Press("rows.top")
	s.Shows("The site decides whether it takes a start.")
	s.goesWritable()
	s.Press("upgrade.check-again")
	s.Shows("caution   Upgrade path", "Removes 2 patches: 11.5.0.6835, 11.5.0.6825.", "This rollback", "Containers of what is removed", "WEB_PROXY")
	s.clear()
	if path := s.Status().Path; !slices.Equal(path, []string{"rollback review", "11.5.0.6835 → 11.5.0.6820"}) {
		t.Errorf("%q", path)
	}
	s.Shows("✓ Pre-flight · [Review] · Run", "back to 11.5.0.6820", "From           11.5.0.6835", "Back to        11.5.0.6820 (11.5 security update of feature services)", "Removes        2 patches: 11.5.0.6835, 11.5.0.6825", "Install the 2 patches again.", "Request  POST /geodeck/admin/system/upgrades/rollback", "rollbackSettings", "pat_07102025_6820")
	s.Press("esc esc")
	s.Shows("Installed")
	s.Press("upgrade.rollback enter enter") // what was acknowledged still is
	s.Type("11.5.0.6835")
	s.Resize(80, 20)
	s.Shows("To roll back, type 11.5.0.6820: 11.5.0.6835")
	s.Press("enter")
	s.Shows("Type the version that the site will have, 11.5.0.6820.")
	s.Press("ctrl+u")
	s.Type("11.5.0.6820")
	started(t, s.Press("enter"))
	s.sent("POST rollback", 1)
}

func TestARollbackThatIsNotSureIsDisabledWithItsReason(t *testing.T) {
	t.Parallel()
	scenario := uitest.Scenario(t, "upgraded")
	scenario.Upgrades.Rollback = "removes"
	s := recordedOf(t, scenario)
	s.Press("upgrade.next-list")
	s.Shows("› 11.5.0.6835", "✓ Rollback (b). Back to 11.5.0.6825; removes ", " 11.5.0.6835.")
	s.Press("down")
	s.Shows("! Rollback unclear. The list also holds the newest", "  patch. This leads to 11.5.0.6825, or removes ", "  11.5.0.6825 and leads to 11.5.0.6820.")
	s.Hides("(b)")
	if told := uitest.Find[views.Notice](t, s.Press("upgrade.rollback")); told.Level != views.Warning || !strings.Contains(told.Text, "or removes 11.5.0.6825 and leads to 11.5.0.6820.") {
		t.Errorf("%+v", told)
	}
	s.Hides("[Pre-flight]")
	s.Press("up upgrade.rollback")
	s.Shows("[Pre-flight]")
	s.clear()
	s.Press("enter")
	s.Shows("To roll back, type 11.5.0.6825:")
	s.sent("POST rollback", 0)
}

// The settings of this patch were passed by: the way back leads past them, too.
func TestTheWayBackFromAReviewPassesSettingsThatWereNotShown(t *testing.T) {
	t.Parallel()
	s := show(t, "healthy")
	s.patchReview()
	s.Press("esc")
	s.Shows("[Pre-flight]")
	s.Press("enter")
	s.Shows("[Review]")
	s.Press("upgrade.manifest")
	s.Shows("[Settings]", "to send a version manifest along")
}

func TestReadOnlyTimeIsThatOfTheLastRunInTheLog(t *testing.T) {
	t.Parallel()
	s := show(t, "upgraded")
	s.choose(true)
	s.Shows("Read-only      While it runs. The last patch: ")
}

// At 60x15 the review begins with what is dangerous, and says what is to be typed.
func TestASmallReviewBeginsWithItsDangers(t *testing.T) {
	t.Parallel()
	s := open(t, siteOf(t, "no-backup"), 60, 10)
	s.toSettings(false)
	s.Shows("! Backup: The site reports no completed backup.", "Findings       3 accepted: ", "From           11.5.0.6745", "Press enter, then type 11.5.0.6805 to confirm.")

	s = openIn(t, uitest.Env(t, siteOf(t, "healthy"), uitest.Theme()), 60, 10)
	path := s.licence("11.5.0")
	s.toSettings(true)
	s.Type(path)
	s.Press("ctrl+s")
	s.Shows("✗ Licence: The licence is for 11.5.0", "[ ] Licence: The licence is for 11.5.0", "1 danger to accept (space, then type licence)")
}

// The findings stand below the list: W says of the one under the cursor what to do, and leads there.
func TestWhatNowExplainsAFindingOfThePreflightAndOfTheReview(t *testing.T) {
	t.Parallel()
	s := show(t, "no-backup")
	s.choose(true)
	explains := func(row string, want ...string) {
		t.Helper()
		panel := uitest.Find[views.Open](t, s.Press(row)).Dialog
		panel.SetSize(80, 19)
		for _, text := range want {
			if shown := ansi.Strip(panel.View()); !strings.Contains(shown, text) {
				t.Errorf("%s does not say %q:\n%s", row, text, shown)
			}
		}
	}
	explains("upgrade.explain-check", "Backup: danger", "The site reports no completed backup.", "Make a backup first.", "its word is backup.")
	s.Press("down")
	explains("upgrade.explain-check", "Health: caution", "› Run a health check now. Press r.", "Or accept it in the pre-flight.")
	s.Press("rows.bottom")
	explains("upgrade.explain-check", "Clocks: ok", "Nothing needs to be done.")

	s = show(t, "no-backup")
	s.patchReview()
	explains("upgrade.explain-refusal", "caution", "You have accepted it.")
}

// After a refusal R checks again where the user is.
func TestTheReviewChecksAgain(t *testing.T) {
	t.Parallel()
	s := recorded(t, "readonly")
	s.patchReview()
	s.confirm("11.5.0.6805")
	s.Shows("The site refused it:")
	before := s.wire.Sent("GET mode")
	s.pass(time.Minute)
	s.Press("upgrade.check-again")
	s.Shows("[Review]", "checked "+s.env.Times.Clock(s.env.Clock.Now()), "The site refused it:")
	if s.wire.Sent("GET mode") == before {
		t.Error("nothing was read")
	}
}
