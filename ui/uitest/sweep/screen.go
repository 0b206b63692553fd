package sweep

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing/synctest"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/operation"
	"geodeck/theme"
	"geodeck/ui"
	"geodeck/ui/cli"
	"geodeck/ui/uitest"
)

// screen is the dashboard of a run, with a person at its keys. What runs beside it are the
// commands of the dashboard. They begin one after the other, and what they say is handled
// in the order in which they began: so a seed is one exact day.
type screen struct {
	run   *run
	model ui.Dashboard
	claim []string // words that say that what is wanted is done
	hand  *rand.Rand
	keys  *keys

	display *display

	msgs   chan said
	closed chan struct{}
	under  sync.WaitGroup // commands under way
	first  []said         // have come, and are not handled
	begun  int            // commands so far

	width, height int
	frame         string // as drawn last, without colours
	stale         bool   // something has come since it was drawn
	lastOnly      bool   // its last frame alone is judged: how often it draws on its way there is not the seed's choice
	shown         string // the words of the frame, with one space between them

	focused  string // the line of the cursor and the one above it
	signedIn int    // times
	blocked  int    // how often a write of unknown outcome was in the way

	wrongs []string // what was wrong on it
	typed  string   // what is in a draft, as the screen says, and not sent yet
	saves  func()   // what the editor does that gets the terminal
	exits  bool     // and it ends then

	slipping *rand.Rand
	saysNo   bool // it has answered a question with no
}

// said is a message of the n-th command.
type said struct {
	n   int
	msg tea.Msg
}

// sizes are those of the terminal of the administrator.
var sizes = []tea.WindowSizeMsg{{Width: 80, Height: 24}, {Width: 120, Height: 40}, {Width: 200, Height: 60}, {Width: 40, Height: 10}}

// lazyJournal is the journal of a dashboard, which opens it once it runs.
type lazyJournal struct {
	open func() (*journal.Journal, error)
}

// BeforeWrite records a write that is about to be sent.
func (l lazyJournal) BeforeWrite(w adminapi.Write) error {
	j, err := l.open()
	if err == nil {
		err = j.BeforeWrite(w)
	}
	return err
}

// AfterWrite records the outcome of a write.
func (l lazyJournal) AfterWrite(w adminapi.Write, outcome adminapi.Outcome, err error) {
	if j, failed := l.open(); failed == nil {
		j.AfterWrite(w, outcome, err)
	}
}

// entered opens the dashboard, and signs in where that asks for it. The caller closes it.
func (r *run) entered(claim ...string) (*screen, error) {
	s, err := r.dashboard(claim...)
	if err != nil {
		return nil, err
	}
	if err := s.enter(); err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

// dashboard opens the dashboard in a run of the program. claim are words of success.
func (r *run) dashboard(claim ...string) (*screen, error) {
	m := r.machine
	r.keys = m.keys()
	s := &screen{run: r, claim: claim, hand: m.day.random(r.name + " hand"), msgs: make(chan said, 256), closed: make(chan struct{})}
	lazy := lazyJournal{sync.OnceValues(r.journal)}
	if err := r.connect(lazy, nil); err != nil {
		return nil, err
	}
	look := uitest.Theme()
	if s.hand.IntN(8) == 0 {
		look = uitest.ColorTheme()
	}
	s.model = ui.New(ui.Options{
		Site: r.site, Name: "127.0.0.1", Production: m.day.plan.locked, Theme: look, Clock: m.clock, Pace: adminapi.SystemClock{}, Local: m.clock.zone, Folder: cmp.Or(r.folder, "/home/ada"),
		Remember: func() (operation.Memory, string, error) {
			j, err := lazy.open()
			if err != nil {
				return operation.Memory{}, "", err
			}
			r.site.Memory = operation.Memory{Journal: j}
			return r.site.Memory, "", nil
		},
	})
	s.listens()
	if err := s.shows(); err != nil {
		return nil, err
	}
	s.start(s.model.Init())
	s.resize(sizes[1])
	return s, nil
}

// starts opens the dashboard by a command line, with all its sites.
func (r *run) starts(args ...string) (*screen, error) {
	m := r.machine
	r.keys = m.keys()
	s := &screen{run: r, hand: m.day.random(r.name + " hand"), msgs: make(chan said, 256), closed: make(chan struct{})}
	from := r.process("", io.Discard, io.Discard)
	begun, ended := make(chan ui.Options), make(chan int, 1)
	from.Show = func(_ context.Context, o ui.Options) error {
		o.Theme, o.Pace, o.Local, o.Folder = uitest.Theme(), adminapi.SystemClock{}, m.clock.zone, "/home/ada"
		begun <- o
		<-s.closed
		return nil
	}
	s.under.Go(func() { ended <- cli.Run(r.ctx, args, from) })
	select {
	case o := <-begun:
		s.model = ui.NewDeck(o)
	case code := <-ended:
		return nil, fmt.Errorf("the dashboard does not open: exit %d", code)
	}
	s.listens()
	if err := s.shows(); err != nil {
		return nil, err
	}
	s.start(s.model.Init())
	s.resize(sizes[1])
	return s, nil
}

// close ends the dashboard, as its terminal does when it is closed, and waits for the last
// of its commands. What was typed and confirmed before has to be on disk.
func (s *screen) close() {
	s.model.Close()
	s.keys.ends()
	close(s.closed)
	s.under.Wait()
	s.display.close()
	s.keptTyped()
	now := time.Now()
	time.Sleep(now.Truncate(time.Second).Add(time.Second).Sub(now)) // what was on the way moves nothing after it
}

// start begins commands, one after the other.
func (s *screen) start(cmds ...tea.Cmd) {
	for _, cmd := range cmds {
		if cmd == nil {
			continue
		}
		n := s.begun
		s.begun++
		s.under.Go(func() { s.tell(n, cmd()) })
		synctest.Wait() // until it has ended, or waits for something
	}
}

var cmdType = reflect.TypeFor[tea.Cmd]()

// tell hands a message of a command on. Those of a sequence, whose type Bubble Tea keeps to
// itself, run one after the other.
func (s *screen) tell(n int, msg tea.Msg) {
	_, batch := msg.(tea.BatchMsg)
	if list := reflect.ValueOf(msg); !batch && list.Kind() == reflect.Slice && list.Type().Elem() == cmdType {
		for i := range list.Len() {
			if next, _ := list.Index(i).Interface().(tea.Cmd); next != nil {
				s.tell(n, next())
			}
		}
		return
	}
	if msg == nil {
		return
	}
	select {
	case s.msgs <- said{n, msg}:
	case <-s.closed:
	}
}

// handle gives a message to the dashboard.
func (s *screen) handle(msg tea.Msg) {
	if batch, is := msg.(tea.BatchMsg); is {
		s.start(batch...)
		return
	}
	if uitest.IsExec(msg) {
		s.editor(msg)
		return
	}
	if ended, is := msg.(editorEnd); is {
		s.display.takesBack()
		s.handle(tea.WindowSizeMsg{Width: s.width, Height: s.height})
		msg = ended.msg
	}
	if _, is := msg.(tea.SuspendMsg); is {
		s.suspends()
		return
	}
	if _, is := msg.(theme.Background); is {
		return // the terminal answers another program
	}
	s.stale = true
	_, cmd := s.model.Update(msg)
	s.keys.reader.SetAsking(s.model.Asks())
	s.start(cmd)
}

// dead reports whether the program was killed.
func (s *screen) dead() bool { return s.run.dead.Load() }

// settle handles what has come, until nothing more comes at this moment.
func (s *screen) settle() {
	for !s.dead() {
		synctest.Wait()
		all := s.first
		s.first = nil
		for more := true; more; {
			select {
			case one := <-s.msgs:
				all = append(all, one)
			default:
				more = false
			}
		}
		if len(all) == 0 {
			return
		}
		slices.SortStableFunc(all, func(a, b said) int { return a.n - b.n })
		for _, one := range all {
			s.handle(one.msg)
		}
	}
}

// next waits until something comes, or for a time.
func (s *screen) next(limit time.Duration) {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case one := <-s.msgs:
		s.first = append(s.first, one) // to be sorted with what comes at the same time
	case <-timer.C:
	case <-s.run.ctx.Done():
	}
	s.settle()
}

