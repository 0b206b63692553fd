package upgrade_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/simulator"
	"geodeck/adminapi/upgrade/progress"
	"geodeck/ui/views"
	"geodeck/ui/views/uitest"
)

func TestAPatchIsTakenBackThroughTheSameReview(t *testing.T) {
	site, wire := counted(t, "upgraded")
	s := open(t, site, 120, 35)
	s.Press("]")
	s.Shows("can be taken back")
	for range 10 {
		if strings.Contains(s.Line("› "), "11.5.0.6825") {
			break
		}
		s.Press("down")
	}
	s.Press("b")
	s.Shows("Choose · Review · Run", "takes back 11.5.0.6825", "1 later patch: 11.5.0.6835", "The request: POST system/upgrades/rollback", "rollbackSettings")
	s.Press("esc")
	s.Shows("Installed")
	s.Press("b enter")
	s.Write("11.5.0.6825")
	started(t, s.Press("enter"))
	if n := wire.Sent("POST rollback"); n != 1 {
		t.Errorf("sent %d times", n)
	}
}

func TestAManifestIsImportedFromAFileAfterAQuestion(t *testing.T) {
	site, wire := counted(t, "empty-manifest")
	s := open(t, site, 120, 35)
	s.Shows("Nothing is offered")
	path := filepath.Join(s.env.Folder, "manifest.dat")
	content, err := os.ReadFile(filepath.Join("testdata", "manifest_11.5.0.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	up := uitest.Answer(t, s.Model, s.Press("m"), append(uitest.Text("manifest.dat"), uitest.Key("enter"))...)
	if wire.Sent("POST importManifest") != 0 {
		t.Fatal("it was sent without a question")
	}
	up = uitest.Answer(t, s.Model, up, uitest.Key("y"))
	if text := uitest.Told(t, up); !strings.Contains(text, "The manifest is imported") {
		t.Errorf("told %q", text)
	}
	s.Hides("Nothing is offered")
}

func TestWhatIsNoManifestIsNotSent(t *testing.T) {
	site, wire := counted(t, "empty-manifest")
	s := open(t, site, 120, 35)
	if err := os.WriteFile(filepath.Join(s.env.Folder, "x.dat"), []byte("no JSON"), 0o600); err != nil {
		t.Fatal(err)
	}
	if text := uitest.Told(t, s.Call("upgrade.import", "x.dat")); !strings.Contains(text, "no version manifest") {
		t.Errorf("told %q", text)
	}
	if wire.Sent("POST importManifest") != 0 {
		t.Error("it was sent")
	}
}

func TestASiteThatIsAwayIsAskedAgainByItself(t *testing.T) {
	sc := uitest.Scenario(t, "healthy")
	sc.Faults = []simulator.Fault{{Path: "admin/system/upgrades", What: "html", Status: 502, Times: 9}}
	s := unopened(t, uitest.Env(t, uitest.NewSite(t, sc).Site, uitest.Theme()))
	_, rest := uitest.Run(s.Model, s.Init(), 1)
	s.Shows("does not answer")
	if s.Status().Away == nil {
		t.Error("the frame is not told")
	}
	uitest.Drain(t, s.Model, tea.Batch(rest...))
	s.Shows("11.5.0.6805")
}

func TestASignInIsAskedForAndThenItGoesOn(t *testing.T) {
	site := siteOf(t, "healthy")
	token := site.Client.Token()
	site.Client.SetToken(adminapi.Token{Value: "stale"})
	s := unopened(t, uitest.Env(t, site, uitest.Theme()))
	ask := uitest.Find[views.SignIn](t, uitest.Drain(t, s.Model, s.Init()))
	s.Shows("Not signed in")
	site.Client.SetToken(token)
	uitest.Drain(t, s.Model, ask.Retry)
	s.Shows("11.5.0.6805")

	site.Client.SetToken(adminapi.Token{Value: "stale"})
	ask = uitest.Find[views.SignIn](t, s.Press("u"))
	site.Client.SetToken(token)
	uitest.Drain(t, s.Model, ask.Retry)
	s.Shows("2 warnings to acknowledge")
}

func TestAUserWithoutThePrivilegeIsToldWhichOneItIs(t *testing.T) {
	site := uitest.NewSite(t, uitest.Scenario(t, "healthy"))
	s := open(t, site.As(t, site.Server.Users()[4]), 120, 35)
	s.Shows("privilege")
}

func TestAnUpgradeSentRightBeforeOursIsNotTakenForOurs(t *testing.T) {
	site, wire := counted(t, "elses-upgrade-now")
	s := open(t, site, 120, 35)
	reviewed(t, s)
	up := uitest.Drain(t, s.Model, s.confirmed("11.5.0.6805"))
	for _, msg := range up {
		if _, ok := msg.(views.Navigate); ok {
			t.Error("it was taken for ours")
		}
	}
	s.Shows("upgrade")
	if n := wire.Sent("POST upgrade"); n != 1 {
		t.Errorf("sent %d times", n)
	}
}

func TestTheEndOfAnUpgradeReadsTheOffersAgain(t *testing.T) {
	s := open(t, siteOf(t, "healthy"), 120, 35)
	status := adminapi.UpgradeStatus{State: adminapi.UpgradeInProgress}
	reading := operation.UpgradeReading{Status: status, Meaning: progress.StateRunning, At: s.env.Clock.Now(), Seen: true}
	s.env.Upgrade = views.Watched{On: true, Reading: reading}
	uitest.Drain(t, s.Model, s.Watched(s.env.Upgrade))
	s.Shows("An upgrade is running")
	reading.Meaning, reading.Ended, reading.At = progress.StateSucceeded, true, reading.At.Add(1)
	s.env.Upgrade.Reading = reading
	uitest.Drain(t, s.Model, s.Watched(s.env.Upgrade))
	s.Shows("11.5.0.6805")
}
