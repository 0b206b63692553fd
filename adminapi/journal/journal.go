package journal

import "geodeck/adminapi"

// Journal remembers one site. It is safe for concurrent use, also by several
// journals of the same site, in this program and in others. It is the observer
// of the writes of a client: see [Journal.BeforeWrite].
type Journal struct {
	clock adminapi.Clock
}

// Option changes how a journal is opened.
type Option func(*Journal)

// WithClock sets where the times of the journal come from, instead of from the
// machine's clock.
func WithClock(clock adminapi.Clock) Option {
	return func(j *Journal) { j.clock = clock }
}

// Open opens the journal of a site, such as https://gis.example.org/ctx (see
// [SiteOf]), below folder, and makes what is missing. The errors are sentences:
// the folder is a file, a symbolic link, belongs to another user, others may
// write to it, no space is left, it may not be written.
func Open(folder, site string, options ...Option) (*Journal, error) { panic("contract only") }

// OpenThrowaway opens a journal in a temporary folder of its own, which Close
// removes: for the demonstration and for tests.
func OpenThrowaway(options ...Option) (*Journal, error) { panic("contract only") }

// Close ends the use of the journal. A throwaway journal is removed.
func (j *Journal) Close() error { panic("contract only") }

// Folder returns the folder that holds the journal of this site.
func (j *Journal) Folder() string { panic("contract only") }
