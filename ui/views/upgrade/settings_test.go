package upgrade_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi/journal"
	"geodeck/ui/uitest"
)

func TestTheDemoShowsALicence(t *testing.T) {
	t.Parallel()
	for version, scenario := range map[string]string{"12.0.0": "healthy", "10.9.1": "oldest"} {
		s := show(t, scenario)
		s.env.Demo = true
		s.toSettings(true)
		s.Shows(`Path to a local .json file; the demo takes one with {"version": "` + version + `"}.`)
	}
}

func TestASecretSettingIsShownNowhereAndKeptInNoDraft(t *testing.T) {
	t.Parallel()
	site := offering(t, 1, `{"seqNum":1,"id":"storePassword","name":"Store password","type":"String","value":"","required":true}`,
		`{"seqNum":2,"id":"volumesConfig","name":"Volumes","type":"volumesConfig","value":{"a":1},"required":true,"newfield":"kept"}`)
	memory, err := journal.Open(t.TempDir(), "https://gis.example.org/ctx")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = memory.Close() })
	site.Memory.Journal = memory
	s := open(t, site, 120, 35)
	s.toSettings(false)
	s.Type(`"hunter2-0815"`)
	s.Hides("hunter2")
	uitest.Drain(t, s.Model, s.Update(uitest.Key("ctrl+s")))
	s.Hides("hunter2")
	s.Shows("Nothing has been sent yet.")
	s.Press("upgrade.request rows.bottom")
	s.Shows(`"newfield": "kept"`)
	s.Press("upgrade.save-request")
	found := 0
	for _, folder := range []string{memory.Folder(), s.env.Folder} {
		_ = filepath.WalkDir(folder, func(path string, entry os.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			found++
			if content, _ := os.ReadFile(path); strings.Contains(string(content), "hunter2") {
				t.Errorf("%s holds the secret", path)
			}
			return nil
		})
	}
	if found == 0 {
		t.Error("nothing was kept at all")
	}
}

func TestJSONThatIsNoneAndMissingAnswersKeepFromTheReview(t *testing.T) {
	t.Parallel()
	s := open(t, offering(t, 1, `{"seqNum":1,"id":"volumesConfig","name":"Volumes","type":"volumesConfig","value":"","required":true}`), 120, 35)
	s.toSettings(false)
	s.Press("ctrl+s")
	s.Shows("✗", "Storage of persistent volumes *")
	s.Hides("Nothing has been sent")
	s.Type(`{"a":`)
	s.Press("ctrl+s")
	s.Hides("Nothing has been sent")
	s.Type(`1}`)
	s.Press("ctrl+s")
	s.Shows("Nothing has been sent yet.")
}

func TestWhatIsMissingIsSaidUntilAnotherFieldIsEntered(t *testing.T) {
	t.Parallel()
	s := show(t, "healthy")
	s.toSettings(true)
	const missing = "✗ A licence file is required."
	s.Press("enter")
	s.Shows(missing)
	s.Press("shift+tab")
	s.Hides("✗")
	s.Press("enter enter")
	s.Shows(missing)
}

func TestThirtySettingsStandOnPagesThatAreTurned(t *testing.T) {
	t.Parallel()
	s := open(t, offering(t, 1, settings(30)...), 120, 35)
	s.toSettings(false)
	s.Shows("page 1 of 6", "setting 0")
	s.Press("pgdown pgdown")
	s.Shows("page 3 of 6", "setting 10")
	s.Press("pgup")
	s.Shows("page 2 of 6")
}

func TestPastedTextAnswersNoQuestion(t *testing.T) {
	t.Parallel()
	s := show(t, "oldest")
	s.toSettings(true)
	s.Press("enter")
	if !s.Hooks().Takes().Question {
		t.Fatal("the question does not have the keys")
	}
	before := s.Draw()
	burst := tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("jjk/")}
	for _, key := range []tea.KeyMsg{uitest.Paste("jjj"), burst} {
		notices(t, uitest.Press(t, s.Model, key), "Pasted text answers no question")
	}
	if s.Draw() != before {
		t.Errorf("it was changed:\n%s", s.Draw())
	}
}

func TestALicenceThatCannotBeUsedIsFoundHereFirst(t *testing.T) {
	t.Parallel()
	for what, say := range map[string]string{"folder": "is a folder", "text": "JSON", "missing": "there is no file", "large": "MiB"} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			s := show(t, "healthy")
			path := filepath.Join(s.env.Folder, "licence.json")
			switch what {
			case "folder":
				_ = os.Mkdir(path, 0o700)
			case "text":
				_ = os.WriteFile(path, []byte("SECRET-0815 is no JSON"), 0o600)
			case "large":
				_ = os.WriteFile(path, nil, 0o600)
				_ = os.Truncate(path, 200<<20)
			}
			s.toSettings(true)
			s.Type("licence.json")
			s.Press("ctrl+s")
			s.Hides("Request", "SECRET")
			// Once: above the page, not in the line of the file as well.
			if v := strings.ToLower(s.Draw()); !strings.Contains(v, strings.ToLower(say)) || strings.Count(v, strings.ToLower(s.env.Theme.Glyphs.Fail)) != 1 {
				t.Errorf("it does not say %q once:\n%s", say, v)
			}
		})
	}
}

