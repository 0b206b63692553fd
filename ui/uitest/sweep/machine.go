package sweep

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/journal/memdisk"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/secrets"
	"geodeck/ui/uitest/sweep/oracle"
)

// stateFolder is where the programs of the machine keep their records.
const stateFolder = "/home/ada/.local/state/geodeck"

// errKilled ends the context of a program that was killed.
var errKilled = errors.New("killed")

// machine is the computer of the administrator: a disk, a clock that may be wrong, and one
// program after the other.
type machine struct {
	early  map[string][]byte // what was on disk when the first change came to the site
	day    *Day
	site   *site
	disk   *memdisk.Disk
	clock  *clock
	runs   []*run
	wants  *wish // the present one
	wishes []*wish
	fleet  []*branch
	named  []string // the locked sites of the fleet whose names were given
	again  bool     // what was accepted is asked for once more

	printed map[string]int // messages that watches have printed
	advice  []string       // the commands that were printed
	cuts    []time.Time    // when one was killed

	checking  *checking  // a checkout; nil for none
	deleting  *deleting  // of reports; nil for none
	importing *importing // of a manifest; nil for none
	folder    *folder
	keeping   *keeping             // of sites and sign-ins; nil for no such day
	filling   *filling             // for a release; nil for what asks for nothing
	lost      map[string]time.Time // when the disk has lost a backup, by what that was
	spoilt    map[string]bool      // what it has made of it
}

// clock is that of the machine: true time, and how far it is off.
type clock struct {
	ahead atomic.Int64
	set   atomic.Bool // in the course of the day
	zone  *time.Location
}

// Now is what the machine takes for the time.
func (c *clock) Now() time.Time {
	return time.Now().Add(time.Duration(c.ahead.Load())).In(c.zone)
}

// sets lets somebody set it.
func (c *clock) sets(do func()) {
	c.set.Store(true)
	do()
}

// Sleep waits; a clock that is set meanwhile changes nothing.
func (c *clock) Sleep(ctx context.Context, d time.Duration) error {
	return adminapi.SystemClock{}.Sleep(ctx, d)
}

// run is one run of the program.
type run struct {
	machine *machine
	name    string // such as program-2
	host    string // of another machine that shares the state folder; empty for that of the others
	disk    *memdisk.Program
	ctx     context.Context
	cancel  context.CancelCauseFunc
	dead    atomic.Bool       // killed: nothing of it reaches disk or network any more
	opens   atomic.Bool       // the name of the production site was given
	says    map[string]string // of its environment, before all else
	lists   bool              // it prints rows, see [looks]
	folder  string            // that its dashboard writes files to; empty for one that is not there
	gives   bool              // it prints a token, as it was asked to
	calls   atomic.Bool       // it has called a site
	advised bool              // its command was printed by another: the words are judged, and not what it says
	guesses string            // the begin of the paths that it was given; empty for one that guesses none
	until   context.Context   // ends its command before it; nil for none
	worded  *oracle.Worded    // the answer to its write, where that was one with words
	texts   map[string][]byte // what editors have saved before it began, until it is offered

	mu    sync.Mutex
	conns []net.Conn

	site  operation.Site          // once it is open
	keys  *oracle.Keys            // of a dashboard: what was done at them
	trace func(adminapi.Exchange) // of its requests; nil for none
}

// begin begins a run of the program. Nothing is opened yet.
func (m *machine) begin() *run {
	n := len(m.runs) + 1
	r := &run{machine: m, name: fmt.Sprintf("program-%d", n)}
	r.ctx, r.cancel = context.WithCancelCause(context.Background())
	r.disk = m.disk.Program(m.day.plan.diskFaults(n, r)...)
	if m.day.Want == outside {
		r.texts = m.disk.Files()
	}
	m.runs = append(m.runs, r)
	m.day.log("%s begins", r.name)
	return r
}

// opened keeps a connection, which ends with the program.
func (r *run) opened(conn net.Conn) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.conns = append(r.conns, conn)
	if r.dead.Load() {
		_ = conn.Close()
	}
}

// kill ends the program from this moment on: what it has on the way to the site arrives or
// not, but nothing more of it reaches disk or network.
func (r *run) kill() {
	if r.dead.Swap(true) {
		return
	}
	r.machine.day.log("%s is killed", r.name)
	r.disk.Kill()
	r.machine.folder.dies(r)
	r.hangUp()
}

// hurt reports whether the program was killed, or something of its disk went wrong.
func (r *run) hurt() bool {
	return r.dead.Load() || slices.ContainsFunc(r.disk.Hits(), func(kind string) bool { return kind != memdisk.None.String() })
}

