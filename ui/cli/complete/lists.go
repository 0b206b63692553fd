package complete

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"geodeck/adminapi"
	"geodeck/adminapi/document"
	"geodeck/adminapi/health"
	"geodeck/adminapi/lists"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/plain"
	"geodeck/ui/cli/output"
)

// list is what completes a word: names that the site has, each with a description.
type list struct {
	name   string
	per    string // what a list is of, in place of the site: a folder or a service
	orFile bool   // the word may be a file as well
	ends   string // what follows the name in a word
	read   func(ctx context.Context, site operation.Site, about string) ([]string, error)
}

const folder, service = "folder", "service"

// The lists.
var (
	services  = list{name: "services", per: folder, read: readServices}
	folders   = list{name: "folders", read: readFolders}
	reports   = list{name: "reports", orFile: true, read: readReports}
	suites    = list{name: "suites", read: readSuites}
	updates   = list{name: "updates", read: readUpdates}
	rollbacks = list{name: "rollbacks", read: readRollbacks}
	jobs      = list{name: "jobs", read: readJobs}
	paths     = list{name: "paths", per: service, read: readPaths}
	values    = list{name: "paths", per: service, read: readPaths, ends: "="}
)

// arguments are the lists of arguments that name no service.
var arguments = map[string]list{
	"service list":  folders,
	"health report": reports, "health export": reports, "health explain": reports,
	"health compare": reports, "health delete": reports,
	"upgrade plan": updates, "upgrade settings": updates, "upgrade start": updates,
	"upgrade rollback": rollbacks,
	"job get":          jobs, "job wait": jobs,
}

var flags = map[string]list{"set": values, "remove": paths, "allow-lost": paths, "from": services, "suite": suites}

// argument is the list for the arguments of a command.
func argument(cmd *cobra.Command) (list, bool) {
	if strings.Contains(cmd.Use, "[FOLDER/]NAME.TYPE") || strings.Contains(cmd.Use, "[PATTERN...]") {
		return services, true
	}
	_, words, _ := strings.Cut(cmd.CommandPath(), " ")
	l, is := arguments[words]
	return l, is
}

// described is a name with what it is: a few words of the site, cleaned.
func described(name string, words ...string) string {
	return cobra.CompletionWithDesc(name, plain.Clip(strings.Join(words, " "), 60))
}

// readServices reads one folder: names below another one follow once it is typed.
func readServices(ctx context.Context, site operation.Site, folder string) (names []string, err error) {
	in, err := site.Client.Services.Folder(ctx, strings.TrimSuffix(folder, "/"))
	for _, s := range in.Services {
		names = append(names, described(folder+s.Name+"."+s.Type, s.Description))
	}
	for _, name := range in.Folders {
		if name != "" && name != "/" {
			names = append(names, name+"/")
		}
	}
	return names, err
}

func readFolders(ctx context.Context, site operation.Site, _ string) ([]string, error) {
	root, err := site.Client.Services.Folder(ctx, "")
	return root.Folders, err
}

func readReports(ctx context.Context, site operation.Site, _ string) ([]string, error) {
	all, err := site.Reports().All(ctx)
	return lists.Each(newest(all), func(r adminapi.ReportSummary) string {
		return described(r.ID, health.JudgeState(r.Result, r.State).String(), output.FormatTime(r.StartTime.Time()), r.Name)
	}), err
}

func readSuites(ctx context.Context, site operation.Site, _ string) ([]string, error) {
	all, err := site.Client.Health.Suites(ctx)
	return lists.Each(all, func(s adminapi.Suite) string { return described(s.ID, s.Name) }), err
}

func readUpdates(ctx context.Context, site operation.Site, _ string) (names []string, err error) {
	offer, err := site.Offers(ctx)
	for _, e := range offer.Chain.Entries {
		names = append(names, described(e.ID, e.Name, e.State.String()))
	}
	return names, err
}

func readRollbacks(ctx context.Context, site operation.Site, _ string) ([]string, error) {
	all, err := site.Client.Upgrades.CheckRollback(ctx)
	return lists.Each(all, func(u adminapi.Update) string { return described(u.ID, u.Name) }), err
}

func readJobs(ctx context.Context, site operation.Site, _ string) ([]string, error) {
	ids, err := site.Client.Jobs.IDs(ctx)
	return newest(ids), err
}

// newest cuts a list where a shell would ask whether to show it.
func newest[T any](all []T) []T { return all[:min(len(all), 100)] }

// readPaths are those of the definition of a service, without values: they may be secret.
func readPaths(ctx context.Context, site operation.Site, service string) (names []string, err error) {
	named, err := adminapi.ParseServicePath(service)
	if err != nil {
		return nil, err
	}
	raw, err := site.Client.Services.Definition(ctx, named)
	if err != nil {
		return nil, err
	}
	d, err := document.Parse(raw)
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
	below(d.Root())
	return names, nil
}
