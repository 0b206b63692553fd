package service_test

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"geodeck/adminapi/simulator"
	"geodeck/adminapi/simulator/simtest"
	"geodeck/ui/uitest/clitest"
	"geodeck/ui/uitest/terminal"
)

// outsider is a site with an editor that saves a change by rename, as many do, and stays open.
type outsider struct {
	t         *testing.T
	env       []string // of the programs
	temporary string   // their TMPDIR
}

func newOutsider(t *testing.T) *outsider {
	t.Helper()
	server := clitest.NewSite(t, simulator.Options{Clock: simulator.NewScaledClock(3600)})
	hold := filepath.Join(t.TempDir(), "hold")
	if err := syscall.Mkfifo(hold, 0o600); err != nil {
		t.Fatal(err)
	}
	script := simtest.Script(t, "editor", `grep maxIdleTime "$1"; cp "$1" "$1~"; sed 's/"maxIdleTime": 1800/"maxIdleTime": 900/' "$1~" >"$1.new"; mv "$1.new" "$1"
echo "the editor has saved"; exec cat '`+hold+`'`)
	o := &outsider{t: t, temporary: t.TempDir()}
	o.env = []string{"GEODECK_URL=" + server.URL(), "GEODECK_TOKEN=" + clitest.TokenOf(t, server, 0), "VISUAL=", "EDITOR=" + script,
		"XDG_STATE_HOME=" + t.TempDir(), "TMPDIR=" + o.temporary}
	return o
}

// dashboard opens the dashboard, which tells something, and then the sample service.
func (o *outsider) dashboard(tells ...string) *terminal.Terminal {
	o.t.Helper()
	x := clitest.OpenTerminal(o.t, 120, o.env)
	if len(tells) > 0 {
		x.Shows(append(tells, "Unfinished work")...)
		for tries := 0; strings.Contains(x.Screen(), "Unfinished work"); tries++ { // a list that opens by itself takes no key at once
			if tries == 60 {
				o.t.Fatalf("it stays open:\n%s", x.Screen())
			}
			x.Press("\r")
			<-time.After(time.Second)
		}
		return x
	}
	x.Shows("? help", "admin")
	x.Press("3")
	x.Shows("SampleWorldCities")
	x.Press("/world\r")
	x.Shows("/world", "1 of ")
	x.Press("\r")
	x.Shows("SampleWorldCities.MapServer")
	return x
}

// edits opens the editor, which saves.
func (o *outsider) edits(x *terminal.Terminal) (text string) {
	o.t.Helper()
	x.Shows("serviceName")
	x.Press("E")
	return x.Shows("the editor has saved")
}

// leaves fails where a file is left outside the state folder.
func (o *outsider) leaves() {
	o.t.Helper()
	if left, err := filepath.Glob(filepath.Join(o.temporary, "*")); err != nil || len(left) > 0 {
		o.t.Errorf("in the temporary folder are %v, %v", left, err)
	}
}

// texts are the files that editors have, or had, open.
func (o *outsider) texts() (paths []string) {
	o.t.Helper()
	state := strings.TrimPrefix(o.env[4], "XDG_STATE_HOME=")
	err := filepath.WalkDir(state, func(path string, entry os.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && strings.Contains(entry.Name(), "MapServer.json") {
			paths = append(paths, path)
		}
		return err
	})
	if err != nil {
		o.t.Fatal(err)
	}
	return paths
}

func TestWhatAnEditorHasSavedOutlastsTheDashboardHoweverItEnds(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*terminal.Terminal){
		"hang-up": (*terminal.Terminal).HangUp,
		"SIGHUP":  func(x *terminal.Terminal) { x.Signal(syscall.SIGHUP) },
		"SIGTERM": func(x *terminal.Terminal) { x.Signal(syscall.SIGTERM) },
		"SIGKILL": func(x *terminal.Terminal) { x.Signal(syscall.SIGKILL) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := newOutsider(t)
			x := o.dashboard()
			o.edits(x)
			end(x)
			x.End()
			x = o.dashboard("Saved in your editor: definition of SampleWorldCities.MapServer")
			x.Shows("Text that your editor saved", "is in no draft yet")
			x.Press("v")
			x.Shows("1800 → 900")
			x.Press("\x1b")
			x.Shows("is in no draft yet")
			x.Press("\r")
			x.Shows("changed, draft saved")
			if left := o.texts(); len(left) > 0 {
				t.Errorf("beside the draft are %v", left)
			}
			x.Signal(syscall.SIGTERM)
			x.End()
			o.leaves()
		})
	}
}

func TestWhatAnEditorHasSavedOutlastsTheCommandHoweverItEnds(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*terminal.Terminal){
		"hang-up": (*terminal.Terminal).HangUp,
		"SIGKILL": func(x *terminal.Terminal) { x.Signal(syscall.SIGKILL) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := newOutsider(t)
			x := clitest.OpenTerminal(t, 120, o.env, "service", "edit", clitest.Cities)
			x.Shows("the editor has saved")
			end(x)
			x.End()
			again := clitest.Start(t, append(o.env, "EDITOR=true"), "service", "edit", clitest.Cities)
			asked, err := io.ReadAll(again.Err)
			if text := string(asked); err != nil || !strings.Contains(text, "your editor saved a text of "+clitest.Cities+" at ") || !strings.Contains(text, "--continue") {
				t.Errorf("it says %q, %v", text, err)
			}
			again.WantCode(4)
			more := clitest.Start(t, append(o.env, "EDITOR=true"), "service", "edit", clitest.Cities, "--continue", "--dry-run")
			said, err := io.ReadAll(more.Out)
			if err != nil || !strings.Contains(string(said), "+ 900") {
				t.Errorf("what goes on is %s, %v", said, err)
			}
			more.WantCode(0)
			if left := o.texts(); len(left) > 0 {
				t.Errorf("beside the draft are %v", left)
			}
			o.leaves()
		})
	}
}

// Who edits the same at the same time has a file of their own, and sees nothing of the other.
func TestTheTextOfAnEditorThatIsOpenIsNotOffered(t *testing.T) {
	t.Parallel()
	o := newOutsider(t)
	first := o.dashboard()
	o.edits(first)
	if text := o.edits(o.dashboard()); !strings.Contains(text, `"maxIdleTime": 1800`) {
		t.Errorf("the second editor was given\n%s", text)
	}
	if texts := o.texts(); len(texts) != 4 { // each with what its editor keeps beside it
		t.Errorf("the texts are %v", texts)
	}
}

// Where no draft can be saved, what the editor has saved is where the message says.
func TestATextThatNoDraftTakesStaysWhereItIs(t *testing.T) {
	t.Parallel()
	o := newOutsider(t)
	script := simtest.Script(t, "editor", `sed -i 's/"maxIdleTime": 1800/"maxIdleTime": 900/' "$1"
folder=$(dirname "$1"); mkdir -p "${folder%-*}.json/taken"`) // in the place of the draft
	x := clitest.Start(t, append(o.env, "EDITOR="+script), "service", "edit", clitest.Cities)
	said, err := io.ReadAll(x.Err)
	if err != nil {
		t.Fatal(err)
	}
	_, path, found := strings.Cut(string(said), "your text stays in ")
	if !found {
		t.Fatalf("%s", said)
	}
	kept, err := os.ReadFile(strings.TrimSpace(path))
	if err != nil || !strings.Contains(string(kept), `"maxIdleTime": 900`) {
		t.Errorf("it has %s, %v", kept, err)
	}
	x.WantCode(1)
}
