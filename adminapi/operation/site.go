// Package operation holds what an administrator does, in steps that the
// dashboard and the commands share: it joins calls of package adminapi to operations with
// an end, and decides whether a write is done, refused or of unknown outcome. Calls block
// and take a context; whatever takes long is a [Poller]: a command waits for its end with
// [Wait], and a view chains its steps.
//
// Start at [Site], then poll.go, then [Site.StartHealthRun].
package operation

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"syscall"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/upgrade/progress"
)

// Site is what every operation needs of a site. What comes from outside is in it as a
// value: connections in the client, time, chance, files.
type Site struct {
	Client *adminapi.Client
	Clock  adminapi.Clock
	Rand   adminapi.Rand // nil means [adminapi.SystemRand]
	Files  Files         // what a person names: licences, manifests; nil means [SystemFiles]
	Memory
}

// Memory is what this machine remembers of a site: drafts, what was sent, transcripts.
// Without a journal it is empty.
type Memory struct{ Journal *journal.Journal }

// Overview is what the dashboard shows of a site in its header. What could not
// be read is absent, with its error beside it: absent is not known, never fine.
type Overview struct {
	Root    adminapi.Root
	Mode    adminapi.Mode
	Self    adminapi.Self
	Upgrade adminapi.UpgradeStatus // without its messages
	Run     progress.Run           // the newest that they tell of

	RootErr, ModeErr, SelfErr, UpgradeErr error
}

// Overview fetches the overview, its parts at the same time. The error is that of the
// root: without it the site cannot be used.
func (s Site) Overview(ctx context.Context) (Overview, error) {
	var o Overview
	var parts sync.WaitGroup
	parts.Go(func() { o.Root, o.RootErr = s.Client.Root(ctx) })
	parts.Go(func() { o.Mode, o.ModeErr = s.Client.Mode(ctx) })
	parts.Go(func() { o.Self, o.SelfErr = s.Client.Self(ctx) })
	parts.Go(func() { o.Upgrade, o.UpgradeErr = s.Client.UpgradeStatus(ctx) })
	parts.Wait()
	o.Run, o.Upgrade.Messages = progress.LastRun(o.Upgrade), nil // a log can have megabytes
	return o, o.RootErr
}

// serverNow is the present by the server's clock, this machine's where the
// server has not told its own yet.
func (s Site) serverNow() time.Time {
	ahead, _ := s.Client.ServerTime()
	return s.Clock.Now().Add(ahead)
}

// ErrOutcomeUnknown says that a write may or may not have happened, and that nothing
// at the site decides it. Exit code 6.
var ErrOutcomeUnknown = errors.New("the outcome is not known")

// ErrJobBroken says that a job ended without doing its work. Exit code 1.
var ErrJobBroken = errors.New("the job did not complete")

// ErrUpgradeRuns says that an upgrade runs that is not the one asked for. Exit
// code 4; it can be watched.
var ErrUpgradeRuns = errors.New("an upgrade runs already")

// Advice says what to try where no platform is found at an address, and where something
// could not be recorded or kept on this machine. It is a sentence, empty for any other
// error.
func Advice(err error) string {
	e, ok := errors.AsType[*adminapi.Error](err)
	switch {
	case NoRoom(err):
		return "Make room on that disk, or name another folder with --state-dir."
	case !ok:
		return ""
	case e.Kind == adminapi.KindReadOnly && e.Method == "" && e.Err != nil: // it was not recorded
		return "Try again when that is mended, or name another folder with --state-dir."
	case e.Kind == adminapi.KindUnreachable:
		return "Check the address, the network and HTTPS_PROXY; --ca FILE names a certificate authority of your own."
	case e.Kind == adminapi.KindNotJSON, e.Kind == adminapi.KindNotFound && e.Status == http.StatusNotFound && e.Code == 0:
		return "Check that the address is the administrative root, such as https://gis.example.org/context/admin."
	}
	return ""
}

// NoRoom reports whether something could not be recorded or kept because the disk, or
// what this user may use of it, is full.
func NoRoom(err error) bool { return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) }