// The screen is drawn after each key, and while nobody types at most so often; rarely by who
// watches for so long.
const (
	drawSoon   = 200 * time.Millisecond
	drawLate   = 4 * time.Second // what is told in passing stays for five
	drawRarely = 20 * time.Second
	longWatch  = 10 * time.Minute
)

// read draws where something is new, and returns the words of the screen.
func (s *screen) read() string {
	if s.stale && !s.dead() {
		s.draw()
	}
	return s.shown
}

// wait lets time pass, and looks then.
func (s *screen) wait(d time.Duration) {
	s.settle()
	s.pass(d)
	s.read()
}

// pass handles what comes in a time.
func (s *screen) pass(d time.Duration) {
	for wake := time.Now().Add(d); !s.dead() && time.Now().Before(wake); {
		s.next(time.Until(wake))
	}
}

// until waits until the screen is as is wanted, at most for a time, and reports whether it is.
func (s *screen) until(limit time.Duration, is func(shown string) bool) bool {
	s.settle()
	end, pause, late := time.Now().Add(limit), drawSoon, drawLate
	if limit >= longWatch {
		late = drawRarely
	}
	for !s.dead() {
		if is(s.read()) {
			return true
		}
		left := time.Until(end)
		if left <= 0 {
			return false
		}
		s.pass(min(pause, left))
		pause = min(2*pause, late)
	}
	return false
}

// sees waits until the screen has one of the texts, at most for a time, and returns it; empty
// for none.
func (s *screen) sees(limit time.Duration, texts ...string) (text string) {
	s.until(limit, func(shown string) bool {
		i := slices.IndexFunc(texts, func(t string) bool { return strings.Contains(shown, t) })
		if i >= 0 {
			text = texts[i]
		}
		return i >= 0
	})
	return text
}

// press presses keys by name, as a person who looks at what each does.
func (s *screen) press(keys string) {
	if s.hand.IntN(24) == 0 {
		s.resize(sizes[s.hand.IntN(len(sizes))])
	}
	if s.display.draws.IntN(48) == 0 {
		s.send(tea.KeyMsg{Type: tea.KeyCtrlZ})
	}
	if s.height < 15 {
		s.resize(sizes[0]) // nobody works in that
	}
	for _, key := range uitest.Keys(keys) {
		if len(key.Runes) > 1 { // its letters would be keys
			panic("no row has the id " + string(key.Runes))
		}
		s.send(key)
		s.wait(time.Duration(s.hand.IntN(200)) * time.Millisecond)
	}
}

// resize gives the terminal another size.
func (s *screen) resize(size tea.WindowSizeMsg) {
	if s.dead() {
		return
	}
	s.width, s.height = size.Width, size.Height
	s.handle(size)
	s.settle()
	s.read()
}
