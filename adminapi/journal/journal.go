// Package journal is what this machine remembers of a site: drafts of what is
// being filled in, a log of every write, before and after it was sent, and a
// transcript of every run that was watched.
//
// A journal is a private folder (0700, files 0600, whatever the umask). Whole
// files are replaced atomically; logs only grow, and a line is on disk before
// the call that wrote it returns. Of a transcript of more than 64 MiB the middle is
// left out, and a line in it says how much. Every change is made under a lock, so that
// several programs can share the journal of one site. Symbolic links in the
// place of the journal's own folders and files are refused.
//
// A draft names its program, and each program writes its own: what two edit at once
// stands beside each other. A lock that ends with the program says whether it runs;
// the one that has the edit is returned, and its edit can be taken over: see
// [Journal.SaveDraft] and [Journal.TakeDraft].
//
// Tokens and passwords are never stored. What is long or a secret of somebody's
// (definitions, settings, licences) is in the log as its checksum only.
//
// Start at [Open] and [Journal.BeforeWrite].
package journal

import (
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"geodeck/adminapi"
)

// Journal remembers one site. It is safe for concurrent use, also by several
// journals of the same site, in this program and in others. It is the observer
// of the writes of a client: see [Journal.BeforeWrite].
type Journal struct {
	clock     adminapi.Clock
	site      string // in its one spelling
	folder    string
	throwaway string // what Close removes
	run       string // begins the ids that this journal gives
	disk      disk
	rand      adminapi.Rand
	budget    int64 // of a transcript, in bytes

	mu     sync.Mutex // held together with the lock of the folder
	closed bool
	self   presence
	drafts draftStore

	locks  locks
	writes inFlight
	claims claims
}

// Option changes how a journal is opened.
type Option func(*Journal)

// WithClock sets where the times of the journal come from, instead of from the
// machine's clock.
func WithClock(clock adminapi.Clock) Option {
	return func(j *Journal) { j.clock = clock }
}

// WithFiles sets the file system that the journal is on, instead of the machine's.
func WithFiles(files Files) Option { return func(j *Journal) { j.disk.Files = files } }

// WithoutSync leaves out the wait for the disk: for a journal that need not outlast a
// crash of the machine, such as a throwaway one or that of a test.
func WithoutSync() Option { return func(j *Journal) { j.disk.noSync = true } }

// WithRand sets where the names of runs and the pauses between attempts to lock come
// from, instead of from the machine's chance.
func WithRand(r adminapi.Rand) Option { return func(j *Journal) { j.rand = r } }

// WithLockClock sets the clock by which a lock is waited for, instead of the machine's:
// one that is faster than others would give up at once.
func WithLockClock(clock adminapi.Clock) Option { return func(j *Journal) { j.locks.clock = clock } }

// Open opens the journal of a site, such as https://gis.example.org/ctx (see
// [SiteOf]), below folder, and makes what is missing. The errors are sentences:
// the folder is a file, a symbolic link, belongs to another user, others may
// write to it, no space is left, it may not be written.
func Open(folder, site string, options ...Option) (*Journal, error) {
	key, err := siteKey(site)
	if err != nil {
		return nil, err
	}
	if folder == "" {
		return nil, failed(nil, "no folder is given for the journal")
	}
	folder, err = filepath.Abs(folder)
	if err != nil {
		return nil, explain(folder, err)
	}
	j := &Journal{
		clock: adminapi.SystemClock{}, site: key, folder: filepath.Join(folder, siteFolder(key)), disk: disk{Files: SystemFiles{}},
		rand: adminapi.SystemRand{}, budget: transcriptBudget,
	}
	j.locks.clock = adminapi.SystemClock{}
	j.self = presence{disk: &j.disk, folder: filepath.Join(j.folder, aliveFolder), program: systemProgram()}
	j.drafts = draftStore{disk: &j.disk, folder: filepath.Join(j.folder, "drafts"), self: &j.self}
	for _, change := range options {
		change(j)
	}
	j.run = runID(j.rand)
	j.self.program.Run, j.locks.rand = j.run, j.rand
	if err := j.disk.baseFolder(folder); err != nil {
		return nil, err
	}
	if err := j.disk.privateFolder(j.folder); err != nil {
		return nil, err
	}
	// A journal that cannot be written is an error now, not before the first write.
	if err := j.locked(func() error { return nil }); err != nil {
		return nil, err
	}
	return j, nil
}

