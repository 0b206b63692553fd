package cli

import (
	"cmp"
	"context"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"geodeck/adminapi"
	"geodeck/adminapi/lists"
	"geodeck/adminapi/operation"
	"geodeck/ui/cli/command"
	"geodeck/ui/cli/output"
)

// jobCommands are the commands of "geodeck job".
type jobCommands struct{ command.Env }

func (j jobCommands) command() *cobra.Command {
	return command.Group("job", "List the jobs of the site, show one, wait for one",
		j.listCommand(), command.Verb("get ID", "Print one job", cobra.ExactArgs(1), j.OnSite(j.get)), j.waitCommand())
}

func (j jobCommands) listCommand() *cobra.Command {
	var limit uint
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List jobs in the site's order (one request each)",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return j.list(cmd.Context(), limit) },
	}
	cmd.Flags().UintVar(&limit, "limit", 20, "at most this many (0: all)")
	return cmd
}

func (j jobCommands) list(ctx context.Context, limit uint) error {
	site, err := j.Session.Site(ctx)
	if err != nil {
		return err
	}
	jobs, err := site.Jobs(ctx, int(limit))
	if err != nil {
		return err
	}
	if j.Out.JSON() {
		return output.PrintList(j.Out, lists.Each(jobs, jobOf))
	}
	columns := fitting(j.Out, []string{"ID", "STATUS", "STARTED", "TOOK", "USER", "NAME", "UPDATED", "REQUEST"})
	return output.PrintEach(j.Out, jobs, columns, func(l *output.Renderer, job adminapi.Job) []output.Cell {
		return l.Row(job.ID, jobStatus(l, job), output.FormatTime(job.StartTime.Time()),
			output.FormatDuration(job.StartTime, job.EndTime), job.Username, job.Work(),
			output.FormatTime(job.UpdatedTime.Time()), cmp.Or(job.RequestID, "-"))
	})
}

// fitting are the columns of a list whose last ones only a wide terminal has: ids that were cut could
// not be used.
func fitting(out *output.Output, columns []string) []string {
	const always, wide = 6, 160
	if width := out.Renderer().Width; 0 < width && width < wide {
		return columns[:always]
	}
	return columns
}

// jobJSON is a job of a list.
type jobJSON struct {
	ID      string         `json:"jobid"`
	Name    string         `json:"name"`
	Status  string         `json:"status"` // the site's own word
	User    string         `json:"user"`
	Request string         `json:"requestId"`
	Started *time.Time     `json:"started"`
	Updated *time.Time     `json:"updated"`
	Ended   *time.Time     `json:"ended"`
	Raw     jsontext.Value `json:"raw"` // as the site wrote it
}

func jobOf(job adminapi.Job) jobJSON {
	return jobJSON{job.ID, job.Name, job.Status, job.Username, job.RequestID, job.StartTime.Moment(), job.UpdatedTime.Moment(),
		job.EndTime.Moment(), rawJob(job)}
}

// rawJob is the job as the server wrote it. A job that has been deleted has only its id.
func rawJob(job adminapi.Job) jsontext.Value {
	if len(job.Raw) > 0 {
		return job.Raw
	}
	id, _ := json.Marshal(map[string]string{"jobid": job.ID}, output.AsReceived) // any string has its form
	return id
}

func (j jobCommands) get(ctx context.Context, site operation.Site, id string) error {
	job, err := site.Client.Jobs.Get(ctx, id)
	if err != nil {
		return err
	}
	return j.print(job)
}

func (j jobCommands) waitCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "wait ID",
		Short:   "Wait for a job; exit 1 if it does not complete",
		Example: "  geodeck job wait 2f6d7f1e --timeout 10m",
		Args:    cobra.ExactArgs(1),
		RunE:    j.OnSite(j.await),
	}
}

func (j jobCommands) await(ctx context.Context, site operation.Site, id string) error {
	job, err := site.WaitJob(ctx, id, j.Wait.ReportJob)
	if job.Status != "" && (err == nil || job.Failed()) {
		if err := j.print(job); err != nil {
			return err
		}
	}
	return err
}

func (j jobCommands) print(job adminapi.Job) error {
	if j.Out.JSON() {
		return j.Out.PrintRaw(rawJob(job))
	}
	l := j.Out.Renderer()
	rows := l.Fields("Job", job.ID, "Name", job.Name, "Status", jobStatus(l, job), "User", job.Username,
		"Resource", job.Resource.Name, "Operation", job.OperationURI, "Request", job.RequestID,
		"Started", output.FormatTime(job.StartTime.Time()), "Updated", output.FormatTime(job.UpdatedTime.Time()),
		"Ended", output.FormatTime(job.EndTime.Time()), "Took", output.FormatDuration(job.StartTime, job.EndTime))
	for _, row := range rows {
		row[1].Text = cmp.Or(row[1].Text, "-")
	}
	return j.Out.PrintRows(append(rows, l.Given("Says", strings.Join(job.Reasons(), "; "))...))
}

func jobStatus(l *output.Renderer, job adminapi.Job) output.Cell {
	switch {
	case job.Status == "":
		return l.StatusCell(output.Unknown, "gone")
	case job.Completed():
		return l.StatusCell(output.Good, job.Status)
	case job.Failed():
		return l.StatusCell(output.Bad, job.Status)
	}
	return l.StatusCell(output.Running, job.Status)
}
