package cli

import (
	"context"
	"errors"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"geodeck/adminapi"
)

// jobCommands are the commands of "geodeck job".
type jobCommands struct{ shared }

func (j jobCommands) command() *cobra.Command {
	return group("job", "List the jobs of the site, look at one, wait for one",
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
	cmd.Flags().IntVar(&limit, "limit", 20, "at most so many (0: all)")
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
	if j.out.json() {
		list := make([]jsontext.Value, len(jobs))
		for i, job := range jobs {
			if list[i], err = rawJob(job); err != nil {
				return err
			}
		}
		return printList(j.out, list)
	}
	l := j.out.look()
	rows := make([][]cell, len(jobs))
	for i, job := range jobs {
		rows[i] = l.words(job.ID, "", moment(job.StartTime.Time()), took(job.StartTime, job.EndTime), job.Username, job.Name)
		rows[i][1] = l.jobStatus(job)
	}
	return j.out.printTable([]string{"ID", "STATUS", "STARTED", "TOOK", "USER", "NAME"}, rows)
}

// rawJob is the job as the server wrote it; one that is gone meanwhile has
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
		Short:   "Wait for a job, exit 1 when it does not complete",
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
	job, err := site.WaitJob(ctx, id, j.wait.tellJob)
	if job.Status != "" && (err == nil || job.Broken()) {
		if err := j.print(job); err != nil {
			return err
		}
	}
	return err
}

func (j jobCommands) print(job adminapi.Job) error {
	if j.out.json() {
		raw, err := rawJob(job)
		if err != nil {
			return err
		}
		return j.out.printRaw(raw)
	}
	l := j.out.look()
	rows := l.facts("Job", job.ID, "Name", job.Name)
	rows = append(rows, l.fact("Status", l.jobStatus(job)))
	rows = append(rows, l.facts("User", job.Username, "Resource", job.Resource.Name, "Operation", job.OperationURI,
		"Started", moment(job.StartTime.Time()), "Took", took(job.StartTime, job.EndTime))...)
	if reasons := job.Reasons(); len(reasons) > 0 {
		rows = append(rows, l.facts("Says", strings.Join(reasons, "; "))...)
	}
	return j.out.printRows(rows)
}

func (l *look) jobStatus(job adminapi.Job) cell {
	switch {
	case job.Status == "":
		return l.signed(unknown, "gone")
	case job.Completed():
		return l.signed(good, job.Status)
	case job.Broken():
		return l.signed(bad, job.Status)
	}
	return l.signed(running, job.Status)
}
