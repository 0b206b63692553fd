package journal

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"golang.org/x/sys/unix"

	"geodeck/adminapi"
	"geodeck/adminapi/lists"
	"geodeck/adminapi/plain"
)

// Claim is the right of one program to change a target of the site, from its last check to
// the recorded outcome. It ends with the program: a lock file that is left over locks
// nothing.
type Claim struct {
	journal *Journal
	target  string
	file    File
	info    *claimInfo
}

// ClaimedError says that another program is changing the target.
type ClaimedError struct {
	By    string // user, machine and process; empty where that is not known
	Since time.Time
}

// Error names the other program.
func (e *ClaimedError) Error() string {
	who := e.By
	if who == "" {
		who = "another program"
	}
	return plain.Line(who) + " is changing this now"
}

// claimFile is the content of a lock file: who holds it.
type claimFile struct {
	Target string    `json:"target"`
	By     string    `json:"by"`
	Since  time.Time `json:"since"`
}

// Claim takes the right to change a target, such as [adminapi.TargetSite]. subject is what
// the writes are about, in a word that a person can type. It does not wait: where this or
// another program holds a claim, the error is a [*ClaimedError].
func (j *Journal) Claim(target, subject string) (*Claim, error) {
	if err := j.isOpen(); err != nil {
		return nil, err
	}
	path := j.claimPath(target)
	info := &claimInfo{subject: subject}
	f, held, err := j.lockFile(path)
	if f == nil {
		return nil, explain(path, err)
	}
	if err == nil && !held {
		// Without locks of the file system, claims of this program at least exclude each other.
		_, held = j.claims.LoadOrStore(target, info)
	}
	switch {
	case err != nil:
		f.Close()
		return nil, explain(path, err)
	case held:
		other := readClaimed(f)
		f.Close()
		return nil, &ClaimedError{By: other.By, Since: other.Since}
	}
	c := &Claim{journal: j, target: target, file: f, info: info}
	if err := c.sign(); err != nil {
		c.Release()
		return nil, explain(path, err)
	}
	return c, nil
}

func (j *Journal) claimPath(target string) string {
	return filepath.Join(j.folder, "claim-"+fileName(target, target)+".lock")
}

// Claimed reports whether this or another program holds a claim on a target. It takes none: a
// write that is sent meanwhile is not in its way.
func (j *Journal) Claimed(target string) bool {
	_, here := j.claims.Load(target)
	return here || errors.Is(j.disk.unlocked(j.claimPath(target)), unix.EWOULDBLOCK)
}

// maxTries is how often a lock is tried that somebody only looks at: who keeps looking, such as
// a backup, holds it.
const maxTries = 100

// lockFile opens and locks a file, again where its last holder has removed it in between. f
// is nil where it cannot be opened.
func (j *Journal) lockFile(path string) (f File, held bool, err error) {
	for tries := 1; ; tries++ {
		if f, err = j.disk.openPrivate(path, os.O_RDWR|os.O_CREATE); err != nil {
			return nil, false, err
		}
		held, err = j.locks.try(f)
		if held && tries < maxTries && f.Lock(unix.LOCK_SH) == nil { // by nobody: Claimed was looking at it
			f.Close()
			continue
		}
		if held || err != nil {
			return f, held, err
		}
		mine, statErr := f.Stat()
		there, lstatErr := j.disk.Lstat(path)
		if statErr == nil && lstatErr == nil && j.disk.SameFile(mine, there) {
			return f, false, nil
		}
		f.Close()
	}
}

// sign writes into the lock file who holds it.
func (c *Claim) sign() error {
	text, err := json.Marshal(claimFile{Target: c.target, By: c.journal.signature(), Since: c.journal.now()})
	if err != nil {
		return err
	}
	if err := c.file.Truncate(0); err != nil {
		return err
	}
	_, err = c.file.WriteAt(text, 0)
	return err
}

func readClaimed(f File) (other claimFile) {
	text := make([]byte, maxMessage)
	n, _ := f.ReadAt(text, 0)
	_ = json.Unmarshal(text[:n], &other) // stays empty where it cannot be read
	return other
}

// Release ends the claim. It can be called more than once.
func (c *Claim) Release() {
	if c == nil || c.file == nil {
		return
	}
	c.journal.claims.Delete(c.target)
	_ = c.journal.disk.Remove(c.file.Name()) // while it is locked, see lockFile
	_ = c.file.Close()                       // which unlocks
	c.file = nil
}

// claimInfo is what the record of a write has of its claim, and what names that record.
type claimInfo struct {
	subject  string
	accepted []AcceptedFinding

	mu      sync.Mutex
	backups []savedBackup // that do not name their record yet
	record  string        // of the newest write
}

// savedBackup is a line of an index.
type savedBackup struct{ index, id string }

// recorded makes the backups name the record of the write that they were saved for. One that
// could not proves less, and is in the way of no write.
func (c *claimInfo) recorded(d disk, record string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, b := range c.backups {
		_ = d.appendLine(b.index, func([]byte) ([]byte, error) { return adminapi.JSONLine(backupRecord{b.id, record}) })
	}
	c.backups, c.record = nil, record
}

// Accepts sets what was accepted before the next write under the claim.
func (c *Claim) Accepts(all []AcceptedFinding) {
	if c != nil {
		c.info.accepted = lists.Each(all, func(a AcceptedFinding) AcceptedFinding {
			return AcceptedFinding{sentence(maskText(a.Word)), sentence(maskText(a.Finding))}
		})
	}
}

// Record returns the id of the newest write that was recorded under the claim, empty for none.
func (c *Claim) Record() string {
	if c == nil {
		return ""
	}
	c.info.mu.Lock()
	defer c.info.mu.Unlock()
	return c.info.record
}

