package ui_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/parallel"
	"geodeck/theme"
	"geodeck/ui"
	"geodeck/ui/uitest/terminal"
	"geodeck/ui/views"
)

const sceneVariable = "GEODECK_TEST_SCENE"

// play is the program that the tests below start in a terminal of its own.
func play(scene string) int {
	if scene != "hang" {
		ui.SetEndGrace(time.Hour) // each ends by itself
	}
	var err error
	switch scene {
	case "dashboard":
		err = ui.Run(context.Background(), ui.Options{Theme: theme.New(theme.Options{})}, os.Stdin, os.Stdout)
	case "asks", "asks briefly", "light":
		err = playAsks(scene)
	case "start":
		err = playStart()
	case "watch":
		err = playWatch()
	case "hang":
		err = ui.RunModel(context.Background(), &fuse{burn: func() { fmt.Print("burning"); select {} }}, os.Stdin, os.Stdout)
	case "wall", "flood":
		err = ui.RunModel(context.Background(), &wall{floods: scene == "flood"}, os.Stdin, os.Stdout)
	case "stuck":
		ui.SetEndGrace(50 * time.Millisecond)
		err = ui.RunModel(context.Background(), &wall{}, os.Stdin, os.Stdout)
	case "deadline":
		ctx, cancel := context.WithCancel(context.Background())
		err = ui.RunModel(ctx, &fuse{burn: cancel}, os.Stdin, os.Stdout)
	default:
		err = ui.RunModel(context.Background(), &fuse{where: scene}, os.Stdin, os.Stdout)
	}
	var failed *ui.PanicError
	var signalled *ui.SignalError
	switch {
	case errors.As(err, &signalled):
		if len(signalled.Stacks) > 0 { // else the terminal may take nothing
			fmt.Printf("%v, stacks %t", err, strings.Contains(string(signalled.Stacks), "goroutine "))
		}
		return 128 + int(signalled.Signal)
	case errors.As(err, &failed):
		fmt.Printf("failed in %s: %v, stack %t", failed.Where, failed.Value, len(failed.Stack) > 0)
		return 70
	case errors.Is(err, ui.ErrInterrupted):
		return 130
	case err != nil:
		fmt.Println(err)
		return 1
	}
	return 0
}

// fuse is a program that breaks where it is told to, at the key x.
type fuse struct {
	where string
	burn  func()
	lit   bool
}

func (f *fuse) Init() tea.Cmd { return nil }

func (f *fuse) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	key, ok := msg.(tea.KeyMsg)
	if !ok || key.String() != "x" {
		return f, nil
	}
	burst := func() tea.Msg { panic("the fuse") }
	switch f.where {
	case "update":
		panic("the fuse")
	case "view":
		f.lit = true
	case "command":
		return f, burst
	case "batch":
		return f, tea.Batch(tea.Batch(burst, burst), burst)
	case "editor":
		return f, views.Outside(exec.Command("sh", "-c", "test -t 0 && test -t 1 && test -t 2 && echo editing; kill -TSTP 0; echo edited"), nil)
	case "parallel":
		return f, func() tea.Msg {
			var parts parallel.Group
			parts.Go(func() { burst() })
			parts.Wait()
			return nil
		}
	case "sequence":
		return f, tea.Sequence(func() tea.Msg { return nil }, burst)
	}
	if f.burn != nil {
		f.burn()
	}
	return f, nil
}

func (f *fuse) View() string {
	if f.lit {
		panic("the fuse")
	}
	return "ready"
}

// questions are sequences that a terminal would have to answer: colours, cursor
// position, attributes, modes, keyboard.
var questions = regexp.MustCompile("\x1b\\][0-9;]*\\?|\x1b\\[[0-9;>=?]*[cn]|\x1b\\[\\?u|\x1b\\[\\??[0-9]+\\$p|\x1bP[+$]q")

