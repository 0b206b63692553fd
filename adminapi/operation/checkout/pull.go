package checkout

import (
	"context"
	"errors"

	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/editing"
)

// PullState says what a pull has done with a file.
type PullState uint8

// The states.
const (
	PullSame    PullState = iota // the file has what the site has; it was not touched
	PullWritten                  // the file was written
	PullKept                     // the file was changed here, and is kept
	PullGone                     // the site has no such part any more; its file is kept
	PullNone                     // neither the site nor the folder has it
	PullFailed
)

// String returns the state in a word.
func (s PullState) String() string {
	return [...]string{"same", "written", "kept", "gone", "none", "failed"}[s]
}

// PulledFile is what a pull has done with a part of a service.
type PulledFile struct {
	editing.Target
	State PullState
	Err   error // why it failed

	digest string // of what the site has, where the file has it too
}

// Pull writes what the site has into files: those that differ by meaning, in the notation of the site. A file
// that was changed since it was pulled is kept, unless overwrite: it may hold what nobody has applied. Files of
// what the site no longer has are kept. The error is that of the index. The result has the order of the targets.
func (f *Folder) Pull(ctx context.Context, s operation.Site, targets []editing.Target, overwrite bool, report func(done int)) ([]PulledFile, error) {
	all := make([]PulledFile, len(targets))
	f.each(ctx, s, targets, report, func(i int, p pair) { all[i] = f.pull(p, overwrite) })
	now := s.ServerNow()
	for _, p := range all {
		if p.digest != "" {
			f.note(p.Target, p.digest, now)
		}
	}
	return all, f.Save()
}

func (f *Folder) pull(p pair, overwrite bool) PulledFile {
	done := PulledFile{Target: p.Target, State: PullFailed, Err: p.siteErr}
	if t, ok := TargetOf(FileOf(p.Target)); !ok || !t.Same(p.Target) { // it would never be compared
		done.Err = &FileError{FileOf(p.Target), errors.New("no file of the folder can have this name; nothing was written")}
	}
	if done.Err == nil && !overwrite {
		done.Err = p.fileErr
	}
	if done.Err != nil {
		return done
	}
	switch p.in() {
	case Neither:
		done.State = PullNone
		return done
	case OnlyFile:
		done.State = PullGone
		return done
	case Both:
		if c := p.compared(false); c.Err == nil && !c.Differs() {
			done.State, done.digest = PullSame, p.digest
			return done
		}
		if !overwrite && p.changedHere() {
			done.State = PullKept
			return done
		}
	}
	if done.Err = f.write(FileOf(p.Target), []byte(p.left.Root().Subtree()+"\n")); done.Err == nil {
		done.State, done.digest = PullWritten, p.digest
	}
	return done
}
