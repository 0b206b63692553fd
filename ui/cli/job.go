package cli

import (
	"context"
	"errors"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"geodeck/adminapi"
	"geodeck/ui/cli/output"
)

// jobCommands are the commands of "geodeck job".
type jobCommands struct{ shared }

func (j jobCommands) command() *cobra.Command {
	return group("job", "List the jobs of the site, show one, wait for one",
		j.listCommand(), j.getCommand(), j.waitCommand())
}

func (j jobCommands) listCommand() *cobra.Command {
	var limit int
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List jobs in the site's order (one request each)",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return j.list(cmd.Context(), limit) },
	}
	cmd.Flags().IntVar(&limit, "limit", 20, "at most this many (0: all)")
	return cmd
}

func (j jobCommands) list(ctx context.Context, limit int) error {
	if limit < 0 {
		return badInput("", errors.New("--limit takes 0 or more"))
	}
	site, err := j.conn.site()
	if err != nil {
		return err
	}
	jobs, err := site.Jobs(ctx, limit)
	if err != nil {
		return err
	}
	if j.out.JSON() {
		list := make([]jsontext.Value, len(jobs))
		for i, job := range jobs {
			if list[i], err = rawJob(job); err != nil {
				return err
			}
		}
		return output.PrintList(j.out, list)
	}
	l := j.out.Look()
	rows := make([][]output.Cell, len(jobs))
	for i, job := range jobs {
		rows[i] = l.Row(job.ID, "", output.Moment(job.StartTime.Time()), output.Took(job.StartTime, job.EndTime), job.Username, job.Name)
		rows[i][1] = jobStatus(l, job)
	}
	return j.out.PrintTable([]string{"ID", "STATUS", "STARTED", "TOOK", "USER", "NAME"}, rows)
}

// rawJob is the job as the server wrote it; one that was deleted meanwhile has
// nothing but its id.
func rawJob(job adminapi.Job) (jsontext.Value, error) {
	if len(job.Raw) > 0 {
		return job.Raw, nil
	}
	return json.Marshal(map[string]string{"jobid": job.ID})
}

func (j jobCommands) getCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "get ID",
		Short: "Print one job",
		Args:  cobra.ExactArgs(1),
		RunE:  func(cmd *cobra.Command, args []string) error { return j.get(cmd.Context(), args[0]) },
	}
}

func (j jobCommands) get(ctx context.Context, id string) error {
	site, err := j.conn.site()
	if err != nil {
		return err
	}
	job, err := site.Client.Job(ctx, id)
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
		RunE:    func(cmd *cobra.Command, args []string) error { return j.await(cmd.Context(), args[0]) },
	}
}

func (j jobCommands) await(ctx context.Context, id string) error {
	site, err := j.conn.site()
	if err != nil {
		return err
	}
	job, err := site.WaitJob(ctx, id, j.wait.reportJob)
	if job.Status != "" && (err == nil || job.Failed()) {
		if err := j.print(job); err != nil {
			return err
		}
	}
	return err
}

func (j jobCommands) print(job adminapi.Job) error {
	if j.out.JSON() {
		raw, err := rawJob(job)
		if err != nil {
			return err
		}
		return j.out.PrintRaw(raw)
	}
	l := j.out.Look()
	rows := l.Facts("Job", job.ID, "Name", job.Name)
	rows = append(rows, l.Fact("Status", jobStatus(l, job)))
	rows = append(rows, l.Facts("User", job.Username, "Resource", job.Resource.Name, "Operation", job.OperationURI,
		"Started", output.Moment(job.StartTime.Time()), "Took", output.Took(job.StartTime, job.EndTime))...)
	if reasons := job.Reasons(); len(reasons) > 0 {
		rows = append(rows, l.Facts("Says", strings.Join(reasons, "; "))...)
	}
	return j.out.PrintRows(rows)
}

func jobStatus(l *output.Look, job adminapi.Job) output.Cell {
	switch {
	case job.Status == "":
		return l.Signed(output.Unknown, "gone")
	case job.Completed():
		return l.Signed(output.Good, job.Status)
	case job.Failed():
		return l.Signed(output.Bad, job.Status)
	}
	return l.Signed(output.Running, job.Status)
}
