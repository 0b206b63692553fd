package operation

import (
	"context"
	"sync"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/upgrade/progress"
)

// Site is what every operation needs of a site.
type Site struct {
	Client  *adminapi.Client
	Clock   adminapi.Clock
	Rand    adminapi.Rand    // nil means [adminapi.SystemRand]
	Journal *journal.Journal // what this machine remembers of the site
}

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

// Look reads the overview, its parts at the same time. The error is that of the
// root: without it the site cannot be used.
func (s Site) Look(ctx context.Context) (Overview, error) {
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