// hangUp ends all connections of a program, and what it waits for.
func (r *run) hangUp() {
	r.cancel(errKilled)
	r.disconnect()
}

func (r *run) disconnect() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, conn := range r.conns {
		_ = conn.Close()
	}
	r.conns = nil
}

// end is the orderly end of the program.
func (r *run) end() {
	if r.site.Memory.Journal != nil && !r.dead.Load() {
		_ = r.site.Memory.Journal.Close()
	}
	if r.site.Client != nil {
		r.site.Client.CloseIdleConnections()
	}
	r.hangUp()
}

// cutPower ends every program, and what is not on disk is lost.
func (m *machine) cutPower() {
	m.day.log("the power fails")
	m.disk.CutPower(m.day.random("power").Uint64)
	for _, r := range m.runs {
		r.kill()
	}
}

// chance is randomness of a seed, for a program.
type chance struct {
	mu   sync.Mutex
	next func() uint64
}

// Uint64 returns the next number.
func (c *chance) Uint64() uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.next()
}

func (r *run) chance(purpose string) *chance {
	return &chance{next: r.machine.day.random(r.name + " " + purpose).Uint64}
}

// atTime is chance that goes by the time alone: of two requests that are sent beside each other it is the same
// whichever comes first.
func (r *run) atTime(purpose string) *chance {
	return &chance{next: func() uint64 {
		return r.machine.day.random(r.name + " " + purpose + time.Now().Format(time.RFC3339Nano)).Uint64()
	}}
}

// open opens the journal and the client as the program does, and signs in. An error says why
// nothing was sent.
func (r *run) open() error {
	memory, err := r.journal()
	if err != nil {
		return err
	}
	signIn := func(ctx context.Context, _ secrets.Secret) (adminapi.Token, error) {
		return r.site.Client.Session.SignIn(ctx, "admin", r.machine.site.password, tokenLife)
	}
	if err = r.connect(memory, signIn); err != nil {
		return err
	}
	r.site.Memory = operation.Memory{Journal: memory}
	return r.retry(func() error {
		_, err := signIn(r.ctx, "")
		return err
	})
}

// journal opens the journal on the disk of the machine.
func (r *run) journal() (*journal.Journal, error) {
	m := r.machine
	return journal.Open(stateFolder, strings.TrimSuffix(m.site.root, "/admin"), journal.WithFiles(r.disk), journal.WithClock(m.clock),
		journal.WithRand(r.chance("journal")), journal.WithProgram(journal.Program{User: "ada", Host: cmp.Or(r.host, "adm1"), PID: r.pid()}))
}

// pid is the number of the process.
func (r *run) pid() int { return 4000 + slices.Index(r.machine.runs, r) + 1 }

// connect makes the client. Nothing is sent yet.
func (r *run) connect(observer adminapi.WriteObserver, renew func(context.Context, secrets.Secret) (adminapi.Token, error)) error {
	m := r.machine
	transport, err := adminapi.NewTransport(adminapi.TLS{})
	if err != nil {
		return err
	}
	client, err := adminapi.New(adminapi.Config{
		Base: m.site.root, Transport: transport, Clock: m.clock, Rand: r.atTime("client"), Observer: observer, Renew: renew, Locked: m.day.plan.locked, Trace: r.trace,
		Dial: func(ctx context.Context, _, address string) (net.Conn, error) { return m.site.dial(ctx, r, address) },
	})
	r.site = operation.Site{Client: client, Clock: m.clock, Rand: r.atTime("operation"), Files: papers{}}
	return err
}

// tokenLife is what the administrator signs in for.
const tokenLife = 2 * time.Hour

// retry does what only reads again while the site does not answer, as a person would.
func (r *run) retry(do func() error) (err error) {
	for range 6 {
		if err = do(); err == nil || !adminapi.IsTransient(err) && !errors.Is(err, adminapi.KindSignIn) {
			return err
		}
		if r.machine.clock.Sleep(r.ctx, 30*time.Second) != nil {
			return err
		}
	}
	return err
}

// private checks that no other user of the machine may read what was kept.
func (m *machine) private() {
	for path, mode := range m.disk.Modes() {
		if !strings.HasPrefix(path, stateFolder) {
			continue
		}
		if want := map[bool]fs.FileMode{true: 0o700, false: 0o600}[mode.IsDir()]; mode.Perm() != want {
			m.day.fail("%s has mode %o", path, mode.Perm())
		}
	}
}

// silent checks that nothing of what was kept is a secret.
func (m *machine) silent() {
	files := m.disk.Files()
	for path, content := range files {
		m.day.oracle.Free(path, string(content))
	}
	m.day.oracle.Files(files)
}
