// Package complete offers the names that a site has to shells: services, reports, updates, jobs, the paths
// of a definition. A completion asks nobody for anything, changes nothing, prints no error, and is over
// before one waits for it.
//
// Start at [Install]; lists.go says what is read for which word.
package complete

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"geodeck/adminapi"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/lists"
	"geodeck/adminapi/pattern"
	"geodeck/ui/cli/command"
	"geodeck/ui/cli/files"
)

const (
	// patience is how long the site is waited for: a completion as a whole has 300 ms.
	patience = 250 * time.Millisecond
	fresh    = time.Minute
	stale    = time.Hour // until then names are offered where the site does not answer in time
	maxKept  = 1 << 20   // bytes of the file of a site: a larger one is begun anew
)

// Install completes cmd and the commands below it.
func Install(cmd *cobra.Command, of command.Env) {
	for _, child := range cmd.Commands() {
		Install(child, of)
	}
	if lists := listsOf(cmd); lists != nil {
		cmd.ValidArgsFunction = func(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
			next := len(args)
			if strings.Contains(cmd.Use, "...") {
				next = 0
			}
			if next >= len(lists) {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return complete(of, lists[next])(cmd, args, typed)
		}
	}
	cmd.LocalFlags().VisitAll(func(flag *pflag.Flag) {
		_ = cmd.RegisterFlagCompletionFunc(flag.Name, finder(of, flag)) // an inherited one has it already
	})
}

// finder returns what completes the value of a flag; nil leaves it to the shell.
func finder(of command.Env, flag *pflag.Flag) cobra.CompletionFunc {
	values, fixed := flag.Annotations[command.Values]
	_, orFile := flag.Annotations[command.OrFile]
	_, separated := flag.Annotations[command.Separated]
	l, listed := flags[flag.Name]
	switch {
	case flag.Name == "site", flag.Name == "unlock":
		return of.SiteNames
	case separated:
		return func(_ *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
			before := typed[:strings.LastIndex(typed, ",")+1]
			return lists.Each(values, func(word string) string { return before + word }), cobra.ShellCompDirectiveNoFileComp
		}
	case fixed && orFile:
		return cobra.FixedCompletions(values, cobra.ShellCompDirectiveDefault)
	case fixed:
		return cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)
	case listed:
		return complete(of, l)
	}
	return nil
}

// complete offers what a list has.
func complete(of command.Env, l list) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, typed string) (found []cobra.Completion, directive cobra.ShellCompDirective) {
		if directive = cobra.ShellCompDirectiveKeepOrder; !l.orFile {
			directive |= cobra.ShellCompDirectiveNoFileComp
		}
		about := "" // a folder or a service in place of the site
		switch l.name {
		case services.name:
			about = typed[:strings.LastIndex(typed, "/")+1]
		case paths.name:
			about = command.First(args)
		}
		var names []string
		if l.read == nil {
			names = l.here(of, args)
		} else {
			names = l.names(cmd.Context(), of, about)
		}
		for _, name := range names {
			word, what, _ := strings.Cut(name, "\t")
			if word += l.ends; !strings.HasPrefix(word, typed) || slices.Contains(args, word) {
				continue
			}
			if found = append(found, cobra.CompletionWithDesc(word, what)); strings.HasSuffix(word, "/") || strings.HasSuffix(word, "=") {
				directive |= cobra.ShellCompDirectiveNoSpace // it goes on
			}
		}
		return found, directive
	}
}

// kept is a list as it was read.
type kept struct {
	Read  time.Time `json:"read"`
	Names []string  `json:"names"`
}

// harmless are words that no shell reads as anything else.
var harmless = pattern.New(`^[\pL\pN_][\pL\pN_./=\[\]-]*$`)

// names returns those of a list, and keeps them for the next completion in a small private file.
func (l list) names(ctx context.Context, of command.Env, about string) []string {
	settings, _ := of.Session.Settings() // without an address there is no base
	base, _, err := adminapi.ParseBase(settings.URL.Value, true)
	folder, homeless := of.Session.StateFolder()
	if err != nil || homeless != nil {
		return nil
	}
	disk, clock := of.Session.Options().Disk, of.Session.Clock()
	file, key := journal.StateName("names", journal.SiteOf(base)), l.name+" "+about
	content, _ := journal.LoadState(disk, folder, file, maxKept)
	all, now := map[string]kept{}, clock.Now()
	if json.Unmarshal(content, &all) != nil || all == nil {
		all = map[string]kept{}
	}
	before := all[key]
	age := now.Sub(before.Read)
	if 0 <= age && age < fresh {
		return before.Names
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		if clock.Sleep(ctx, patience) == nil {
			cancel()
		}
	}()
	names, err := files.Until(ctx, func() ([]string, error) {
		site, err := of.Session.Glimpse(ctx)
		if err != nil {
			return nil, err
		}
		return l.read(ctx, site, about)
	})
	if err != nil && age < stale {
		return before.Names
	}
	if err != nil {
		return nil
	}
	all[key] = kept{now, slices.DeleteFunc(names, func(name string) bool {
		word, _, _ := strings.Cut(name, "\t")
		return !harmless().MatchString(word)
	})}
	content, _ = json.Marshal(all)
	_ = journal.SaveState(disk, folder, file, content) // else the site is asked again
	return all[key].Names
}