// runLength of 32-ary digits tells some 10^12 runs apart.
const runLength = 8

// runID names a run of the program.
func runID(r adminapi.Rand) string {
	const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
	id, bits := make([]byte, runLength), r.Uint64()
	for i := range id {
		id[i] = digits[bits%32]
		bits /= 32
	}
	return string(id)
}

// Close ends the use of the journal: its drafts are those of a program that has ended. A
// throwaway journal is removed.
func (j *Journal) Close() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.closed {
		return nil
	}
	j.closed = true
	j.self.markEnded()
	return j.removeThrowaway()
}

// Folder returns the folder that holds the journal of this site.
func (j *Journal) Folder() string { return j.folder }

func (j *Journal) isOpen() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.closed {
		return errClosed
	}
	return nil
}

// DefaultFolder returns where journals are kept when nobody says otherwise:
// geodeck below XDG_STATE_HOME, else below ~/.local/state. env reads one
// variable of the environment, as os.Getenv does. It makes nothing.
func DefaultFolder(env func(string) string) (string, error) {
	// The base directory specification has relative paths ignored.
	if state := env("XDG_STATE_HOME"); filepath.IsAbs(state) {
		return filepath.Join(state, "geodeck"), nil
	}
	if home := env("HOME"); filepath.IsAbs(home) {
		return filepath.Join(home, ".local", "state", "geodeck"), nil
	}
	return "", failed(nil, "there is no place for the journal: neither XDG_STATE_HOME nor HOME names a folder")
}

// SiteOf returns the site of an administrative root: its origin and context,
// such as https://gis.example.org/ctx for https://gis.example.org/ctx/admin.
func SiteOf(base *url.URL) string {
	path := strings.TrimSuffix(base.EscapedPath(), "/")
	if at := strings.LastIndex(path+"/", "/admin/"); at >= 0 {
		path = path[:at]
	}
	return base.Scheme + "://" + strings.ToLower(base.Host) + path
}

var defaultPorts = map[string]string{"https": ":443", "http": ":80"}

// siteKey returns one spelling for every spelling of a site. Only origin and
// path come in: a name or a password in an address must not reach a path.
func siteKey(site string) (string, error) {
	u, err := url.Parse(strings.TrimSpace(site))
	if err != nil || u.Scheme == "" || u.Hostname() == "" {
		return "", failed(nil, "a journal belongs to a site; its address looks like https://host/context")
	}
	host := strings.TrimSuffix(strings.ToLower(u.Host), defaultPorts[u.Scheme])
	return u.Scheme + "://" + host + strings.TrimRight(u.EscapedPath(), "/"), nil
}

// siteFolder returns the name of the folder of a site.
func siteFolder(key string) string {
	_, shown, _ := strings.Cut(key, "://")
	return fileName(shown, key)
}

const (
	readableName = 60 // bytes; with the hash well below every file system's limit
	nameHash     = 12 // hex digits
)

// fileName returns a name that is safe on every file system: what can be read
// of shown, and a hash that differs for every identity.
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
	// A new file with a name that nobody can foresee, for its owner alone.
	f, err := d.CreateTemp(folder, "geodeck-crash-"+at.UTC().Format("20060102T150405Z")+"-*.txt")
	if err != nil {
		return "", explain(folder, err)
	}
	if _, err = f.Write(text); err == nil {
		err = f.Chmod(fileMode)
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		_ = d.Remove(f.Name())
		return "", explain(f.Name(), err)
	}
	if path, err = filepath.Abs(f.Name()); err != nil {
		return f.Name(), nil
	}
	return path, nil
}