func TestTheTerminalIsAskedNothingAndKeepsItsMouse(t *testing.T) {
	t.Parallel()
	x := open(t, "dashboard")
	x.Shows("offline")
	x.Press("?")
	x.Shows("Help for")
	x.Press("\x1b")
	x.Shows("There is no site")
	x.Press("q")
	if code := x.End(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	x.Restored()
	if asked := questions.FindString(x.Sent()); asked != "" {
		t.Errorf("the terminal was asked %q", asked)
	}
	if mouse := regexp.MustCompile(`\x1b\[\?(9|100[0-6]|101[56])h`).FindString(x.Sent()); mouse != "" {
		t.Errorf("the mouse was taken from the terminal with %q", mouse)
	}
}

// asked is written where a site or a disk is asked for something, as the title of a terminal.
const asked = "\x1b]0;asked\a"

type silentSite struct{}

func (silentSite) RoundTrip(r *http.Request) (*http.Response, error) {
	fmt.Print(asked)
	<-r.Context().Done()
	return nil, r.Context().Err()
}

// playStart opens the dashboard where neither the site nor the disk ever answers.
func playStart() error {
	client, err := adminapi.New(adminapi.Config{Base: "https://gis.example.org/context/admin", Token: adminapi.Token{Value: "token"}, Transport: silentSite{}})
	if err != nil {
		return err
	}
	return ui.Run(context.Background(), ui.Options{
		Site: operation.Site{Client: client, Clock: adminapi.SystemClock{}}, Theme: theme.New(theme.Options{}),
		Remember: func() (operation.Memory, string, error) {
			fmt.Print(asked)
			select {}
		},
	}, os.Stdin, os.Stdout)
}

func TestTheFirstScreenStandsBeforeAnythingIsAsked(t *testing.T) {
	t.Parallel()
	x := open(t, "start")
	x.Shows("[Health]  Upgrades   Services", "Reading the reports", "q quit")
	sent := x.Sends(asked, 0)
	first, _, _ := strings.Cut(sent, asked)
	for _, text := range []string{"Upgrades", "Reading the reports", "quit", "\x1b[?2026l"} {
		if !strings.Contains(first, text) {
			t.Errorf("something was asked before %q stood: %q", text, first)
		}
	}
	x.Press("\x03")
	if code := x.End(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

func TestSignalsEndTheDashboardCleanly(t *testing.T) {
	t.Parallel()
	for signal, want := range map[syscall.Signal]int{
		syscall.SIGTERM: 143, syscall.SIGHUP: 129, syscall.SIGINT: 130, syscall.SIGQUIT: 131, syscall.SIGABRT: 134,
	} {
		t.Run(signal.String(), func(t *testing.T) {
			t.Parallel()
			x := open(t, "dashboard")
			x.Shows("offline")
			x.Signal(signal)
			if code := x.End(); code != want {
				t.Errorf("exit code %d instead of %d", code, want)
			}
			x.Restored()
		})
	}
}

func TestSignalsEndADashboardThatHangs(t *testing.T) {
	t.Parallel()
	for signal, want := range map[syscall.Signal]int{syscall.SIGTERM: 143, syscall.SIGINT: 130, syscall.SIGQUIT: 131, syscall.SIGABRT: 134} {
		t.Run(signal.String(), func(t *testing.T) {
			t.Parallel()
			x := open(t, "hang")
			x.Shows("ready")
			x.Press("x")
			x.Shows("burning")
			x.Signal(signal)
			if code := x.End(); code != want {
				t.Errorf("exit code %d instead of %d", code, want)
			}
			x.Restored()
			if out := x.Sent(); strings.Contains(out, "goroutine ") {
				t.Errorf("stacks were printed on the screen: %q", out)
			}
		})
	}
}

func TestLostConnectionEndsTheDashboard(t *testing.T) {
	t.Parallel()
	x := open(t, "dashboard")
	x.Shows("offline")
	x.HangUp()
	if code := x.End(); code != 129 {
		t.Errorf("exit code %d", code)
	}
}

func TestInterruptKeyEndsTheDashboard(t *testing.T) {
	t.Parallel()
	x := open(t, "dashboard")
	x.Shows("offline")
	x.Press("\x03")
	if code := x.End(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	x.Restored()
}

func TestAPanicInUpdateViewOrCommandRestoresTheTerminalAndIsReported(t *testing.T) {
	t.Parallel()
	where := map[string]string{"update": "a message", "view": "drawing", "command": "a command", "batch": "a command", "sequence": "a command", "parallel": "a command"}
	for scene, want := range where {
		t.Run(scene, func(t *testing.T) {
			t.Parallel()
			x := open(t, scene)
			x.Shows("ready")
			x.Press("x")
			if code := x.End(); code != 70 {
				t.Errorf("exit code %d", code)
			}
			x.Restored()
			out := x.Sends("failed in "+want+": the fuse, stack true", 0)
			if strings.Contains(out, "goroutine ") {
				t.Errorf("a stack was printed on the screen: %q", out)
			}
		})
	}
}

func TestEndOfTheContextEndsTheDashboard(t *testing.T) {
	t.Parallel()
	x := open(t, "deadline")
	x.Shows("ready")
	x.Press("x")
	if code := x.End(); code != 0 {
		t.Errorf("exit code %d: %s", code, x.Sent())
	}
	x.Restored()
}

func TestResizeIsFollowed(t *testing.T) {
	t.Parallel()
	x := open(t, "dashboard")
	x.Shows("offline")
	x.Resize(40, 10)
	x.Shows("too small, needs 60x15")
}

// A window that is dragged sends sizes faster than frames are drawn.
func TestAResizeStormEndsWithAWholeScreen(t *testing.T) {
	t.Parallel()
	x, fresh := open(t, "dashboard"), open(t, "dashboard")
	x.Shows("There is no site", "quit")
	for i := range 200 {
		x.Resize(20+i*7%180, 5+i*3%55)
	}
	x.Resize(80, 24)
	x.Shows("There is no site", "quit")
	fresh.Shows("There is no site", "quit")
	x.Same(fresh.Display)
	x.Press("q")
	if code := x.End(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	x.Restored()
}

func TestATerminalWithoutASizeIsToldSo(t *testing.T) {
	t.Parallel()
	x := open(t, "dashboard")
	x.Shows("offline")
	x.Resize(0, 0)
	x.Shows("the terminal does not report its size")
	x.Press("\x03")
	if code := x.End(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

func TestAScreenThatAnotherProgramWroteOnIsDrawnAnewByAKey(t *testing.T) {
	t.Parallel()
	for name, at := range map[string]struct{ keys, shows string }{
		"a view":    {"", "There is no site"},
		"a prompt":  {"o", "Open a saved report"},
		"the help":  {"?", "Help for"},
		"a command": {":", "view before"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x, fresh := open(t, "dashboard"), open(t, "dashboard")
			for _, y := range []*terminal.Terminal{x, fresh} {
				y.Shows("There is no site", "quit")
				if at.keys != "" {
					y.Press(at.keys)
				}
				y.Shows(at.shows)
			}
			x.Overwrite("\x1b[2;2H\x1b[7mBroadcast message: the system goes down\x1b[m\x1b[9;3H\x1b[Kfor maintenance")
			x.Press("\x0c")
			x.Same(fresh.Display)
		})
	}
}

func TestATerminalOfOneCellThatGrowsShowsTheDashboard(t *testing.T) {
	t.Parallel()
	cmd := exec.Command(os.Args[0])
	cmd.Env = sceneEnv("dashboard")
	x := terminal.Open(t, cmd, 1, 1)
	x.Sends("\x1b[?2026l", 0)
	x.Resize(80, 24)
	x.Shows("There is no site", "quit")
	fresh := open(t, "dashboard")
	fresh.Shows("There is no site", "quit")
	x.Same(fresh.Display)
	x.Resize(1, 1)
	x.Press("\x03")
	if code := x.End(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	x.Restored()
}

func TestDashboardNeedsATerminal(t *testing.T) {
	t.Parallel()
	file, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if err := ui.Run(context.Background(), ui.Options{}, os.Stdin, file); !errors.Is(err, ui.ErrNoTerminal) {
		t.Errorf("error %v", err)
	}
}

// playWatch runs the dashboard on a site that tells once that an upgrade runs, and
// then leaves whoever asks waiting.
func playWatch() error {
	var asked atomic.Int32
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case !strings.HasSuffix(r.URL.Path, "/system/upgrades"):
			_, _ = w.Write([]byte(`{"fullVersion":"11.5.0.6745","currentVersion":"11.5"}`))
		case asked.Add(1) == 1:
			_, _ = w.Write([]byte(status("in_progress", "1", postgres)))
		default:
			<-r.Context().Done()
		}
	}))
	client, err := adminapi.New(adminapi.Config{Base: site.URL + "/ctx/admin", Clock: adminapi.SystemClock{}, Token: adminapi.Token{Value: "t"}})
	if err != nil {
		return err
	}
	return ui.Run(context.Background(), ui.Options{
		Site: operation.Site{Client: client, Clock: adminapi.SystemClock{}}, Theme: theme.New(theme.Options{}),
	}, os.Stdin, os.Stdout)
}

func TestAHangUpEndsAWatchThatWaitsForTheSiteAtOnce(t *testing.T) {
	t.Parallel()
	x := open(t, "watch")
	x.Shows("Watch it?")
	x.Press("y")
	x.Shows("upgrade STALLED in PostgreSQL") // its messages are of long ago
	x.Signal(syscall.SIGHUP)
	if code := x.End(); code != 129 {
		t.Errorf("exit code %d", code)
	}
	x.Restored()
}
