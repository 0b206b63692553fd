package cli

import (
	"fmt"
	"os"
	"sync"
	"time"

	"geodeck/adminapi"
)

// debugLog is the file of --debug, for maintainers: a line of JSON for each request and for
// each message of the dashboard. It holds no content of messages and bodies, which could
// be a password that is being typed.
type debugLog struct {
	path string

	mu   sync.Mutex
	file *os.File
}

// debugLine is a line of the file. Times are this machine's.
type debugLine struct {
	At        time.Time `json:"at"`
	Message   string    `json:"message,omitzero"` // the type of a message of the dashboard
	Operation string    `json:"operation,omitzero"`
	Request   string    `json:"request,omitzero"` // method and path, without the query
	Status    int       `json:"status,omitzero"`
	Bytes     int       `json:"bytes,omitzero"`
	Millis    int64     `json:"millis,omitzero"`
	Err       string    `json:"error,omitzero"`
}

// open creates the file if --debug names one. Only this user can read a new one.
func (d *debugLog) open() (err error) {
	if d.path == "" {
		return nil
	}
	if d.file, err = os.OpenFile(d.path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600); err != nil {
		return badInput("", fmt.Errorf("--debug: %w", err))
	}
	return nil
}

func (d *debugLog) close() {
	if d.file != nil {
		_ = d.file.Close()
	}
}

// trace records requests of the client; nil without --debug.
func (d *debugLog) trace() func(adminapi.Exchange) {
	if d.file == nil {
		return nil
	}
	return func(x adminapi.Exchange) {
		d.write(debugLine{Operation: x.Operation, Request: x.Method + " " + x.Path, Status: x.Status, Bytes: x.Bytes, Millis: x.Took.Milliseconds(), Err: x.Err})
	}
}

// messages records messages of the dashboard; nil without --debug.
func (d *debugLog) messages() func(kind string) {
	if d.file == nil {
		return nil
	}
	return func(kind string) { d.write(debugLine{Message: kind}) }
}

// write adds a line. Errors are ignored: a full disk must not end a command.
func (d *debugLog) write(line debugLine) {
	line.At = time.Now()
	raw, err := adminapi.JSONLine(line)
	if err != nil {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	_, _ = d.file.Write(append(raw, '\n'))
}
