// Package checkout has the commands on a folder of files that holds what a site has: geodeck pull, diff and apply.
//
// Start at [PullCommand], [DiffCommand] and [ApplyCommand]; the folder itself is in package
// [geodeck/adminapi/operation/checkout].
package checkout

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/checkout"
	"geodeck/adminapi/operation/editing"
	"geodeck/adminapi/plain"
	"geodeck/ui/cli/command"
	"geodeck/ui/cli/edits"
	"geodeck/ui/cli/exit"
	"geodeck/ui/cli/output"
)

// patternLong is the help for what the commands are about.
const patternLong = `PATTERN chooses services: a name, or a pattern such as 'Hosted/*' or '*.FeatureServer'.
Without a slash it holds in every folder. Without any pattern all are meant.`

// Shapes are what these commands print as objects of ours.
func Shapes() output.Shapes {
	return output.Shapes{"apply": edits.Shapes("service")["service apply"], "diff": {diffJSON{}}, "pull": {pulledJSON{}}}
}

// folderFlag adds the flag of the folder.
func folderFlag(cmd *cobra.Command, folder *string) {
	cmd.Flags().StringVarP(folder, "directory", "d", ".", "folder of the files")
}

// open opens a folder. made makes one that is missing.
func open(name string, made bool) (*checkout.Folder, error) {
	if made {
		if err := os.MkdirAll(name, 0o700); err != nil {
			return nil, exit.BadInput("", operation.PlainPathError(name, err))
		}
	}
	folder, err := checkout.Open(name)
	switch {
	case errors.As(err, new(*checkout.IndexError)):
		return nil, exit.BadInput("", err)
	case errors.Is(err, fs.ErrNotExist):
		return nil, exit.BadInput("Write one: {command:pull -d "+plain.ShellWord(name)+"}", errors.New("there is no folder "+plain.Line(name)))
	case err != nil:
		return nil, exit.BadInput("", operation.PlainPathError(name, err))
	}
	return folder, nil
}

// patterns choose services.
type patterns []string

// check refuses a pattern that is none.
func (p patterns) check() error {
	for _, text := range p {
		if _, err := path.Match(text, ""); err != nil {
			return exit.BadInputf("%s is no pattern: a [ needs its ]", plain.Clip(text, 60))
		}
	}
	return nil
}

// match reports whether a pattern chooses a service.
func match(pattern string, service adminapi.ServiceRef) bool {
	name := service.Path()
	if !strings.Contains(pattern, "/") {
		name = path.Base(name)
	}
	found, _ := path.Match(strings.TrimPrefix(pattern, "/"), name)
	return found
}

// match reports whether one of the patterns chooses a service; without any, all are chosen.
func (p patterns) match(service adminapi.ServiceRef) bool {
	return len(p) == 0 || slices.ContainsFunc(p, func(text string) bool { return match(text, service) })
}

func (p patterns) choose(targets []editing.Target) []editing.Target {
	return slices.DeleteFunc(slices.Clone(targets), func(t editing.Target) bool { return !p.match(t.Service) })
}

// unmatched refuses a pattern that chooses nothing of what there is.
func (p patterns) unmatched(targets []editing.Target, where string) error {
	for _, text := range p {
		if !slices.ContainsFunc(targets, func(t editing.Target) bool { return match(text, t.Service) }) {
			return exit.BadInput("List the services: {command:service list}", errors.New("no service "+where+" matches "+plain.Clip(text, 60)))
		}
	}
	return nil
}

// partsOf are the parts of the services of a site: rules only where the site can have them.
func partsOf(site operation.Site, services []adminapi.ServiceRef) (all []editing.Target) {
	version, known := site.Client.Version()
	for _, s := range services {
		all = append(all, editing.DefinitionOf(s))
		if !known || version.AtLeast(adminapi.VersionPlacement) {
			all = append(all, editing.PlacementOf(s))
		}
	}
	return all
}

// progressEvery is how long a comparison is silent.
const progressEvery = 5 * time.Second

// progress says now and then how many files are compared.
func progress(s command.Env, of int) func(done int) {
	said := s.Session.Clock().Now()
	return func(done int) {
		if now := s.Session.Clock().Now(); now.Sub(said) >= progressEvery {
			said = now
			s.Wait.Report(fmt.Sprintf("%d of %d files compared", done, of))
		}
	}
}
