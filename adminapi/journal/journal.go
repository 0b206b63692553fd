// Package journal is what this machine remembers of a site: drafts, a log of every write
// before and after it was sent, a transcript of every upgrade that was watched, and snapshots of
// what the site returned last, for when it does not answer.
//
// A journal is a private folder (0700, files 0600, whatever the umask). Whole files are
// replaced atomically; logs only grow, and a line is on disk before the call that wrote it
// returns. Of a transcript of more than 64 MiB the middle is left out. Every change is made
// under a lock, so several programs can share the journal of a site. Symbolic links in place
// of its folders and files are refused.
//
// Each program writes its own drafts. A lock that ends with the program shows whether it
// runs: see [Journal.SaveDraft] and [Journal.TakeDraft]. What the editor of the user has open is
// a draft too, once its program has ended: see [Journal.OpenText].
//
// Tokens and passwords are never stored. Long or confidential values (definitions, settings,
// licences) are in the log as their checksum only.
//
// Start at [Open] and [Journal.BeforeWrite]; [Journal.Verify] says what the log proves; disk.go and
// private.go hold the way to the disk.
package journal

import (
	"cmp"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"geodeck/adminapi"
)

// Journal is the journal of one site. It is safe for concurrent use, also with other journals
// of the same site in this program and in others. It observes the writes of a client, see
// [Journal.BeforeWrite].
type Journal struct {
	clock     adminapi.Clock
	site      string // see siteKey
	folder    string
	throwaway string // what Close removes
	run       string // begins the ids that this journal gives
	version   string // see WithVersion
	sender    Sender // see WithSender
	disk      disk
	rand      adminapi.Rand
	budget    int64 // of a transcript, in bytes

	headLasts bool // the head is on disk; guarded by the lock of the folder

	turn   turn // held together with the lock of the folder, also while that is waited for
	closed atomic.Bool
	self   presence
	drafts draftStore

	locks  locks
	writes inFlight
	claims sync.Map // the claimInfo of those that are held, by target
}

// turn is a lock that one holds at a time. Who waits for a mutex counts as busy where time is
// simulated, and so no time would pass for who holds it and waits.
type turn chan struct{}

func (t turn) take() { t <- struct{}{} }
func (t turn) give() { <-t }

// Option changes how a journal is opened.
type Option func(*Journal)

// WithClock sets the clock of the journal's times, instead of the machine's.
func WithClock(clock adminapi.Clock) Option {
	return func(j *Journal) { j.clock = clock }
}

// WithRand sets what names and pauses of the journal are drawn from, instead of the machine's.
func WithRand(rand adminapi.Rand) Option { return func(j *Journal) { j.rand = rand } }

// WithVersion sets what records say of the program that has sent a write, such as geodeck/1.4.0.
func WithVersion(name string) Option { return func(j *Journal) { j.version = sentence(name) } }

// WithFiles sets the file system that the journal is on, instead of the machine's.
func WithFiles(files Files) Option { return func(j *Journal) { j.disk.Files = files } }

// WithoutSync leaves out the wait for the disk: for a journal that need not outlast a
// crash of the machine, such as a throwaway one or that of a test.
func WithoutSync() Option { return func(j *Journal) { j.disk.noSync = true } }

// Open opens the journal of a site, such as https://gis.example.org/ctx (see [SiteOf]), below
// folder, and creates what is missing. The errors are sentences: the folder is a file, a
// symbolic link, belongs to another user, others may write to it, no space is left, it may
// not be written.
func Open(folder, site string, options ...Option) (*Journal, error) {
	j, base, err := newJournal(folder, site, options)
	if err != nil {
		return nil, err
	}
	if err := j.disk.baseFolder(base); err != nil {
		return nil, err
	}
	if err := j.disk.privateFolder(j.folder); err != nil {
		return nil, err
	}
	// A journal that cannot be written is an error now, not before the first write.
	if err := j.locked(j.settleHead); err != nil {
		return nil, err
	}
	return j, nil
}

// OpenExisting is Open for who only reads: nothing is created, and the disk may be read-only.
// The error matches [fs.ErrNotExist] where there is no journal of the site; what is returned has no records then.
func OpenExisting(folder, site string, options ...Option) (*Journal, error) {
	j, base, err := newJournal(folder, site, options)
	if err != nil {
		return nil, err
	}
	if err = j.disk.checkBase(base); err == nil {
		_, err = j.disk.folderInfo(j.folder, j.folder)
	}
	return j, err
}

// OpenAll is OpenExisting for each site below folder that has records. The name of its folder has but a hash of its
// address: where no record says that, it remains empty.
func OpenAll(folder string, options ...Option) (all []*Journal, err error) {
	const unknown = "unknown://site"
	first, base, err := newJournal(folder, unknown, options)
	if err == nil {
		err = first.disk.checkBase(base)
	}
	if err != nil {
		return nil, err
	}
	folders, err := first.disk.foldersIn(base)
	for _, path := range folders {
		address, lines := "", 0
		unread := first.disk.eachLine(filepath.Join(path, LogName), func(number int, line []byte) bool {
			e, _ := readEntry(line)
			address, lines = e.Address, number
			return address == ""
		})
		j, _, bad := newJournal(folder, cmp.Or(address, unknown), options)
		if bad != nil || j.folder != path {
			if j, _, bad = newJournal(folder, unknown, options); bad != nil {
				return nil, bad
			}
			j.site, j.folder = "", path
		}
		if lines > 0 || unread != nil { // who reads them gets the error
			all = append(all, j)
		}
	}
	return all, err
}

