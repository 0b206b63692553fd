package session

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/pflag"

	"geodeck/adminapi"
	"geodeck/adminapi/journal"
	"geodeck/ui/cli/exit"
)

// DebugLog is the file of --debug, for maintainers: a line of JSON for each request with its
// answer, and for each message of the dashboard. Secrets are masked before a line is made,
// see [adminapi.Exchange]. It holds no content of messages, which could be a password that is
// being typed.
type DebugLog struct {
	Path string

	mu   sync.Mutex
	file journal.File
	size int64
	full bool // nothing more is written
	torn bool // a full disk has cut off the last line; what follows goes on a line of its own
}

// maxDebug is how many bytes the file gets at most.
const maxDebug = 64 << 20

// debugLine is a line of the file. Times are this machine's.
type debugLine struct {
	At        time.Time           `json:"at"`
	Message   string              `json:"message,omitzero"` // the type of a message of the dashboard
	Operation string              `json:"operation,omitzero"`
	Request   string              `json:"request,omitzero"` // method and path, without the query
	Fields    map[string][]string `json:"fields,omitempty"` // of the query, the form or the parts
	Sent      map[string][]string `json:"sent,omitempty"`   // headers of the request
	Status    int                 `json:"status,omitzero"`
	Headers   map[string][]string `json:"headers,omitempty"` // of the answer
	Bytes     int                 `json:"bytes,omitzero"`
	Body      jsontext.Value      `json:"body,omitempty"`
	LeftOut   string              `json:"leftOut,omitzero"` // what is known of a body that is not here
	Millis    int64               `json:"millis,omitzero"`
	Err       string              `json:"error,omitzero"`
	Cut       string              `json:"cut,omitzero"` // why nothing follows
}

// Register adds the flag of the file.
func (d *DebugLog) Register(set *pflag.FlagSet) {
	set.StringVar(&d.Path, "debug", "", "file for maintainers: each request with its answer, and the kinds of messages, without secrets")
}

// Open creates the file if --debug names one, or adds to it. Only this user can read it, and
// no link is followed.
func (d *DebugLog) Open() (err error) {
	if d.Path == "" {
		return nil
	}
	disk := journal.SystemFiles{}
	file, err := disk.Open(d.Path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if errors.Is(err, syscall.ELOOP) {
		return exit.BadInput("Name the file itself.",
			fmt.Errorf("--debug: %s is a symbolic link; links are not followed", d.Path))
	}
	var info fs.FileInfo
	if err == nil {
		info, err = file.Stat()
	}
	if err != nil {
		return exit.BadInputf("--debug: %w", err)
	}
	switch {
	case !info.Mode().IsRegular():
		err = fmt.Errorf("--debug: %s is not a regular file", d.Path)
	case !disk.Owned(info):
		err = fmt.Errorf("--debug: %s belongs to another user", d.Path)
	case info.Size() >= maxDebug:
		err = fmt.Errorf("--debug: %s is full, with %d MiB", d.Path, info.Size()>>20)
	case info.Mode().Perm() != 0o600:
		err = file.Chmod(0o600)
	}
	if err != nil {
		_ = file.Close()
		return exit.BadInput("Name another file.", err)
	}
	d.file, d.size = file, info.Size()
	return nil
}

// Close closes the file, if there is one.
func (d *DebugLog) Close() {
	if d.file != nil {
		_ = d.file.Close()
	}
}

// Trace records requests of the client; nil without --debug.
func (d *DebugLog) Trace() func(adminapi.Exchange) {
	if d.file == nil {
		return nil
	}
	return func(x adminapi.Exchange) {
		d.write(debugLine{
			Operation: x.Operation, Request: x.Method + " " + x.Path, Fields: x.Fields, Sent: x.Sent, Status: x.Status,
			Headers: x.Headers,
			Bytes:   x.Bytes, Body: x.Body, LeftOut: x.LeftOut, Millis: x.Took.Milliseconds(), Err: x.Err,
		})
	}
}

// Messages records messages of the dashboard; nil without --debug.
func (d *DebugLog) Messages() func(kind string) {
	if d.file == nil {
		return nil
	}
	return func(kind string) { d.write(debugLine{Message: kind}) }
}

// write adds a line. Errors are ignored: a full disk must not end a command. Nothing is taken
// back, as other programs may write to the same file.
func (d *DebugLog) write(line debugLine) {
	line.At = time.Now()
	raw, err := adminapi.JSONLine(line)
	if err != nil {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.full {
		return
	}
	if d.size+int64(len(raw))+1 > maxDebug {
		d.full = true
		raw, _ = adminapi.JSONLine(debugLine{At: line.At,
			Cut: fmt.Sprintf("the file has its %d MiB; what follows is not in it", maxDebug>>20)})
	}
	if raw = append(raw, '\n'); d.torn {
		raw = append([]byte("\n"), raw...)
	}
	n, err := d.file.Write(raw)
	d.torn = err != nil && (n > 0 || d.torn)
	d.size += int64(n)
}
