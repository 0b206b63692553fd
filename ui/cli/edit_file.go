package cli

import (
	"context"
	"errors"
	"fmt"

	"geodeck/adminapi/document"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/plain"
)

// errInputTerminal says that nothing was put into a pipe.
var errInputTerminal = errors.New("the standard input is a terminal; give a file, or something in a pipe")

// fromInput names the standard input in place of a file.
const fromInput = "-"

// documentFrom reads a document of JSON from a file that a flag names. Whatever is
// wrong with it is bad input, with its line.
func (p *program) documentFrom(flag, path string, part operation.Part) (*document.Document, error) {
	if path == "" {
		return nil, noFile(flag, part)
	}
	content, name, err := p.contentOf(path)
	if err == nil {
		var d *document.Document
		if d, err = document.Parse(content); err == nil {
			return d, nil
		}
		err = fmt.Errorf("%s: %w", name, err)
	}
	if p.ctx.Err() != nil {
		return nil, err
	}
	return nil, badInput("", fmt.Errorf("--%s: %w; nothing was sent", flag, err))
}

func noFile(flag string, part operation.Part) error {
	return badInput("", fmt.Errorf("say --%s FILE, a file with the %s, or - for the standard input", flag, part))
}

// contentOf reads a file or the standard input until the time of the command is over,
// no more than a document may have.
func (p *program) contentOf(path string) (content []byte, name string, err error) {
	name = "standard input"
	read := func() ([]byte, error) { return readAllUpTo(p.In, "the "+name, document.MaxSize) }
	if path != fromInput {
		name = plain.Line(path)
		read = func() ([]byte, error) { return readUpTo(path, document.MaxSize) }
	} else if _, ok := terminal(p.In); ok {
		return nil, name, errInputTerminal
	}
	content, err = until(p.ctx, read)
	return content, name, err
}

// readToEdit reads what the site has. What cannot be edited without loss is refused,
// though it can be looked at.
func (p *program) readToEdit(ctx context.Context, site operation.Site, target operation.Target) (operation.Content, error) {
	now, err := site.ReadContent(ctx, target)
	if _, odd := errors.AsType[*document.SyntaxError](err); odd {
		return now, &failure{code: exitRefused, kind: "cannot be edited", err: err,
			advice: "Look at it as it is: " + commandOn(target, "get")}
	}
	return now, err
}

// commandOn names a command on a part of a service, such as "geodeck placement get
// Roads.MapServer".
func commandOn(target operation.Target, verb string) string {
	group := "service"
	if target.Part == operation.Placement {
		group = "placement"
	}
	return "geodeck " + group + " " + verb + " " + target.Service.Path()
}

// pathsOf reads the paths that were given with a flag.
func pathsOf(flag string, texts []string) ([]document.Path, error) {
	paths := make([]document.Path, len(texts))
	for i, text := range texts {
		var err error
		if paths[i], err = document.ParsePath(text); err != nil {
			return nil, badInput("", fmt.Errorf("--%s: %w", flag, err))
		}
	}
	return paths, nil
}
