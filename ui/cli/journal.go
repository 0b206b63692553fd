package cli

import (
	"cmp"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"

	"geodeck/adminapi"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/operation"
	"geodeck/ui"
)

// book is the journal of a site, opened when there is something to record:
// commands that only read need none, and leave no trace. It is the observer of
// the client's writes; what it cannot record is not sent.
type book struct {
	open    func() (*journal.Journal, error) // the same answer every time
	opened  atomic.Pointer[journal.Journal]
	refused atomic.Bool // something was not sent, since it could not be recorded
}

func newBook(open func() (*journal.Journal, error)) *book {
	b := &book{}
	b.open = sync.OnceValues(func() (*journal.Journal, error) {
		j, err := open()
		b.opened.Store(j)
		return j, err
	})
	return b
}

// close ends the use of the journal, where it was opened: what it keeps as drafts is
// open in no program then.
func (b *book) close() {
	if j := b.opened.Load(); j != nil {
		_ = j.Close() // there is nobody left to tell
	}
}

// bookOf returns the journal of the site with that administrative root. Nothing
// is opened yet.
func (p *program) bookOf(base *url.URL) *book {
	return newBook(func() (*journal.Journal, error) {
		folder, err := p.stateFolder()
		if err != nil {
			return nil, err
		}
		return journal.Open(folder, journal.SiteOf(base), journal.WithClock(p.Clock))
	})
}

// stateFolder is where the journals of all sites are.
func (p *program) stateFolder() (string, error) {
	if p.flags.stateDir != "" {
		return p.flags.stateDir, nil
	}
	return journal.DefaultFolder(p.Env)
}

// BeforeWrite records a write that is about to be sent.
func (b *book) BeforeWrite(w adminapi.Write) error {
	j, err := b.open()
	if err == nil {
		err = j.BeforeWrite(w)
	}
	if err != nil {
		b.refused.Store(true)
	}
	return err
}

// AfterWrite records what became of a write. Where there is no journal it was
// not sent.
func (b *book) AfterWrite(w adminapi.Write, outcome adminapi.Outcome, err error) {
	if j, closed := b.open(); closed == nil {
		j.AfterWrite(w, outcome, err)
	}
}

// connectToWrite is connect for commands that keep more in the journal than
// their writes. Without a journal nothing is begun.
func (p *program) connectToWrite() (operation.Site, error) {
	site, err := p.connect()
	if err != nil {
		return site, err
	}
	if site.Journal, err = p.book.open(); err != nil {
		return site, &failure{code: exitRefused, kind: adminapi.KindReadOnly.String(), err: err,
			advice: "Nothing was sent, since it could not be recorded. " + cmp.Or(operation.Advice(err), adviceStateDir)}
	}
	if err := site.Journal.Unlocked(); err != nil {
		p.once.Do(func() { p.note("warning: " + err.Error()) })
	}
	return site, nil
}

// remember gives a dashboard its journal, and returns what ends the use of it.
// Without one the site can be read all the same.
func (p *program) remember(o *ui.Options) (end func() error) {
	if o.Site.Client == nil {
		return func() error { return nil }
	}
	j, err := p.book.open()
	if err != nil {
		o.Unrecorded = err
		return func() error { return nil }
	}
	o.Site.Journal = j
	if err := j.Unlocked(); err != nil {
		o.Notice = strings.TrimSpace(o.Notice + " " + err.Error())
	}
	return j.Close
}