func TestAPathIsCompletedAndItsErrorGoesWithItsCorrection(t *testing.T) {
	t.Parallel()
	s := show(t, "healthy")
	s.licence("12.0.0")
	s.file("licence-old.json", nil)
	s.file("licence.txt", nil)
	s.toSettings(true)
	s.Type("lic")
	s.Press("tab")
	s.Shows("> licence ", "licence-old.json", "licence.json") // the text is no licence
	s.Hides("There is no file", "licence.txt")
	s.Press("tab tab")
	s.Shows("> licence.json ", "✓ Licence file: licence.json")
	s.Press("up tab")
	s.Shows("> licence-old.json ")
	s.Press("ctrl+u")
	s.Type("lic")
	s.Press("tab")
	s.Type("x")
	s.Press("ctrl+s")
	s.Shows("There is no file")
	s.Press("backspace")
	s.Type(".")
	s.Press("tab")
	s.Hides("✗")
	s.Shows("> licence.json", "✓ Licence file: licence.json")
	s.Press("enter") // it is the last field
	s.Shows("Nothing has been sent yet.")
}

func TestTheLatestPatchIsAChoiceThatCanBeSeen(t *testing.T) {
	t.Parallel()
	s := show(t, "healthy")
	path := s.licence("12.0.0")
	s.toSettings(true)
	s.Shows("Install the latest patch too *")
	s.Type(path)
	s.Press("shift+tab space ctrl+s")
	s.Shows("Latest patch   Not installed, nor the 5 skipped updates.")
}

// The form and the review say the same of a licence.
func TestALicenceThatDoesNotFitIsNoTickInTheForm(t *testing.T) {
	t.Parallel()
	for content, want := range map[string]string{
		`{"version":"11.5"}`:                        "The licence is for 11.5, not for 12.0.0.7286.",
		`{"version":"12.0","expires":"2026-01-01"}`: "The licence expired on 2026-01-01.",
	} {
		s := show(t, "healthy")
		path := s.file("given.json", []byte(content))
		s.toSettings(true)
		s.Type(path)
		s.Shows("✗ given.json: " + want)
		s.Press("ctrl+s")
		s.Shows("✗ Licence: " + want)
	}
}

// What the site has refused is accepted anew, and the review says that a request was sent.
func TestWhatTheSiteHasRefusedIsAcceptedAnew(t *testing.T) {
	t.Parallel()
	s := recorded(t, "healthy")
	path := s.licence("11.5.0")
	s.toSettings(true)
	s.Type(path)
	s.Press("ctrl+s")
	s.accept(s.Press("space"))
	s.confirm("12.0.0")
	s.Shows("The site refused it:", "✗ licence.json: The licence is for 11.5.0, not for 12.0.0.7286.")
	s.sent("POST upgrade", 1)
	s.Press("ctrl+s")
	s.Shows("1 danger to accept (space, then type licence)", "; the site refused it; nothing changed.")
	s.Hides("Nothing has been sent yet.")
}

// A file is checked while one types: what is found is said of its field, also once another one is typed into.
func TestTheErrorOfAFileNamesItsFieldBelowAnother(t *testing.T) {
	t.Parallel()
	s := open(t, uitest.NewSite(t, uitest.Scenario(t, "healthy")).Site, 60, 11)
	s.toSettings(true)
	s.Type("nowhere.json")
	s.Shows("✗ There is no file")
	s.Press("upgrade.previous-field")
	s.Shows("Install the latest patch too", "✗ Licence file: There is no file")
}

// On a low screen what is typed is in sight, also below a problem; the hint stands at the bottom.
func TestTheInputIsInSightOnALowScreen(t *testing.T) {
	t.Parallel()
	s := open(t, uitest.NewSite(t, uitest.Scenario(t, "healthy")).Site, 60, 11)
	s.toSettings(true)
	s.Type("nowhere.json")
	s.Shows("Licence file *", "nowhere.json", "Path to a local .json file")
	s.Press("ctrl+s")
	s.Shows("✗", "Licence file *", "> nowhere.json")
	s.Resize(120, 36)
	s.Shows("Licence file *", "> nowhere.json", "Path to a local .json file")
	s.Resize(60, 11) // also where it was made on a higher one
	s.Shows("Licence file *", "> nowhere.json")
	s.Press("ctrl+u enter") // an error takes lines, too
	s.Shows("A licence file is required.", "Licence file *", ">")
}

// What is typed while a folder is completed stays in its order, also where an enter follows at once.
func TestTextTypedWhileAPathIsCompletedIsNotLost(t *testing.T) {
	t.Parallel()
	s := show(t, "healthy")
	s.file("licence-old.json", nil)
	path := s.licence("12.0.0")
	s.toSettings(true)
	s.Type("lic")
	found, rest := uitest.Run(s.Model, s.Update(uitest.Key("tab")), 1)
	if len(found) > 0 {
		t.Fatal(found)
	}
	keys := []tea.KeyMsg{uitest.Key("ctrl+u")}
	for _, letter := range path {
		keys = append(keys, tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune{letter}})
	}
	for _, key := range append(keys, uitest.Key("enter")) {
		rest = append(rest, s.Update(key))
	}
	for _, cmd := range rest {
		uitest.Drain(t, s.Model, cmd)
	}
	s.Rest()
	s.Shows("Nothing has been sent yet", "licence.json (")
}

// On a low screen the form shows no part of a field whose label is out of sight, and says what ctrl+t has changed.
func TestALowFormShowsWholeFieldsAndSaysHowManyThereAre(t *testing.T) {
	t.Parallel()
	s := open(t, uitest.NewSite(t, uitest.Scenario(t, "healthy")).Site, 60, 9)
	s.toSettings(true)
	s.Shows("Licence file *")
	s.Hides("yes")
	s.Press("ctrl+s")
	s.Shows("A licence file is required.", "Licence file *")
	if text := s.Model.View(); strings.Contains(text, "yes") != strings.Contains(text, "Install the latest patch too") {
		t.Errorf("an answer is shown without its question:\n%s", text)
	}
	s.Tells(s.Press("upgrade.hidden"), "1 more field below.")
	s.Tells(s.Press("upgrade.hidden"), "The rarely needed fields are hidden.")
}
