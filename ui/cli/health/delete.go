package health

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"geodeck/adminapi"
	"geodeck/adminapi/health"
	"geodeck/adminapi/lists"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/reporting"
	"geodeck/adminapi/plain"
	"geodeck/ui/cli/command"
	"geodeck/ui/cli/exit"
	"geodeck/ui/cli/output"
)

func (h commands) deleteCommand() *cobra.Command {
	var dryRun bool
	cmd := &cobra.Command{
		Use:   "delete ID...",
		Short: "Delete reports at the site, permanently",
		Long: `Delete reports at the site, permanently.

ID is the whole id as health reports prints it. If the site lacks one of them, nothing is
sent. On a terminal, the reports are listed and you confirm with the word delete. All are
deleted with one request; if its answer is lost, the list is read for 30 s to find out.
-o json prints an object with the reports, outcome and verdict.

Exit codes: 0 done; 2 the site has no such report; 4 refused; 5 not sent, safe to try
again; 6 sent, outcome unknown.`,
		Example: `  geodeck health delete abcdefghij
  geodeck health delete $(geodeck health reports --result failed -o json | jq -r '.items[].id') --dry-run`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, ids []string) error { return h.deleteReports(cmd.Context(), ids, dryRun) },
	}
	command.AddDryRun(cmd, &dryRun)
	return cmd
}

// deletedJSON is the result of a deletion.
type deletedJSON struct {
	Reports []reportJSON      `json:"reports"`
	Request *adminapi.Request `json:"request,omitempty"` // only of a dry run
	Sent    bool              `json:"sent"`
	Deleted bool              `json:"deleted"`
	Outcome string            `json:"outcome"` // planned, done, refused, unknown or not sent
	Verdict *string           `json:"verdict"` // succeeded; null where that was not seen
}

func (h commands) deleteReports(ctx context.Context, ids []string, dryRun bool) error {
	site, err := h.Session.SiteFor(ctx, dryRun)
	if err != nil {
		return err
	}
	reports, err := site.Reports().Named(ctx, ids)
	if _, unknown := errors.AsType[*reporting.UnknownError](err); unknown {
		return exit.BadInput("List them: {command:health reports}", err)
	}
	if err != nil {
		return err
	}
	ids = lists.Each(reports, func(r adminapi.ReportSummary) string { return r.ID })
	if !h.Out.JSON() {
		if err := output.PrintEach(h.Out, reports, reportColumns, reportRow); err != nil {
			return err
		}
	}
	for _, r := range reports {
		if health.SystemMade(r) {
			h.Out.Note("warning: the platform made the report " + r.ID + ", after an upgrade or on a schedule")
		}
	}
	if dryRun {
		return h.printDryDelete(ctx, site, reports, ids)
	}
	if err := site.Client.Writable(); err != nil {
		return err
	}
	if ask := command.NewPrompter(h.Env); ask != nil {
		question := "The site deletes " + plain.Plural(len(ids), "report") + " permanently. Type delete to confirm:"
		if err := ask.Word(ctx, question, "delete"); err != nil {
			return err
		}
	}
	return h.sendDelete(ctx, site, reports, ids)
}

func (h commands) printDryDelete(ctx context.Context, site operation.Site, reports []adminapi.ReportSummary, ids []string) error {
	request, err := operation.ReportDeletion{IDs: ids}.Prepare(site).Request(ctx)
	if err != nil {
		return err
	}
	if h.Out.JSON() {
		err = h.Out.PrintValue(deletedJSON{Reports: lists.Each(reports, reportOf), Request: &request, Outcome: "planned"})
	} else {
		err = command.PrintRequest(h.Out, request)
	}
	return cmp.Or(err, site.Client.Writable())
}

func (h commands) sendDelete(ctx context.Context, site operation.Site, reports []adminapi.ReportSummary, ids []string) error {
	answer := command.Loss{Note: h.Out.Note}
	result := site.DeleteReports(ctx, operation.ReportDeletion{IDs: ids}, answer.Lost)
	became := deletedJSON{Reports: lists.Each(reports, reportOf), Sent: result.Sent(), Deleted: result.Done(), Outcome: result.ForScripts(), Verdict: result.Verdict.ForScripts()}
	if result.Done() {
		answer.Found()
	}
	if h.Out.JSON() {
		if err := h.Out.PrintValue(became); err != nil {
			return err
		}
	}
	if !result.Done() || h.Out.JSON() {
		return h.Exit.Of(result)
	}
	return h.Out.PrintLine(fmt.Sprintf("done: deleted %s", strings.Join(ids, ", ")))
}
