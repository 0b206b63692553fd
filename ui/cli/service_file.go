package cli

import (
	"context"
	"errors"
	"fmt"
	"io"

	"geodeck/adminapi"
	"geodeck/adminapi/document"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/plain"
)

// fromInput names the standard input in place of a file.
const fromInput = "-"

// definitionFrom reads a definition from a file that a flag names. Whatever is wrong
// with it is bad input, with its line.
func (p *program) definitionFrom(flag, path string) (*document.Document, error) {
	if path == "" {
		return nil, badInput("", fmt.Errorf("say --%s FILE, a file with the definition, or - for the standard input", flag))
	}
	content, name, err := p.contentOf(path)
	if err == nil {
		var d *document.Document
		if d, err = document.Parse(content); err == nil {
			return d, nil
		}
		err = fmt.Errorf("%s: %w", name, err)
	}
	return nil, badInput("", fmt.Errorf("--%s: %w; nothing was sent", flag, err))
}

// contentOf reads a file or the standard input, no more than a definition may have.
func (p *program) contentOf(path string) (content []byte, name string, err error) {
	if path != fromInput {
		name = plain.Line(path)
		content, err = readUpTo(path, document.MaxSize)
		return content, name, err
	}
	name = "standard input"
	if _, ok := terminal(p.In); ok {
		return nil, name, errors.New("the standard input is a terminal; give a file, or something in a pipe")
	}
	content, err = io.ReadAll(io.LimitReader(p.In, document.MaxSize+1))
	if err == nil && len(content) > document.MaxSize {
		err = fmt.Errorf("the standard input is larger than %d MiB", document.MaxSize>>20)
	}
	return content, name, err
}

// readDefinition reads what the site has. A definition that cannot be edited without
// loss is refused, though it can be looked at.
func (p *program) readDefinition(ctx context.Context, site operation.Site, service adminapi.ServiceRef) (operation.Content, error) {
	now, err := site.ReadContent(ctx, operation.DefinitionOf(service))
	if _, odd := errors.AsType[*document.SyntaxError](err); odd {
		return now, &failure{code: exitRefused, kind: "cannot be edited", err: err,
			advice: "Look at it as it is: geodeck service get " + service.Path()}
	}
	return now, err
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
