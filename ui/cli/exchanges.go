package cli

import (
	"fmt"
	"io"
	"os"

	"geodeck/adminapi/plain"
	"geodeck/ui/cli/exit"
)

// exchangeFile is the file of serve --log: only its owner can read it, and it holds whole
// exchanges alone. A full disk does not end the site.
type exchangeFile struct {
	file *os.File
	size int64
	errs io.Writer
	told bool // that it cannot be written
}

// createExchangeFile makes the file, which must be a new one; nil without a name.
func createExchangeFile(path string, errs io.Writer) (*exchangeFile, error) {
	if path == "" {
		return nil, nil
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, exit.BadInputf("--log: %w", err)
	}
	return &exchangeFile{file: file, errs: errs}, nil
}

func (f *exchangeFile) close() {
	if f != nil {
		_ = f.file.Close()
	}
}

// Write adds an exchange, or nothing of it. It is called by one at a time.
func (f *exchangeFile) Write(exchange []byte) (int, error) {
	n, err := f.file.WriteAt(exchange, f.size)
	if err == nil {
		f.size += int64(n)
		return n, nil
	}
	_ = f.file.Truncate(f.size)
	if !f.told {
		f.told = true
		fmt.Fprintf(f.errs, "geodeck: an exchange is missing from the log: %s. Serving continues.\n", plain.Line(err.Error()))
	}
	return 0, err
}
