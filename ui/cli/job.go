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

func (p *program) jobCommand() *cobra.Command {
	return group("job", "List the jobs of the site, look at one, wait for one",
		p.jobListCommand(), p.jobGetCommand(), p.jobWaitCommand())
}

func (p *program) jobListCommand() *cobra.Command {
	var limit int
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List jobs in the site's order (one request each)",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return p.jobList(cmd.Context(), limit) },
	}
	cmd.Flags().IntVar(&limit, "limit", 20, "at most so many (0: all)")
	return cmd
}

func (p *program) jobList(ctx context.Context, limit int) error {
	if limit < 0 {
		return badInput("", errors.New("--limit takes 0 or more"))
	}
	site, err := p.connect()
	if err != nil {
		return err
	}
	jobs, err := site.Jobs(ctx, limit)
	if err != nil {
		return err
	}
	if p.json() {
		list := make([]jsontext.Value, len(jobs))
		for i, job := range jobs {
			if list[i], err = rawJob(job); err != nil {
				return err
			}
		}
		return printList(p, list)
	}
	l := p.appearance()
	rows := make([][]cell, len(jobs))
	for i, job := range jobs {
		rows[i] = l.words(job.ID, "", moment(job.StartTime.Time()), took(job.StartTime, job.EndTime), job.Username, job.Name)
		rows[i][1] = l.jobStatus(job)
	}
	return p.printTable([]string{"ID", "STATUS", "STARTED", "TOOK", "USER", "NAME"}, rows)
}

// rawJob is the job as the server wrote it; one that is gone meanwhile has
// nothing but its id.
func rawJob(job adminapi.Job) (jsontext.Value, error) {
	if len(job.Raw) > 0 {
		return job.Raw, nil
	}
	return json.Marshal(map[string]string{"jobid": job.ID})
}

func (p *program) jobGetCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "get ID",
		Short: "Print one job",
		Args:  cobra.ExactArgs(1),
		RunE:  func(cmd *cobra.Command, args []string) error { return p.jobGet(cmd.Context(), args[0]) },
	}
}

func (p *program) jobGet(ctx context.Context, id string) error {
	site, err := p.connect()
	if err != nil {
		return err
	}
	job, err := site.Client.Job(ctx, id)
	if err != nil {
		return err
	}
	return p.printJob(job)
}

func (p *program) jobWaitCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "wait ID",
		Short:   "Wait for a job, exit 1 when it does not complete",
		Example: "  geodeck job wait 2f6d7f1e --timeout 10m",
		Args:    cobra.ExactArgs(1),
		RunE:    func(cmd *cobra.Command, args []string) error { return p.jobWait(cmd.Context(), args[0]) },
	}
}

func (p *program) jobWait(ctx context.Context, id string) error {
	site, err := p.connect()
	if err != nil {
		return err
	}
	steps := progressLines{program: p}
	job, err := site.WaitJob(ctx, id, func(job adminapi.Job, away error) {
		if away == nil && !job.Ended() {
			p.waiting = job.ID
		}
		steps.job(job, away)
	})
	if job.Status != "" && (err == nil || job.Broken()) {
		if err := p.printJob(job); err != nil {
			return err
		}
	}
	return err
}

func (p *program) printJob(job adminapi.Job) error {
	if p.json() {
		raw, err := rawJob(job)
		if err != nil {
			return err
		}
		return p.printRaw(raw)
	}
	l := p.appearance()
	rows := [][]cell{
		l.words("Job", job.ID),
		l.words("Name", job.Name),
		l.words("Status", ""),
		l.words("User", job.Username),
		l.words("Resource", job.Resource.Name),
		l.words("Operation", job.OperationURI),
		l.words("Started", moment(job.StartTime.Time())),
		l.words("Took", took(job.StartTime, job.EndTime)),
	}
	if reasons := job.Reasons(); len(reasons) > 0 {
		rows = append(rows, l.words("Says", strings.Join(reasons, "; ")))
	}
	rows[2][1] = l.jobStatus(job)
	for _, row := range rows {
		row[0].style = l.theme.Label
	}
	return p.printRows(rows)
}

func (l *look) jobStatus(job adminapi.Job) cell {
	switch {
	case job.Status == "":
		return cell{text: l.marked(l.theme.Glyphs.Unknown, "gone"), style: l.theme.Unknown}
	case job.Completed():
		return cell{text: l.marked(l.theme.Glyphs.Pass, job.Status), style: l.theme.OK}
	case job.Broken():
		return cell{text: l.marked(l.theme.Glyphs.Fail, job.Status), style: l.theme.Fail}
	}
	return cell{text: l.marked(l.theme.Glyphs.Running, job.Status), style: l.theme.Running}
}
