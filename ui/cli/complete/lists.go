package complete

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"geodeck/adminapi"
	"geodeck/adminapi/document"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/lists"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/editing"
	"geodeck/adminapi/plain"
	"geodeck/adminapi/upgrade"
	"geodeck/ui/cli/command"
	"geodeck/ui/cli/edits"
	"geodeck/ui/cli/output"
)

// list is what completes a word: names that the site has, each with a description.
type list struct {
	name   string
	orFile bool         // the word may be a file as well
	ends   string       // what follows the name in a word
	part   editing.Part // of a list of saved versions
	// read asks the site; nil for what this machine has recorded.
	read func(ctx context.Context, site operation.Site, about string) ([]string, error)
}

// The lists.
var (
	services  = list{name: "services", read: readServices}
	reports   = list{name: "reports", orFile: true, read: readReports}
	updates   = list{name: "updates", read: readUpdates}
	rollbacks = list{name: "rollbacks", read: readRollbacks}
	jobs      = list{name: "jobs", read: readJobs}
	paths     = list{name: "paths", read: readPaths}
	values    = list{name: "paths", read: readPaths, ends: "="}

	records     = list{name: "records"}
	definitions = list{part: editing.Definition}
	policies    = list{part: editing.Placement}
)

// words are the lists for the words of usage lines, where it matters below a noun or for a verb.
var words = map[string]list{
	"FOLDER/]NAME.TYPE": services, "PATTERN": services, "service ID": definitions, "placement ID": policies,
	"health ID": reports, "ID|FILE": reports, "REPORT": reports, "BEFORE": reports, "AFTER": reports,
	"upgrade ID": updates, "rollback ID": rollbacks, "job ID": jobs, "RECORD": records,
}

var flags = map[string]list{"set": values, "remove": paths, "allow-lost": paths, "from": services}

// listsOf are the lists for the arguments of a command, in their order.
func listsOf(cmd *cobra.Command) (found []list) {
	for _, word := range strings.Fields(cmd.Use)[1:] {
		word = strings.Trim(word, "[].")
		for _, key := range []string{cmd.Name() + " " + word, cmd.Parent().Name() + " " + word, word} {
			if l, is := words[key]; is {
				found = append(found, l)
				break
			}
		}
	}
	return found
}

// here returns names that this machine has recorded of the site, which is not asked.
func (l list) here(of command.Env, args []string) []string {
	record, err := of.Session.Record()
	if err != nil {
		return nil
	}
	if l.name == records.name {
		all, _ := record.Actions(most)
		return lists.Each(all, func(r journal.Record) string { return described(r.ID, r.Operation, r.Subject) })
	}
	target, _ := edits.TargetNamed(args[0], l.part)
	saved, _ := operation.Memory{Journal: record}.History(target)
	return lists.Each(saved, func(b journal.Backup) string { return described(b.ID, b.Who, b.Why) })
}

// described is a name with what it is: a few words of the site, cleaned.
func described(name string, words ...string) string {
	return cobra.CompletionWithDesc(name, plain.Clip(strings.Join(words, " "), 60))
}

// readServices reads one folder: names below another one follow once it is typed.
func readServices(ctx context.Context, site operation.Site, folder string) ([]string, error) {
	in, err := site.Client.Services.Folder(ctx, strings.TrimSuffix(folder, "/"))
	names := lists.Each(in.Services, func(s adminapi.ServiceRef) string { return described(folder+s.Name+"."+s.Type, s.Description) })
	for _, name := range in.Folders {
		names = append(names, name+"/")
	}
	return names, err
}

func readReports(ctx context.Context, site operation.Site, _ string) ([]string, error) {
	all, err := site.Reports().All(ctx)
	return lists.Each(newest(all), func(r adminapi.ReportSummary) string {
		return described(r.ID, r.Result, output.FormatTime(r.StartTime.Time()), r.Name)
	}), err
}

func readUpdates(ctx context.Context, site operation.Site, _ string) ([]string, error) {
	offer, err := site.Offers(ctx)
	return lists.Each(offer.Chain.Entries, func(e upgrade.Entry) string { return described(e.ID, e.Name, e.State.String()) }), err
}

func readRollbacks(ctx context.Context, site operation.Site, _ string) ([]string, error) {
	all, err := site.Client.Upgrades.CheckRollback(ctx)
	return lists.Each(all, func(u adminapi.Update) string { return described(u.ID, u.Name) }), err
}

func readJobs(ctx context.Context, site operation.Site, _ string) ([]string, error) {
	ids, err := site.Client.Jobs.IDs(ctx)
	return newest(ids), err
}

// most is how many a shell shows without a question.
const most = 100

func newest[T any](all []T) []T { return all[:min(len(all), most)] }

// readPaths are those of the definition of a service, without values: they may be secret.
func readPaths(ctx context.Context, site operation.Site, service string) (names []string, err error) {
	target, err := edits.TargetNamed(service, editing.Definition)
	if err != nil {
		return nil, err
	}
	definition, err := editing.Read(ctx, site.Client, target)
	if err != nil {
		return nil, err
	}
	var below func(document.Node)
	below = func(n document.Node) {
		for child := range n.Children() {
			path := child.Path()
			if step, _ := path.Last(); step.Kind == document.ByIndex {
				continue // places of a list move
			}
			names = append(names, described(string(path), child.Kind().String()))
			below(child)
		}
	}
	below(definition.Document.Root())
	return names, nil
}
