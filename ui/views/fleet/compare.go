package fleet

import (
	"context"
	"errors"
	"fmt"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/fleet"
	"geodeck/adminapi/health"
	"geodeck/adminapi/parallel"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
	"geodeck/ui/widget/rows"
)

// comparison is the page that compares the newest reports of two sites.
type comparison struct {
	views.Base
	inks    *rows.Inks
	pager   *rows.Pager
	names   [2]string
	result  health.Comparison
	open    bool
	loading bool
}

// with reads the newest reports of two sites.
func (c *comparison) with(a, b fleet.Entry) tea.Cmd {
	c.loading = true
	return c.Scope.Work("compare", func(ctx context.Context) func() tea.Cmd {
		var reports [2]*adminapi.Report
		var errs [2]error
		var both parallel.Group
		for i, entry := range []fleet.Entry{a, b} {
			both.Go(func() { reports[i], errs[i] = entry.NewestReport(ctx) })
		}
		both.Wait()
		return func() tea.Cmd { return c.show([2]string{a.Name, b.Name}, reports, errs) }
	})
}

// show shows the comparison, or says why there is none.
func (c *comparison) show(names [2]string, reports [2]*adminapi.Report, errs [2]error) tea.Cmd {
	c.loading = false
	for i, err := range errs {
		switch {
		case errors.Is(err, adminapi.KindSignIn):
			return views.Send(views.Failed(names[i]+views.Keys(" needs a sign-in: press {key:fleet.open} on it to go there and sign in."), err))
		case err != nil:
			return views.TellFailed(names[i]+" cannot be compared", err)
		case reports[i] == nil:
			return views.Tell(views.Info, names[i]+" has no health report yet.")
		}
	}
	c.names, c.result, c.open = names, health.Compare(*reports[0], *reports[1]), true
	c.pager.Home()
	c.fill()
	return nil
}

func (c *comparison) title() string { return c.names[0] + " " + c.inks.Glyphs.Arrow + " " + c.names[1] }

// SetSize gives the page its cells.
func (c *comparison) SetSize(width, height int) {
	c.Base.SetSize(width, height)
	c.pager.SetSize(width, max(0, height-2))
	if c.open {
		c.fill()
	}
}

// fill writes the page: the reports, what changed in words, and each test that differs.
func (c *comparison) fill() {
	k := c.inks
	page := &rows.Page{Inks: k, Width: c.Width}
	for i, report := range []adminapi.Report{c.result.Before, c.result.After} {
		verdict := health.Overall(report)
		page.Status(verdictStatus(verdict), fmt.Sprintf("%s: %s, %s, %s", c.names[i], verdict, plain.Clip(plain.Line(report.Name), 60), c.Env.Times.Minute(report.StartTime.Time())))
	}
	page.Gap()
	page.Text(k.Strong, c.result.Words()+".")
	if c.result.Counts[health.Same] < len(c.result.Differences) {
		page.Gap()
	}
	for _, d := range c.result.Differences {
		if d.Change == health.Same {
			continue
		}
		page.Status(changeStatus[d.Change], fmt.Sprintf("%s: %s (%s %s %s), %s", d.Change, plain.Line(d.Name), verdictOf(d.Before), k.Glyphs.Arrow, verdictOf(d.After), plain.Line(d.SuiteName)))
	}
	page.Gap()
	page.Text(k.Muted, fmt.Sprintf("%d of %d tests are the same.", c.result.Counts[health.Same], len(c.result.Differences)))
	c.pager.Set(page.Lines)
}

// View draws the page.
func (c *comparison) View() string {
	head := c.inks.Beside(c.inks.Heading.On("Health: "+c.title()), c.pager.Position(), c.Width)
	return c.inks.Headed(c.Width, c.Height, c.pager.View(), head, "")
}

func verdictOf(t *adminapi.TestResult) string {
	if t == nil {
		return "-"
	}
	return health.JudgeTest(*t).String()
}

func verdictStatus(v health.Verdict) rows.Status {
	switch {
	case v.Bad():
		return rows.StatusFailed
	case v == health.Warning:
		return rows.StatusWarning
	case v.Good():
		return rows.StatusPassed
	}
	return rows.StatusUnknown
}

// changeStatus are the marks of changes; of others it is not known whether they are good.
var changeStatus = map[health.Change]rows.Status{
	health.NewlyFailing: rows.StatusFailed, health.StillFailing: rows.StatusFailed,
	health.Fixed: rows.StatusPassed, health.Removed: rows.StatusWarning, health.Slower: rows.StatusWarning,
}
