package ui_test

import (
	"bytes"
	"io"
	"os"
	"testing"
	"testing/synctest"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/secrets"
	"geodeck/adminapi/simulator"
	"geodeck/adminapi/simulator/simtest"
	"geodeck/theme"
	"geodeck/ui"
	"geodeck/ui/keyboard"
	"geodeck/ui/uitest"
	"geodeck/ui/views/activity"
	"geodeck/ui/views/health"
	"geodeck/ui/views/progress"
	"geodeck/ui/views/services"
	"geodeck/ui/views/upgrade"
)

// openFuzzed returns a site in the process, as its administrator sees it, and the journal of
// what is sent to it. Nothing of it outlives the test.
func openFuzzed(t *testing.T) (operation.Site, *journal.Journal) {
	clock := simtest.NewManualClock(uitest.Start)
	server, err := simulator.New(simulator.Options{Clock: clock, Wall: clock.Now})
	if err != nil {
		t.Fatal(err)
	}
	j, err := journal.OpenThrowaway(journal.WithClock(clock))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = j.Close() })
	client, err := adminapi.New(adminapi.Config{
		Base: "https://gis.example.org/geodeck/admin", Clock: clock, Transport: inProcess{server}, Observer: j,
	})
	if err != nil {
		t.Fatal(err)
	}
	admin := server.Users()[0]
	if _, err = client.Session.SignIn(t.Context(), admin.Username, secrets.Secret(admin.Password), time.Hour); err != nil {
		t.Fatal(err)
	}
	return operation.Site{Client: client, Clock: clock, Memory: operation.Memory{Journal: j}}, j
}

// pauseByte stands for a moment in which no byte comes from the terminal.
const pauseByte = 0xff

// pieces is a terminal whose bytes come with pauses between them.
type pieces struct {
	t     testing.TB
	left  [][]byte
	now   *keyboard.Reader
	file  *os.File
	ended func()
}

func (p *pieces) Read(b []byte) (int, error) {
	for {
		if p.now != nil {
			if n, err := p.now.Read(b); err == nil {
				return n, nil
			}
			p.file.Close()
			p.now = nil
		}
		if len(p.left) == 0 {
			p.ended()
			return 0, io.EOF
		}
		ours, theirs, err := os.Pipe()
		if err != nil {
			return 0, err
		}
		_, err = theirs.Write(p.left[0]) // a pipe holds more
		theirs.Close()
		if p.left, p.file = p.left[1:], ours; err != nil {
			return 0, err
		}
		p.now = keyboard.NewReader(ours, func(value any) { p.t.Errorf("the reader fails: %v", value) })
	}
}

// received is a program that keeps its messages.
type received struct{ msgs []tea.Msg }

type inputEnded struct{}

func (r *received) Init() tea.Cmd { return nil }
func (r *received) View() string  { return "" }

func (r *received) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg.(type) {
	case inputEnded:
		return r, tea.Quit
	case tea.KeyMsg, keyboard.Burst, keyboard.Truncated, tea.MouseMsg, tea.FocusMsg, tea.BlurMsg:
		r.msgs = append(r.msgs, msg)
	}
	return r, nil
}

// messagesOf returns what the program gets of the bytes of a terminal.
func messagesOf(t testing.TB, input []byte) []tea.Msg {
	r, decoder := &received{}, &keyboard.Decoder{}
	in := &pieces{t: t, left: bytes.Split(input, []byte{pauseByte})}
	program := tea.NewProgram(r, tea.WithInput(in), tea.WithOutput(io.Discard), tea.WithoutRenderer(), tea.WithoutSignalHandler(),
		tea.WithFilter(func(_ tea.Model, msg tea.Msg) tea.Msg { return decoder.Decode(msg) }))
	in.ended = func() { program.Send(inputEnded{}) }
	if _, err := program.Run(); err != nil {
		t.Fatal(err)
	}
	return r.msgs
}

// FuzzTerminal gives the dashboard the bytes of a terminal at any size. It always fills the
// screen and nothing else, and while no question gets a y or an enter that comes alone or first, it
// sends nothing that changes the site.
func FuzzTerminal(f *testing.F) {
	for _, input := range []string{
		"1\xffr\xff\r", "2\xff\r\xff\r\xffw", "3\xffj\xff\r\xff\x1b[200~y\ryes\r\x1b[201~", "3\xffS\xff\x1b[200~y\x1b[201~\xffyyes\r\xff\x1b[201~",
		":quit\xff\r\x1b[A", "?\xff\x1b[200~\x1b\xff[20", "/a\xffb\r\xff\x1b]11;rgb:ff/\xff1\x07", "\x1b[<0;5;5M\x1b[M !!\xff\x1b[I\x1b[O",
		"3\xff\r\xffe\xff{\"a\":\xff\x13\xff\x1b[200~{}\r\n\ty\x1b[201~", "4\xffw\xffyy\xff:import \xff\t\xff\xc3",
	} {
		f.Add(uint8(80), uint8(24), []byte(input))
	}
	f.Add(uint8(1), uint8(255), []byte("3\xff?"))
	f.Add(uint8(80), uint8(24), []byte("3\xff\r\xffe\xff\x1b[B\xff \xff\x13\xffw\xffw"))
	f.Add(uint8(80), uint8(24), []byte("1\xffr\xff\r\xff\x1b[200~\r\x1b[201~"))
	f.Fuzz(func(t *testing.T, width, height uint8, input []byte) {
		if len(input) > 200 {
			return // a key takes a millisecond
		}
		msgs := messagesOf(t, input)
		synctest.Test(t, func(t *testing.T) { sendsNothing(t, int(width), int(height), msgs) })
	})
}

// sendsNothing gives messages to a dashboard, less the answers to questions. After each it is
// at rest for half a second.
func sendsNothing(t *testing.T, width, height int, msgs []tea.Msg) {
	site, j := openFuzzed(t)
	d := start(t, ui.Options{Site: site, Clock: site.Clock}, width, height, health.Maker, upgrade.Maker, services.Maker, progress.Maker, activity.Maker)
	d.settle()
	for _, msg := range msgs {
		if keys, ok := msg.(keyboard.Burst); ok && d.model.Asks() && keys[0].Type == tea.KeyEnter {
			msg = keys[1:]
		}
		if key, ok := msg.(tea.KeyMsg); ok && d.model.Asks() && !key.Paste && (key.Type == tea.KeyEnter || key.String() == "y") {
			continue
		}
		d.send(msg)
		d.settle()
		if d.ended {
			break
		}
		screen := theme.WithoutCursor(d.model.View())
		if width > 0 && height > 0 {
			uitest.Fits(t, screen, width, height)
		}
		uitest.Harmless(t, screen)
		if t.Failed() {
			t.Fatalf("after %v of %v the screen is\n%s", msg, msgs, screen)
		}
	}
	if sent, err := j.Actions(0); err != nil || len(sent) > 0 {
		t.Fatalf("%v sent %+v, %v; the screen is\n%s", msgs, sent, err, d.model.View())
	}
}

// settle lets half a second pass, and handles all that follows.
func (d *driver) settle() {
	for _, wait := range []time.Duration{0, 500 * time.Millisecond} {
		d.pace.Advance(wait)
		synctest.Wait()
		for handled := 0; len(d.msgs) > 0 && handled < 1000 && !d.ended; handled++ {
			d.send(<-d.msgs)
			synctest.Wait()
		}
	}
}
