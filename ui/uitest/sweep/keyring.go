package sweep

import (
	"errors"
	"os"
	"sync"
	"time"

	"github.com/zalando/go-keyring"
)

// createAnew opens a file to be written from its begin.
const createAnew = os.O_RDWR | os.O_CREATE | os.O_TRUNC

// ring is the keyring of the machine. It outlives programs, and power cuts.
type ring struct {
	mu   sync.Mutex
	held map[string]string
}

// ringOf is what a program has of it.
type ringOf struct {
	*ring
	run *run
	is  string // what is wrong with it; empty for nothing
}

// asked reports what is wrong with a call.
func (r *ringOf) asked() error {
	switch {
	case r.run.dead.Load():
		return errKilled
	case r.is == "refusing":
		return errors.New("org.freedesktop.DBus.Error.AccessDenied: no")
	case r.is == "locked":
		return errors.New("failed to unlock correct collection")
	case r.is == "silent":
		time.Sleep(20 * time.Second)
		return errors.New("org.freedesktop.DBus.Error.NoReply: late")
	}
	return nil
}

// Get reads an entry.
func (r *ringOf) Get(_, name string) (string, error) {
	if err := r.asked(); err != nil {
		return "", err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if text, there := r.held[name]; there {
		return text, nil
	}
	return "", keyring.ErrNotFound
}

// Set writes an entry.
func (r *ringOf) Set(_, name, secret string) error {
	err := r.asked()
	r.mu.Lock()
	defer r.mu.Unlock()
	if err == nil {
		r.held[name] = secret
	}
	return err
}

// Delete removes an entry.
func (r *ringOf) Delete(_, name string) error {
	if _, err := r.Get("", name); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.held, name)
	return nil
}

// unasked is the keyring on the days of all who have not asked for anything to be kept in it.
type unasked struct{ run *run }

// Get finds nothing.
func (unasked) Get(_, _ string) (string, error) { return "", keyring.ErrNotFound }

// Set is wrong.
func (u unasked) Set(_, name, _ string) error {
	u.run.machine.day.fail("%s keeps a sign-in at %s in the keyring, and nobody has asked for that", u.run.name, name)
	return nil
}

// Delete finds nothing.
func (unasked) Delete(_, _ string) error { return keyring.ErrNotFound }