// SaveBackup is [Journal.SaveBackup] of what the next write under the claim replaces. Once that
// is recorded, before it is sent, the backup names its record: [Journal.Verify] misses it then.
func (c *Claim) SaveBackup(kind, key string, content []byte, who, why string) (Backup, error) {
	b, err := c.journal.SaveBackup(kind, key, content, who, why)
	if err == nil {
		c.info.mu.Lock()
		defer c.info.mu.Unlock()
		c.info.backups = append(c.info.backups, savedBackup{indexPath(c.journal.backupFolder(kind, key)), b.ID})
	}
	return b, err
}

// Program is a run of a program that uses a journal. It is zero in files of earlier versions.
type Program struct {
	User string `json:"user,omitempty"`
	Host string `json:"host,omitempty"`
	PID  int    `json:"pid,omitempty"`
	Run  string `json:"run,omitempty"` // random, different for each journal
}

// Who names it for a sentence: alice on adm1.
func (p Program) Who() string {
	name, host := plain.Line(p.User), plain.Line(p.Host)
	if name == "" {
		name = "somebody"
	}
	if host == "" {
		return name
	}
	return name + " on " + host
}

// String names it with its process: alice on adm1 (process 4711).
func (p Program) String() string {
	if p.PID <= 0 {
		return p.Who()
	}
	return p.Who() + " (process " + strconv.Itoa(p.PID) + ")"
}

// WithProgram sets the user, host and process in drafts, instead of those of the system.
func WithProgram(p Program) Option {
	return func(j *Journal) {
		own := &j.self.program
		own.User, own.Host, own.PID = p.User, p.Host, p.PID
	}
}

// Liveness is whether a program runs.
type Liveness int

// The values of Liveness.
const (
	Ended      Liveness = iota // it has quit or crashed
	Alive                      // it runs
	MaybeAlive                 // not known: it is on another host, or the file system has no locks
)

// aliveFolder holds a file for each program with drafts. Its lock ends with the program, also
// in a crash; the file is removed only when the program quits.
const aliveFolder = "programs"

// presence shows other programs that this one runs.
type presence struct {
	disk    *disk
	folder  string // of the files of all programs
	program Program
	alive   File // its lock shows that this program runs; nil before the first draft
}

func (p *presence) path(of Program) string {
	return filepath.Join(p.folder, of.Run+aliveOn(of.Host))
}

// aliveOn ends the names of the files of a host.
func aliveOn(host string) string { return "-" + fileName(host, host) }

// completeUser looks up who runs the program. The journal's mu must be held.
func (p *presence) completeUser() {
	if p.program.User == "" {
		p.program.User = systemUser()
	}
}

// markAlive takes the lock that shows that this program runs. The lock of the folder must be
// held.
func (p *presence) markAlive() error {
	if p.alive != nil {
		return nil
	}
	if err := p.disk.privateFolder(p.folder); err != nil {
		return err
	}
	p.sweep()
	path := p.path(p.program)
	f, err := p.disk.openPrivate(path, os.O_RDWR|os.O_CREATE|os.O_EXCL)
	if err != nil {
		return err
	}
	p.completeUser()
	_ = f.Lock(unix.LOCK_EX) // without locks, other programs get the same error
	p.alive = f
	return nil
}

// markEnded releases the lock: the program ends.
func (p *presence) markEnded() {
	if p.alive != nil {
		_ = p.disk.Remove(p.alive.Name())
		_ = p.alive.Close()
		p.alive = nil
	}
}

// sweep removes the files of crashed programs. Those of other hosts stay: their locks may not
// be visible here.
func (p *presence) sweep() {
	entries, _ := p.disk.ReadDir(p.folder)
	for _, entry := range entries {
		path := filepath.Join(p.folder, entry.Name())
		if strings.HasSuffix(path, aliveOn(p.program.Host)) && p.disk.unlocked(path) == nil {
			_ = p.disk.Remove(path)
		}
	}
}

// liveness finds out by its lock whether a program runs.
func (p *presence) liveness(of Program) Liveness {
	if of.Run == "" {
		return Ended
	}
	switch err := p.disk.unlocked(p.path(of)); {
	case absent(err):
		return Ended
	case errors.Is(err, unix.EWOULDBLOCK):
		return Alive
	case err == nil && of.Host == p.program.Host:
		return Ended
	}
	return MaybeAlive
}

// signature names this program to others.
func (j *Journal) signature() string { return j.program().String() }

// program is this one with its user.
func (j *Journal) program() Program {
	j.turn.take()
	defer j.turn.give()
	j.self.completeUser()
	return j.self.program
}

// unlocked returns nil where nobody holds the lock of a file, unix.EWOULDBLOCK where somebody
// does.
func (d disk) unlocked(path string) error {
	f, err := d.openPrivate(path, os.O_RDONLY)
	if err != nil {
		return err
	}
	defer f.Close() // which unlocks
	return f.Lock(unix.LOCK_SH)
}

// LockSite waits until no other program holds the lock of that name for a site, and returns
// what unlocks it. It ends with the program too. The folder of the site is created where it is
// missing.
func LockSite(ctx context.Context, folder, site, name string, options ...Option) (unlock func(), err error) {
	j, err := Open(folder, site, options...)
	if err != nil {
		return nil, err
	}
	path := filepath.Join(j.folder, name+".lock")
	f, err := j.disk.openPrivate(path, os.O_RDWR|os.O_CREATE)
	if err == nil {
		err = j.locks.wait(ctx, f, math.MaxInt64)
	}
	unlock = func() {
		if f != nil {
			_ = f.Close() // which unlocks
		}
		_ = j.Close()
	}
	if err != nil {
		unlock()
		return nil, explain(path, err)
	}
	return unlock, nil
}
