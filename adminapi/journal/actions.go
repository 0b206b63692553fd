package journal

import "geodeck/adminapi"

var _ adminapi.WriteObserver = (*Journal)(nil)

// BeforeWrite records a write that is about to be sent, on disk. After an error
// it must not be sent, for nobody would know of it.
func (j *Journal) BeforeWrite(w adminapi.Write) error { panic("contract only") }

// AfterWrite records what became of a write. Where that cannot be stored the
// write stays pending, and [Journal.Problem] says why.
func (j *Journal) AfterWrite(w adminapi.Write, outcome adminapi.Outcome, err error) {
	panic("contract only")
}

// Problem returns the last failure to record an outcome, nil since one was
// recorded.
func (j *Journal) Problem() error { panic("contract only") }

// Resolve records what was found out later of a write whose outcome was not
// known: how is a sentence for the reader, such as "the upgrade runs".
func (j *Journal) Resolve(id string, outcome adminapi.Outcome, how string) error {
	panic("contract only")
}

// Actions returns the newest writes first, at most limit of them, all of them
// with a limit of 0. Lines that cannot be read are left out; see [Journal.Verify].
func (j *Journal) Actions(limit int) ([]Record, error) { panic("contract only") }

// Pending returns the writes without an outcome, newest first: a program ended
// between sending and recording, or one is still waiting for its answer.
func (j *Journal) Pending() ([]Record, error) { panic("contract only") }

// Verify reads the whole log of writes and returns the number of the first line
// that was changed, or that follows a line that was removed or added; 0 where
// the log is as it was written. A last line that was cut off by a crash is no
// change: nothing was ever sent on its strength. Lines removed from the end
// cannot be noticed.
func (j *Journal) Verify() (line int, err error) { panic("contract only") }
