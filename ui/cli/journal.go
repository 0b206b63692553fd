package cli

import (
	"cmp"
	"context"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/spf13/cobra"

	"geodeck/adminapi"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/plain"
)

// lazyJournal is the journal of a site, opened when there is something to record:
// commands that only read need none, and leave no trace. It is the observer of
// the client's writes; what it cannot record is not sent.
type lazyJournal struct {
	open    func() (*journal.Journal, error) // the same answer every time
	opened  atomic.Pointer[journal.Journal]
	refused atomic.Bool // something was not sent, since it could not be recorded
}

func newLazyJournal(open func() (*journal.Journal, error)) *lazyJournal {
	l := &lazyJournal{}
	l.open = sync.OnceValues(func() (*journal.Journal, error) {
		j, err := open()
		l.opened.Store(j)
		return j, err
	})
	return l
}

// close ends the use of the journal, where it was opened: what it keeps as drafts is
// open in no program then.
func (l *lazyJournal) close() {
	if j := l.opened.Load(); j != nil {
		_ = j.Close() // there is nobody left to tell
	}
}

// journalOf returns the journal of the site with that administrative root. Nothing
// is opened yet.
func (c *connection) journalOf(base *url.URL) *lazyJournal {
	return newLazyJournal(func() (*journal.Journal, error) {
		folder, err := c.stateFolder()
		if err != nil {
			return nil, err
		}
		return journal.Open(folder, journal.SiteOf(base), journal.WithClock(c.clock))
	})
}

// stateFolder is where the journals of all sites are.
func (c *connection) stateFolder() (string, error) {
	if c.stateDir != "" {
		return c.stateDir, nil
	}
	return journal.DefaultFolder(c.env)
}

// close ends the use of the journal, where there is one.
func (c *connection) close() {
	if c.journal != nil {
		c.journal.close()
	}
}

// BeforeWrite records a write that is about to be sent.
func (l *lazyJournal) BeforeWrite(w adminapi.Write) error {
	j, err := l.open()
	if err == nil {
		err = j.BeforeWrite(w)
	}
	if err != nil {
		l.refused.Store(true)
	}
	return err
}

// AfterWrite records what became of a write. Where there is no journal it was
// not sent.
func (l *lazyJournal) AfterWrite(w adminapi.Write, outcome adminapi.Outcome, err error) {
	if j, closed := l.open(); closed == nil {
		j.AfterWrite(w, outcome, err)
	}
}

// siteToWrite is site for commands that keep more in the journal than their writes.
// Without a journal nothing is begun.
func (c *connection) siteToWrite() (operation.Site, error) {
	site, err := c.site()
	if err != nil {
		return site, err
	}
	if site.Journal, err = c.journal.open(); err != nil {
		return site, &failure{code: exitRefused, kind: adminapi.KindReadOnly.String(), err: err,
			advice: "Nothing was sent, since it could not be recorded. " + cmp.Or(operation.Advice(err), adviceStateDir)}
	}
	if err := site.Journal.Unlocked(); err != nil && !c.warned {
		c.warned = true
		c.out.note("warning: " + err.Error())
	}
	return site, nil
}

// siteFor is siteToWrite, but for a dry run, which records nothing.
func (c *connection) siteFor(dryRun bool) (operation.Site, error) {
	if dryRun {
		return c.site()
	}
	return c.siteToWrite()
}

// siteToSend is siteToWrite, and looks whether a write on a target may be sent.
func (c *connection) siteToSend(ctx context.Context, target string) (operation.Site, error) {
	site, err := c.siteToWrite()
	if err == nil {
		err = c.maySend(ctx, site, target)
	}
	return site, err
}

// siteWithJournal is site for commands that are about nothing but what this machine
// remembers.
func (c *connection) siteWithJournal() (operation.Site, error) {
	site, err := c.site()
	if err != nil {
		return site, err
	}
	if site.Journal, err = c.journal.open(); err != nil {
		return site, &failure{code: exitFailed, err: err, kind: "failed", advice: adviceStateDir}
	}
	return site, nil
}

// siteWithOptionalJournal is site for commands that also read what this machine remembers. A
// site without a journal can be read all the same.
func (c *connection) siteWithOptionalJournal() (operation.Site, error) {
	site, err := c.site()
	if err != nil {
		return site, err
	}
	if site.Journal, err = c.journal.open(); err != nil {
		c.out.note("warning: nothing is remembered of the site: " + err.Error())
	}
	return site, nil
}

// againLong says what the flag is for, in the help of every command that has it.
const againLong = `Where nobody knows what became of an earlier request that changes the same, nothing is
sent (exit 6) until reading settles it. --again lets the next one go all the same: it
takes what the error names, from 10 minutes after an upgrade was sent, else 2.`

// addAgain gives a command the flag that lets a write go after one that is not settled.
func (c *connection) addAgain(cmd *cobra.Command, what string) *cobra.Command {
	cmd.Flags().StringVar(&c.again, "again", "", "send though the outcome of an earlier request is not known: "+what+", as the error names it")
	cmd.Long = strings.TrimSpace(cmp.Or(cmd.Long, cmd.Short+".")) + "\n\n" + againLong
	return cmd
}

// maySend looks whether an earlier write on a target is in the way, before anything is
// prepared for the next one.
func (c *connection) maySend(ctx context.Context, site operation.Site, target string) error {
	open, _ := site.Journal.OpenOn(target)
	if err := site.MaySend(ctx, target); err != nil || len(open) == 0 {
		return err
	}
	now, _ := site.Journal.Actions(0)
	for _, r := range now {
		settled := slices.ContainsFunc(open, func(o journal.Record) bool { return o.ID == r.ID }) && !r.Open()
		if settled && r.Outcome != adminapi.OutcomeUnknown {
			c.out.note("the earlier request to " + r.Operation + " (" + r.Subject + ") is " + r.Outcome.String() + ": " + r.Note)
		}
	}
	return nil
}

// lookCommand shows what a write would have changed.
func lookCommand(r journal.Record) string {
	subject := inShell(plain.Line(r.Subject))
	switch {
	case operation.StartsUpgrade(r):
		return "geodeck upgrade status"
	case strings.HasSuffix(r.Path, "/importManifest"):
		return "geodeck upgrade available"
	case strings.Contains(r.Path, "/healthCheck/"):
		return "geodeck health reports"
	case strings.HasSuffix(r.Path, "/start"), strings.HasSuffix(r.Path, "/stop"):
		return "geodeck service list --state"
	case strings.HasSuffix(r.Path, "/placementPolicy/edit"):
		return "geodeck placement get " + subject
	}
	return "geodeck service get " + subject
}
