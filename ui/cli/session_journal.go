package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"slices"
	"sync"
	"sync/atomic"

	"geodeck/adminapi"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/operation"
)

// lazyJournal is the journal of a site, opened when there is something to record:
// commands that only read leave no trace. It observes the writes of the client; what it
// cannot record is not sent.
type lazyJournal struct {
	open   func() (*journal.Journal, error) // the same answer every time
	opened atomic.Pointer[journal.Journal]
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

// close ends the use of the journal if it was opened: its drafts are then open in no
// program.
func (l *lazyJournal) close() {
	if j := l.opened.Load(); j != nil {
		_ = j.Close() // too late to report
	}
}

// journalOf returns the journal of the site with that administrative root. Nothing
// is opened yet.
func (s *session) journalOf(base *url.URL) *lazyJournal {
	return newLazyJournal(func() (*journal.Journal, error) {
		folder, err := s.stateFolder()
		if err != nil {
			return nil, err
		}
		return journal.Open(folder, journal.SiteOf(base), journal.WithClock(s.from.clock), journal.WithRand(s.from.rand),
			journal.WithFiles(s.from.disk), journal.WithVersion(s.from.userAgent))
	})
}

// journal opens the journal of the site, which is open.
func (s *session) journal() (*journal.Journal, error) { return s.opened.soFar().journal.open() }

// BeforeWrite records a write that is about to be sent.
func (l *lazyJournal) BeforeWrite(w adminapi.Write) error {
	j, err := l.open()
	if err == nil {
		err = j.BeforeWrite(w)
	}
	return err
}

// AfterWrite records the outcome of a write. Without a journal it was not sent.
func (l *lazyJournal) AfterWrite(w adminapi.Write, outcome adminapi.Outcome, err error) {
	if j, closed := l.open(); closed == nil {
		j.AfterWrite(w, outcome, err)
	}
}

// siteToWrite is site for commands that record more in the journal than their writes. It
// fails without a journal.
func (s *session) siteToWrite(ctx context.Context) (operation.Site, error) {
	site, err := s.site(ctx)
	if err != nil {
		return site, err
	}
	if site.Memory.Journal, err = s.journal(); err != nil {
		return site, &operation.UnrecordedError{Err: err}
	}
	s.warned.Do(func() {
		if err := site.Memory.Journal.LockWarning(); err != nil {
			s.say("warning: " + err.Error())
		}
		if of, err := s.settings(); err == nil && of.site.from == fromUse {
			s.from.print("site: " + of.site.value + ", chosen with " + fromUse)
		}
	})
	return site, nil
}

// siteFor is siteToWrite, but for a dry run, which records nothing.
func (s *session) siteFor(ctx context.Context, dryRun bool) (operation.Site, error) {
	if dryRun {
		return s.site(ctx)
	}
	return s.siteToWrite(ctx)
}

// siteToSend is siteToWrite, and checks that a write on a target may be sent.
func (s *session) siteToSend(ctx context.Context, target string) (operation.Site, error) {
	site, err := s.siteToWrite(ctx)
	if err == nil {
		err = s.maySend(ctx, site, target)
	}
	return site, err
}

// checkSend returns why a write on a target would not be sent now, nil where it would, for
// a dry run: that makes no state folder, and where there is none, nothing is in the way.
func (s *session) checkSend(ctx context.Context, target string) error {
	site, err := s.site(ctx)
	if folder, unknown := s.stateFolder(); err == nil && (unknown != nil || !s.isMissing(folder)) {
		site, err = s.siteToSend(ctx, target)
	}
	if err == nil {
		err = site.Client.Writable()
	}
	return err
}

// isMissing reports whether nothing is at a path, not even a broken link.
func (s *session) isMissing(path string) bool {
	_, err := s.from.disk.Lstat(path)
	return errors.Is(err, fs.ErrNotExist)
}

// siteWithJournal is site for commands that read what this machine has recorded.
func (s *session) siteWithJournal(ctx context.Context) (operation.Site, error) {
	site, err := s.site(ctx)
	if err != nil {
		return site, err
	}
	if site.Memory.Journal, err = s.journal(); err != nil {
		return site, unreadRecord(err)
	}
	return site, nil
}

// unreadRecord says that what this machine has recorded about a site cannot be read.
func unreadRecord(err error) error {
	return refusal("not readable", operation.Advice(&operation.UnrecordedError{Err: err}),
		fmt.Errorf("the records of the site cannot be read: %w", err))
}

// maySend fails if an earlier write on a target is not settled, before the next one is
// prepared.
func (s *session) maySend(ctx context.Context, site operation.Site, target string) error {
	open, _ := site.Memory.Journal.OpenRecords(target)
	if err := site.CheckSend(ctx, target); err != nil || len(open) == 0 {
		return err
	}
	now, _ := site.Memory.Journal.Actions(0)
	for _, r := range now {
		settled := slices.ContainsFunc(open, func(o journal.Record) bool { return o.ID == r.ID }) && !r.Open()
		if settled && !r.Overridden {
			s.say("the earlier request to " + r.Operation + " (" + r.Subject + ") is " + r.Outcome.String() + ": " + r.Note)
		}
	}
	return nil
}

// record opens what this machine has recorded of the site, to be read: the site is not
// contacted, and nothing is created. The error matches [fs.ErrNotExist] where there is nothing.
func (s *session) record() (*journal.Journal, error) {
	of, err := s.settings()
	if err != nil {
		return nil, err
	}
	if of.url.value == "" {
		return nil, badInput("", errNoSite)
	}
	return s.recordAt(of.url.value)
}

// recordAt is record for the site at an address.
func (s *session) recordAt(address string) (*journal.Journal, error) {
	base, _, err := adminapi.ParseBase(address, true) // nothing is sent
	if err != nil {
		return nil, badInput("", err)
	}
	folder, err := s.stateFolder()
	if err != nil {
		return nil, err
	}
	return journal.OpenExisting(folder, journal.SiteOf(base), journal.WithClock(s.from.clock), journal.WithRand(s.from.rand), journal.WithFiles(s.from.disk))
}