// newJournal makes a journal whose folder is not looked at yet. base is that of all journals.
func newJournal(folder, site string, options []Option) (j *Journal, base string, err error) {
	key, err := siteKey(site)
	if err != nil {
		return nil, "", err
	}
	_, readable, _ := strings.Cut(key, "://")
	if folder == "" {
		return nil, "", failed(nil, "no state folder is given")
	}
	folder, err = filepath.Abs(folder)
	if err != nil {
		return nil, "", explain(folder, err)
	}
	j = &Journal{
		clock: adminapi.SystemClock{}, site: key, folder: filepath.Join(folder, fileName(readable, key)), disk: disk{Files: SystemFiles{}, lasting: &sync.Map{}},
		rand: adminapi.SystemRand{}, budget: transcriptBudget,
	}
	j.turn = make(turn, 1)
	j.locks.clock = adminapi.SystemClock{}
	j.self = presence{disk: &j.disk, folder: filepath.Join(j.folder, aliveFolder), program: systemProgram()}
	j.drafts = draftStore{disk: &j.disk, folder: filepath.Join(j.folder, "drafts"), self: &j.self}
	for _, change := range options {
		change(j)
	}
	j.run = runID(j.rand)
	j.self.program.Run, j.locks.rand = j.run, j.rand
	return j, folder, nil
}

// runID returns the name of a run of the program.
func runID(r adminapi.Rand) string {
	const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
	id, bits := make([]byte, 8), r.Uint64()
	for i := range id {
		id[i] = digits[bits%32]
		bits /= 32
	}
	return string(id)
}

// Close closes the journal: its drafts become those of a program that has ended. A throwaway
// journal is removed.
func (j *Journal) Close() error {
	j.turn.take()
	defer j.turn.give()
	if j.closed.Swap(true) {
		return nil
	}
	j.self.markEnded()
	return j.removeThrowaway()
}

// Site is the address of the site that this is the journal of, see [SiteOf].
func (j *Journal) Site() string { return j.site }

// Folder returns the folder that holds the journal of this site.
func (j *Journal) Folder() string { return j.folder }

// now is the time of what the journal writes.
func (j *Journal) now() time.Time { return j.clock.Now().UTC() }

// isOpen does not wait for what another program has locked: reads need no lock.
func (j *Journal) isOpen() error {
	if j.closed.Load() {
		return errClosed
	}
	return nil
}

// DefaultFolder returns the default folder of journals: geodeck below XDG_STATE_HOME, else
// below ~/.local/state. env reads a variable of the environment, as os.Getenv does.
func DefaultFolder(env func(string) string) (string, error) {
	// By the base directory specification, relative paths are ignored.
	if state := env("XDG_STATE_HOME"); filepath.IsAbs(state) {
		return filepath.Join(state, "geodeck"), nil
	}
	if home := env("HOME"); filepath.IsAbs(home) {
		return filepath.Join(home, ".local", "state", "geodeck"), nil
	}
	return "", failed(nil, "no place for the state folder: set XDG_STATE_HOME or HOME, or use --state-dir")
}

// SiteOf returns the site of an administrative root: its origin and context, such as
// https://gis.example.org/ctx for https://gis.example.org/ctx/admin.
func SiteOf(base *url.URL) string {
	path := strings.TrimSuffix(base.EscapedPath(), "/")
	if at := strings.LastIndex(path+"/", "/admin/"); at >= 0 {
		path = path[:at]
	}
	return base.Scheme + "://" + strings.TrimSuffix(strings.ToLower(base.Host), defaultPorts[base.Scheme]) + path
}

var defaultPorts = map[string]string{"https": ":443", "http": ":80"}

// siteKey returns one spelling for every spelling of a site, without the name or password
// that an address may hold.
func siteKey(site string) (string, error) {
	u, err := url.Parse(strings.TrimSpace(site))
	if err != nil || u.Scheme == "" || u.Hostname() == "" {
		return "", failed(nil, "a journal belongs to a site; its address looks like https://host/context")
	}
	host := strings.TrimSuffix(strings.ToLower(u.Host), defaultPorts[u.Scheme])
	return u.Scheme + "://" + host + strings.TrimRight(u.EscapedPath(), "/"), nil
}

const (
	readableName = 60 // bytes; with the hash well below every file system's limit
	nameHash     = 12 // hex digits
)

// fileName returns a name that is safe on every file system: the readable part of shown, and
// a hash of the identity.
func fileName(shown, identity string) string {
	readable := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '.', r == '-':
			return r
		}
		return '-'
	}, strings.ToLower(shown))
	readable = strings.Trim(readable[:min(len(readable), readableName)], ".-")
	return strings.TrimPrefix(readable+"-"+hashOf([]byte(identity))[:nameHash], "-")
}

func (d disk) saveCrash(folder string, at time.Time, text []byte) (path string, err error) {
	f, err := d.CreateTemp(folder, "geodeck-crash-"+at.UTC().Format("20060102T150405Z")+"-*.txt")
	if err != nil {
		return "", explain(folder, err)
	}
	if err := d.fill(f, writing(text)); err != nil {
		_ = d.Remove(f.Name())
		return "", explain(f.Name(), err)
	}
	if path, err = filepath.Abs(f.Name()); err != nil {
		return f.Name(), nil
	}
	return path, nil
}
