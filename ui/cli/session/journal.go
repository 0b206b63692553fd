package session

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
	"geodeck/adminapi/secrets"
	"geodeck/ui/cli/exit"
)

// Journal is the journal of a site, opened when there is something to record:
// commands that only read leave no trace. It observes the writes of the client; what it
// cannot record is not sent.
type Journal struct {
	Open   func() (*journal.Journal, error) // the same answer every time
	opened atomic.Pointer[journal.Journal]
	sent   atomic.Int32 // writes
}

// NewJournal returns a journal that open opens when there is something to record.
func NewJournal(open func() (*journal.Journal, error)) *Journal {
	l := &Journal{}
	l.Open = sync.OnceValues(func() (*journal.Journal, error) {
		j, err := open()
		l.opened.Store(j)
		return j, err
	})
	return l
}

// Close ends the use of the journal if it was opened: its drafts are then open in no
// program.
func (l *Journal) Close() {
	if j := l.opened.Load(); j != nil {
		_ = j.Close() // too late to report
	}
}

// journalOf returns the journal of the site with that administrative root. Nothing
// is opened yet.
func (s *Session) journalOf(base *url.URL) *Journal {
	return NewJournal(func() (*journal.Journal, error) {
		folder, err := s.StateFolder()
		if err != nil {
			return nil, err
		}
		sender, err := s.Sender()
		if err != nil {
			return nil, err
		}
		return journal.Open(folder, journal.SiteOf(base), append(s.machine(), journal.WithVersion(s.from.UserAgent), sender)...)
	})
}

// machine is what the journals of this machine are opened with.
func (s *Session) machine() []journal.Option {
	return []journal.Option{journal.WithClock(s.from.Clock), journal.WithRand(s.from.Rand), journal.WithFiles(s.from.Disk)}
}

// Sender is what records say of this program: the name of the site, the command line, and why it was run.
func (s *Session) Sender() (journal.Option, error) {
	of, err := s.Settings()
	words := append(slices.Clone(s.from.Args), of.reason)
	if client := s.Client(); client != nil {
		for i, word := range words {
			words[i] = client.Secrets().Text(word, secrets.InKept)
		}
	}
	last := len(words) - 1
	return journal.WithSender(of.Marked.Name, words[:last], words[last]), err
}

// reason is what a flag says, else the environment.
func (s *Session) reason() (string, error) {
	given := Setting{s.from.Flags.Reason, "--reason"}
	if given.Value == "" {
		given = Setting{s.from.Env(envReason), envReason}
	}
	said, err := journal.ParseReason(given.Value)
	if err != nil {
		err = exit.BadInputf("%s: %w; nothing was sent", given.From, err)
	}
	return said, err
}

// Journal opens the journal of the site, which is open.
func (s *Session) Journal() (*journal.Journal, error) { return s.opened.soFar().journal.Open() }

// Sent says whether the command has sent a change, for one whose result cannot be printed; empty where it has
// none to send.
func (s *Session) Sent() string {
	l := s.opened.soFar().journal
	switch {
	case l == nil || l.opened.Load() == nil:
		return ""
	case l.sent.Load() == 0:
		return "Nothing was sent."
	}
	return "The change was sent. What became of it: {command:log --limit 1}"
}

// BeforeWrite records a write that is about to be sent.
func (l *Journal) BeforeWrite(w adminapi.Write) error {
	j, err := l.Open()
	if err == nil {
		err = j.BeforeWrite(w)
	}
	if err == nil {
		l.sent.Add(1)
	}
	return err
}

// AfterWrite records the outcome of a write. Without a journal it was not sent.
func (l *Journal) AfterWrite(w adminapi.Write, outcome adminapi.Outcome, err error) {
	if j, closed := l.Open(); closed == nil {
		j.AfterWrite(w, outcome, err)
	}
}

// SiteToWrite is site for commands that record more in the journal than their writes. It
// fails without a journal.
func (s *Session) SiteToWrite(ctx context.Context) (operation.Site, error) {
	site, err := s.Site(ctx)
	if err != nil {
		return site, err
	}
	if site.Memory.Journal, err = s.Journal(); err != nil {
		return site, &operation.UnrecordedError{Err: err}
	}
	s.warned.Do(func() {
		if err := site.Memory.Journal.LockWarning(); err != nil {
			s.Say("warning: " + err.Error())
		}
		if of, err := s.Settings(); err == nil && of.Site.From == fromUse {
			s.from.Print("site: " + of.Site.Value + ", chosen with " + fromUse)
		}
	})
	return site, nil
}

// SiteFor is SiteToWrite, but for a dry run, which records nothing.
func (s *Session) SiteFor(ctx context.Context, dryRun bool) (operation.Site, error) {
	if dryRun {
		site, err := s.Site(ctx)
		if record, none := s.Record(); none == nil { // without it an edit gets a caution more
			site.Memory.Earlier = record
		}
		return site, err
	}
	return s.SiteToWrite(ctx)
}

