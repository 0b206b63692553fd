package checkout

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/checkout"
	"geodeck/adminapi/operation/editing"
	"geodeck/adminapi/plain"
	"geodeck/ui/cli/command"
	"geodeck/ui/cli/edits"
	"geodeck/ui/cli/exit"
)

// diffJSON is what differs between a folder and a site.
type diffJSON struct {
	Compared  int              `json:"compared"` // files
	Different int              `json:"different"`
	Files     []differenceJSON `json:"files"`  // that differ, or could not be compared
	NoFile    []string         `json:"noFile"` // services of the site without a file of their definition
}

type differenceJSON struct {
	File    string             `json:"file"`
	Service string             `json:"service"`
	Part    string             `json:"part"`
	State   string             `json:"state"` // different, gone or unknown
	Changes []edits.ChangeJSON `json:"changes"`
	// DriftSince is the time of the pull since which the site has changed it.
	DriftSince *time.Time `json:"driftSince,omitempty"`
	Error      string     `json:"error,omitempty"`
}

// DiffCommand makes "geodeck diff".
func DiffCommand(s command.Env) *cobra.Command {
	var folder string
	var exact bool
	cmd := &cobra.Command{
		Use:   "diff [-d DIR] [PATTERN...]",
		Short: "Say whether the site has what the files of a folder have; exit 1 if not",
		Long: `Say whether the site has what the files of a folder have, and what differs: from what the
site has to what apply would make of it. 1000 and 1000.0 are the same, and so are "a" and
"\u0061"; the order of keys and what the site generates do not count. Services without a
file are named, and are no difference. Nothing is sent.

` + patternLong + `

Exit codes: 0 the same; 1 different; 2 or more: something could not be compared.`,
		Example: `  geodeck diff -d gis-site
  geodeck diff -d gis-site 'Hosted/*' -o json`,
		RunE: func(cmd *cobra.Command, args []string) error { return diff(cmd.Context(), s, folder, exact, args) },
	}
	folderFlag(cmd, &folder)
	cmd.Flags().BoolVar(&exact, "exact", false, "values that are written in another way are different")
	return cmd
}

func diff(ctx context.Context, s command.Env, name string, exact bool, chosen patterns) error {
	folder, here, err := chosen.filesOf(name)
	if err != nil {
		return err
	}
	defer func() { _ = folder.Close() }()
	site, err := s.Session.Site(ctx)
	if err != nil {
		return err
	}
	noFile, err := withoutFile(ctx, site, here, chosen)
	if err != nil {
		return err
	}
	compared := folder.Compare(ctx, site, here, exact, progress(s, len(here)))
	if err := ctx.Err(); err != nil {
		return err
	}
	return printDiff(s, compared, noFile)
}

// filesOf opens a folder, and returns what is chosen of its files.
func (p patterns) filesOf(name string) (*checkout.Folder, []editing.Target, error) {
	if err := p.check(); err != nil {
		return nil, nil, err
	}
	folder, err := open(name, false)
	if err != nil {
		return nil, nil, err
	}
	here, err := folder.Targets()
	if err != nil {
		err = exit.BadInput("", err)
	}
	if err == nil && len(here) == 0 {
		err = exit.BadInput("Write them: {command:pull -d "+plain.ShellWord(name)+"}", errors.New("the folder "+plain.Line(name)+" has no files of services"))
	}
	if err == nil {
		err = p.unmatched(here, "in the folder")
	}
	if err != nil {
		_ = folder.Close()
		return nil, nil, err
	}
	return folder, p.choose(here), nil
}

// withoutFile are the chosen services of the site that have no file of their definition.
func withoutFile(ctx context.Context, site operation.Site, here []editing.Target, chosen patterns) ([]string, error) {
	services, err := command.ServicesIn(ctx, site, "")
	all := []string{}
	for _, service := range services {
		if chosen.match(service) && !slices.ContainsFunc(here, editing.DefinitionOf(service).Same) {
			all = append(all, service.Path())
		}
	}
	return all, err
}

func printDiff(s command.Env, compared []checkout.Comparison, noFile []string) error {
	out := diffJSON{Compared: len(compared), Files: []differenceJSON{}, NoFile: noFile}
	var failed error
	unknown := 0
	for _, c := range compared {
		one := differenceJSON{File: checkout.FileOf(c.Target), Service: c.Service.Path(), Part: c.Part.Kind(), State: "different", Changes: edits.ChangesOf(c.Changes)}
		switch {
		case c.Err != nil:
			failed = cmp.Or(failed, c.Err)
			one.State, one.Error = "unknown", c.Err.Error()
			unknown++
		case !c.Differs():
			continue
		case c.In == checkout.OnlyFile:
			one.State = "gone"
			out.Different++
		default:
			out.Different++
		}
		if !c.Drift.IsZero() {
			one.DriftSince = &c.Drift
		}
		out.Files = append(out.Files, one)
		if !s.Out.JSON() {
			if err := s.Out.PrintLines(diffLines(c, one)...); err != nil {
				return err
			}
		}
	}
	if s.Out.JSON() {
		if err := s.Out.PrintValue(out); err != nil {
			return err
		}
	} else if len(noFile) > 0 {
		s.Out.Note(plain.Plural(len(noFile), "service") + " of the site without a file: " + plain.Listed(noFile, 10, ", ", " and "))
	}
	return ended(s, out, unknown, failed)
}

// diffLines say what differs in a file.
func diffLines(c checkout.Comparison, one differenceJSON) (lines []string) {
	head := plain.Line(one.File)
	switch {
	case c.Err != nil:
		return []string{head + ": " + plain.Line(c.Err.Error()), ""}
	case one.State == "gone":
		return []string{head + ": the site has no " + c.Target.String(), ""}
	}
	if c.Drifted != "" {
		head += " (" + c.Drifted + ")"
	}
	lines = append(lines, head)
	for _, line := range edits.ChangeLines(c.Changes) {
		lines = append(lines, "  "+line)
	}
	return append(lines, "")
}

// ended says how a comparison has ended.
func ended(s command.Env, out diffJSON, unknown int, failed error) error {
	if failed != nil {
		f := *s.Exit.Explain(failed)
		f.Code = max(f.Code, exit.Usage) // 1 says that there is a difference
		f.Err = errors.New(plain.Plural(unknown, "file") + " not compared: " + f.Error())
		return &f
	}
	if out.Different == 0 {
		if s.Out.JSON() {
			return nil
		}
		return s.Out.PrintLine("the same: " + plain.Plural(out.Compared, "file"))
	}
	verb := "differ"
	if out.Different == 1 {
		verb = "differs"
	}
	f := exit.NotPassed("", fmt.Sprintf("%d of %s %s from what the site has", out.Different, plain.Plural(out.Compared, "file"), verb))
	f.Printed = s.Out.JSON()
	return f
}
