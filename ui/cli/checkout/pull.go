package checkout

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"geodeck/adminapi/journal"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/checkout"
	"geodeck/adminapi/plain"
	"geodeck/ui/cli/command"
	"geodeck/ui/cli/exit"
)

// pulledJSON is what a pull has done.
type pulledJSON struct {
	Version string       `json:"version"`
	Files   []fileOfPull `json:"files"`
}

type fileOfPull struct {
	File    string `json:"file"`
	Service string `json:"service"`
	Part    string `json:"part"`
	Outcome string `json:"outcome"` // same, written, kept, gone or failed
	Error   string `json:"error,omitempty"`
}

// PullCommand makes "geodeck pull".
func PullCommand(s command.Env) *cobra.Command {
	var folder string
	var overwrite bool
	cmd := &cobra.Command{
		Use:   "pull [-d DIR] [PATTERN...]",
		Short: "Write what the site has into files: definitions, and the rules of pods",
		Long: `Write what the site has into files, for git: the definition of a service into
Folder/Name.Type.json, the rules of its pods into Folder/Name.Type.placement.json, and
what was pulled into .geodeck.json. Only files that differ by meaning are written, as the
site writes its values; what it generates is left out. docs/files.md has both lists.

A file that was changed since it was pulled is kept, unless --overwrite: apply it first.
Files of services that the site no longer has are kept too. Nothing is sent.

` + patternLong + `

Exit codes: 0 done; 1 a service could not be read, or is gone; 4 files were kept.`,
		Example: `  geodeck pull -d gis-site
  geodeck pull -d gis-site 'Hosted/*' SampleWorldCities.MapServer`,
		RunE: func(cmd *cobra.Command, args []string) error { return pull(cmd.Context(), s, folder, overwrite, args) },
	}
	folderFlag(cmd, &folder)
	cmd.Flags().BoolVar(&overwrite, "overwrite", false, "also replace files that were changed since they were pulled")
	return cmd
}

func pull(ctx context.Context, s command.Env, name string, overwrite bool, chosen patterns) error {
	if err := chosen.check(); err != nil {
		return err
	}
	site, err := s.Session.Site(ctx)
	if err != nil {
		return err
	}
	services, err := command.ServicesIn(ctx, site, "")
	if err != nil {
		return err
	}
	_, _ = site.Client.Root(ctx) // the version, where the site tells it
	there := partsOf(site, services)
	folder, err := open(name, true)
	if err != nil {
		return err
	}
	defer func() { _ = folder.Close() }()
	if !folder.IsOf(site) {
		return exit.Refusal("another site", "Pull into another folder: -d DIR",
			fmt.Errorf("the files are of %s, and this is %s; nothing was written", plain.Line(folder.Index.Address), journal.SiteOf(site.Client.Base())))
	}
	all, err := folder.Targets(there...)
	if err != nil {
		return exit.BadInput("", err)
	}
	if err := chosen.unmatched(all, "of the site"); err != nil {
		return err
	}
	targets := chosen.choose(all)
	describe(folder, s, site)
	pulled, err := folder.Pull(ctx, site, targets, overwrite, progress(s, len(targets)))
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return err
	}
	return printPulled(s, folder, pulled)
}

// describe says in the index of which site the files are.
func describe(folder *checkout.Folder, s command.Env, site operation.Site) {
	folder.Index.Address = journal.SiteOf(site.Client.Base())
	if set, err := s.Session.Settings(); err == nil {
		folder.Index.Site = cmp.Or(set.Named.Name, folder.Index.Site) // an address that is given has no name
	}
	if version, known := site.Client.Version(); known {
		folder.Index.Version = version.String()
	}
}

func printPulled(s command.Env, folder *checkout.Folder, pulled []checkout.PulledFile) error {
	count := map[checkout.PullState]int{}
	out := pulledJSON{Version: folder.Index.Version, Files: []fileOfPull{}}
	var details []string
	for _, p := range pulled {
		if p.State == checkout.PullNone {
			continue
		}
		count[p.State]++
		file := checkout.FileOf(p.Target)
		one := fileOfPull{File: file, Service: p.Service.Path(), Part: p.Part.Kind(), Outcome: p.State.String()}
		if p.Err != nil {
			one.Error = p.Err.Error()
		}
		out.Files = append(out.Files, one)
		switch p.State {
		case checkout.PullKept:
			details = append(details, file+" was changed here")
		case checkout.PullGone:
			details = append(details, file+": the site has no "+p.Target.String())
		case checkout.PullFailed:
			details = append(details, file+": "+strings.TrimSuffix(one.Error, "; nothing was sent"))
		case checkout.PullWritten:
			if !s.Out.JSON() {
				if err := s.Out.PrintLine("written  " + plain.Line(file)); err != nil {
					return err
				}
			}
		}
	}
	if s.Out.JSON() {
		if err := s.Out.PrintValue(out); err != nil {
			return err
		}
	} else if err := s.Out.PrintLine(plain.Plural(count[checkout.PullWritten], "file") + " written, " + plain.Plural(count[checkout.PullSame], "file") + " as the site has it"); err != nil {
		return err
	}
	f := &exit.Failure{Code: exit.Failed, Details: details}
	switch {
	case count[checkout.PullKept] > 0:
		f.Code, f.Kind = exit.Refused, "kept"
		f.Advice = "Add --overwrite to replace them. To apply them: {command:apply -d " + plain.ShellWord(folder.Path()) + "}"
		f.Err = errors.New(plain.Plural(count[checkout.PullKept], "file") + " changed here and kept")
	case count[checkout.PullFailed] > 0:
		f.Err = errors.New(plain.Plural(count[checkout.PullFailed], "file") + " not pulled")
	case count[checkout.PullGone] > 0:
		f.Err = errors.New(plain.Plural(count[checkout.PullGone], "file") + " of what the site no longer has")
	default:
		return nil
	}
	return f
}