// SiteToSend is SiteFor, and checks that a write on a target may be sent, unless it is a dry run.
func (s *Session) SiteToSend(ctx context.Context, target string, dryRun bool) (operation.Site, error) {
	site, err := s.SiteFor(ctx, dryRun)
	if err == nil && !dryRun {
		err = s.MaySend(ctx, site, target)
	}
	return site, err
}

// CheckSend returns why a write on a target would not be sent now, nil where it would, for
// a dry run: that makes no state folder, and where there is none, nothing is in the way.
func (s *Session) CheckSend(ctx context.Context, target string) error {
	site, err := s.Site(ctx)
	if folder, unknown := s.StateFolder(); err == nil && (unknown != nil || !s.isMissing(folder)) {
		site, err = s.SiteToSend(ctx, target, false)
	}
	if err == nil {
		err = site.Client.Writable()
	}
	return err
}

// isMissing reports whether nothing is at a path, not even a broken link.
func (s *Session) isMissing(path string) bool {
	_, err := s.from.Disk.Lstat(path)
	return errors.Is(err, fs.ErrNotExist)
}

// SiteWithJournal is site for commands that read what this machine has recorded.
func (s *Session) SiteWithJournal(ctx context.Context) (operation.Site, error) {
	site, err := s.Site(ctx)
	if err != nil {
		return site, err
	}
	if site.Memory.Journal, err = s.Journal(); err != nil {
		return site, UnreadRecord(err)
	}
	return site, nil
}

// WithRecord returns a site that is open with what this machine has recorded, where that can be read: an explanation knows
// less without it, and is none the worse for the site.
func (s *Session) WithRecord(site operation.Site) operation.Site {
	site.Memory.Journal, _ = s.Journal()
	return site
}

// UnreadRecord says that what this machine has recorded about a site cannot be read, unless the mistake is which site.
func UnreadRecord(err error) error {
	if _, explained := errors.AsType[*exit.Failure](err); explained {
		return err
	}
	return exit.Refusal("not readable", operation.Advice(&operation.UnrecordedError{Err: err}),
		fmt.Errorf("the records of the site cannot be read: %w", err))
}

// MaySend fails if an earlier write on a target is not settled, before the next one is
// prepared.
func (s *Session) MaySend(ctx context.Context, site operation.Site, target string) error {
	open, _ := site.Memory.Journal.OpenRecords(target)
	if err := site.CheckSend(ctx, target); err != nil || len(open) == 0 {
		return err
	}
	now, _ := site.Memory.Journal.Actions(0)
	for _, r := range now {
		settled := slices.ContainsFunc(open, func(o journal.Record) bool { return o.ID == r.ID }) && !r.Open()
		if settled && !r.Overridden {
			s.Say("the earlier request to " + r.Operation + " (" + r.Subject + ") is " + r.Outcome.String() + ": " + r.Note)
		}
	}
	return nil
}

// Record opens what this machine has recorded of the site, to be read: the site is not
// contacted, and nothing is created. The error matches [fs.ErrNotExist] where there is nothing.
func (s *Session) Record() (*journal.Journal, error) {
	of, err := s.Settings()
	if err != nil {
		return nil, err
	}
	if of.URL.Value == "" {
		return nil, exit.BadInput(adviceChoose+"Of all sites: {command:log --all-sites}", ErrNoSite)
	}
	sender, err := s.Sender()
	if err != nil {
		return nil, err
	}
	return s.RecordAt(of.URL.Value, sender)
}

// RecordAt is record for the site at an address.
func (s *Session) RecordAt(address string, more ...journal.Option) (*journal.Journal, error) {
	base, _, err := adminapi.ParseBase(address, true) // nothing is sent
	if err != nil {
		return nil, exit.BadInput("", err)
	}
	folder, err := s.StateFolder()
	if err != nil {
		return nil, err
	}
	return journal.OpenExisting(folder, journal.SiteOf(base), append(s.machine(), more...)...)
}

// Records is Record for all sites of config.yaml, and for others that have records.
func (s *Session) Records() (all []*journal.Journal, err error) {
	file, err := s.SitesFile()
	if err != nil {
		return nil, err
	}
	folder, err := s.StateFolder()
	if err != nil {
		return nil, err
	}
	all, err = journal.OpenAll(folder, s.machine()...)
	for _, site := range file.Sites() {
		if record, none := s.Of(site.Name, Variant{}).Record(); none == nil {
			all = slices.DeleteFunc(all, func(j *journal.Journal) bool { return j.Folder() == record.Folder() })
			all = append(all, record)
		}
	}
	return all, err
}
