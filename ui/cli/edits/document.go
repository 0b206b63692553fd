package edits

import (
	"context"
	"fmt"
	"io"

	"geodeck/adminapi/document"
	"geodeck/adminapi/operation/editing"
	"geodeck/ui/cli/exit"
	"geodeck/ui/cli/files"
)

// DocumentFrom reads a JSON document from the file given with a flag. Errors are bad
// input, and name the line.
func DocumentFrom(ctx context.Context, in io.Reader, flag, path string, part editing.Part) (*document.Document, error) {
	if path == "" {
		return nil, NoFile(flag, part)
	}
	content, name, err := files.Content(ctx, in, path)
	if err == nil {
		var d *document.Document
		if d, err = document.Parse(content); err == nil {
			return d, nil
		}
		err = fmt.Errorf("%s: %w", name, err)
	}
	if ctx.Err() != nil {
		return nil, err
	}
	return nil, exit.BadInputf("--%s: %w; nothing was sent", flag, err)
}

func NoFile(flag string, part editing.Part) error {
	return exit.BadInputf("say --%s FILE, a file with the %s, or - for the standard input", flag, part)
}
