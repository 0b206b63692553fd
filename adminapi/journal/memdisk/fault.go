package memdisk

import (
	"errors"
	"path"
	"path/filepath"
	"syscall"
)

// ErrKilled is the error of every call of a program that was killed.
var ErrKilled = errors.New("the program was killed")

// Op is what a program asks of the disk.
type Op string

// The values of Op.
const (
	OpAny        Op = ""           // of a fault: every one of the following
	OpOpen       Op = "open"       // a file or folder that exists
	OpCreate     Op = "create"     // a file that does not exist yet
	OpRead       Op = "read"       // also a folder, by ReadDir
	OpWrite      Op = "write"      // Write and WriteAt
	OpTruncate   Op = "truncate"   // also by opening it so
	OpSync       Op = "sync"       // the content of a file
	OpSyncFolder Op = "syncfolder" // the names in a folder
	OpRename     Op = "rename"     // its path is the new one
	OpRemove     Op = "remove"
	OpMkdir      Op = "mkdir" // MkdirAll does one for each folder that is missing
	OpChmod      Op = "chmod"
	OpLock       Op = "lock"
)

// Kind is how a call fails.
type Kind int

// The values of Kind.
const (
	None       Kind = iota // it does not: only Then is called
	Full                   // ENOSPC; the first half of a write is kept
	Torn                   // EIO; the first half of a write is kept
	FailedSync             // EIO; what was to be synced stays uncertain, also after a later sync
	ReadOnly               // EROFS
	Held                   // EWOULDBLOCK, as if another program held the lock
	NoLocks                // ENOLCK
	Denied                 // EACCES
	KillBefore             // the program is killed, and the call changes nothing
	KillAfter              // the call is done, and the program is killed before it returns
)

var kinds = map[Kind]struct {
	name  string
	errno syscall.Errno
}{
	None: {"none", 0}, Full: {"full", syscall.ENOSPC}, Torn: {"torn", syscall.EIO}, FailedSync: {"failed sync", syscall.EIO},
	ReadOnly: {"read-only", syscall.EROFS}, Held: {"held", syscall.EWOULDBLOCK}, NoLocks: {"no locks", syscall.ENOLCK},
	Denied: {"denied", syscall.EACCES}, KillBefore: {"kill before", 0}, KillAfter: {"kill after", 0},
}

// String names it in lower-case words.
func (k Kind) String() string { return kinds[k].name }

// Fault is what goes wrong in some calls of a program. It depends on their number alone. Calls
// are counted whether they succeed or not, but a call with arguments that fail anyway, such as
// a folder that exists already, keeps its own error.
//
// Of several faults that meet a call the first with a Kind decides, and each Then is called.
type Fault struct {
	Op   Op
	Path string // a pattern of the base name, see [path.Match]; empty for any
	Nth  int    // the first call that fails, of those with that Op and Path, from 1 (as is 0)
	For  int    // how many calls in a row fail; 0 for one, negative for all that follow
	Kind Kind
	Then func() // called after the call has had its effect, before it returns; may be nil
}

// counted is a fault and the calls that it has seen.
type counted struct {
	Fault
	calls int
}

// meets counts a call, and reports whether the fault meets it.
func (f *counted) meets(op Op, name string) bool {
	if f.Op != OpAny && f.Op != op {
		return false
	}
	if f.Path != "" {
		if ok, _ := path.Match(f.Path, filepath.Base(name)); !ok {
			return false
		}
	}
	f.calls++
	since := f.calls - max(1, f.Nth)
	return since >= 0 && (f.For < 0 || since < max(1, f.For))
}

// call is one of a program, while it runs.
type call struct {
	program   *Program
	killAfter bool
	then      []func()
}

// meet counts a call, and returns the error that it must have.
func (c *call) meet(op Op, name string) error {
	decided := None
	for _, f := range c.program.faults {
		if !f.meets(op, name) {
			continue
		}
		c.program.hits = append(c.program.hits, f.Kind.String())
		if f.Then != nil {
			c.then = append(c.then, f.Then)
		}
		if decided == None {
			decided = f.Kind
		}
	}
	switch decided {
	case None:
		return nil
	case KillBefore:
		c.program.end()
		return ErrKilled
	case KillAfter:
		c.killAfter = true
		return nil
	}
	return kinds[decided].errno
}

// call runs act under the lock of the disk. A program that is killed meanwhile gets no answer.
func (p *Program) call(act func(c *call) error) error {
	c := call{program: p}
	err := p.locked(func() error {
		if p.killed {
			return ErrKilled
		}
		err := act(&c)
		if c.killAfter {
			p.end()
		}
		return err
	})
	for _, then := range c.then {
		then()
	}
	if p.Killed() {
		return ErrKilled
	}
	return err
}

func (p *Program) locked(do func() error) error {
	p.disk.mu.Lock()
	defer p.disk.mu.Unlock()
	return do()
}
