package journal

import (
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"geodeck/adminapi/plain"
)

// Claim is the right of one program to change a target of the site, from its last look
// at that to the recorded outcome. It ends with the program: a lock file that is left
// over locks nothing.
type Claim struct {
	journal *Journal
	target  string
	file    *os.File
}

// ClaimedError says that another program changes the target at this moment.
type ClaimedError struct {
	By    string // user, machine and process; empty where it does not tell
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

// claimed is what a lock file tells of who holds it.
type claimed struct {
	Target string    `json:"target"`
	By     string    `json:"by"`
	Since  time.Time `json:"since"`
}

// Claim takes the right to change a target, such as [adminapi.TargetSite]. subject is
// what the writes are about, in a word that a person can type. It does not wait: where
// another claim is held, in this program or in another, the error is a [*ClaimedError].
func (j *Journal) Claim(target, subject string) (*Claim, error) {
	if err := j.isOpen(); err != nil {
		return nil, err
	}
	path := filepath.Join(j.folder, "claim-"+fileName(target, target)+".lock")
	f, held, err := j.lockFile(path)
	if f == nil {
		return nil, explain(path, err)
	}
	if err == nil && !held {
		// Without locks of the file system this program at least is told apart.
		held = !j.claims.add(target, ofClaim{subject, j.signature()})
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
	c := &Claim{journal: j, target: target, file: f}
	if err := c.sign(); err != nil {
		c.Release()
		return nil, explain(path, err)
	}
	return c, nil
}

// lockFile opens and locks a file. One that its last holder has removed in between is
// none: then it is made anew. f is nil where it cannot be opened.
func (j *Journal) lockFile(path string) (f *os.File, held bool, err error) {
	for {
		if f, err = openPrivate(path, os.O_RDWR|os.O_CREATE); err != nil {
			return nil, false, err
		}
		held, err = j.tryLock(f)
		if held || err != nil {
			return f, held, err
		}
		mine, statErr := f.Stat()
		there, lstatErr := os.Lstat(path)
		if statErr == nil && lstatErr == nil && os.SameFile(mine, there) {
			return f, false, nil
		}
		f.Close()
	}
}

// sign writes into the lock file who holds it.
func (c *Claim) sign() error {
	text, err := json.Marshal(claimed{Target: c.target, By: c.journal.signature(), Since: c.journal.clock.Now().UTC()})
	if err != nil {
		return err
	}
	if err := c.file.Truncate(0); err != nil {
		return err
	}
	_, err = c.file.WriteAt(text, 0)
	return err
}

func readClaimed(f *os.File) (other claimed) {
	text := make([]byte, longestMessage)
	n, _ := f.ReadAt(text, 0)
	_ = json.Unmarshal(text[:n], &other) // who does not tell is nobody
	return other
}

// Release gives the right back. It can be called more than once.
func (c *Claim) Release() {
	if c == nil || c.file == nil {
		return
	}
	c.journal.claims.remove(c.target)
	_ = os.Remove(c.file.Name()) // while it is locked: whoever waits for it sees that
	_ = c.file.Close()           // which unlocks
	c.file = nil
}

// claims are those that a journal holds.
type claims struct {
	mu   sync.Mutex
	held map[string]ofClaim // by target
}

// ofClaim is what a record tells of the claim that a write was sent with.
type ofClaim struct{ subject, by string }

func (c *claims) add(target string, claim ofClaim) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, held := c.held[target]; held {
		return false
	}
	if c.held == nil {
		c.held = map[string]ofClaim{}
	}
	c.held[target] = claim
	return true
}

func (c *claims) remove(target string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.held, target)
}

func (c *claims) of(target string) (claim ofClaim, held bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	claim, held = c.held[target]
	return claim, held
}
