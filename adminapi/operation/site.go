package operation

import (
	"context"

	"geodeck/adminapi"
)

// Site is what every operation needs of a site.
type Site struct {
	Client *adminapi.Client
	Clock  adminapi.Clock
}

// Overview is what the dashboard shows of a site in its header. What could not
// be read is absent, with its error.
type Overview struct {
	Root    adminapi.Root
	Mode    adminapi.Mode
	Self    adminapi.Self
	Upgrade adminapi.UpgradeStatus

	RootErr, ModeErr, SelfErr, UpgradeErr error
}

// Look reads the overview. The error is that of the root: without it the site
// cannot be used.
func (s Site) Look(ctx context.Context) (Overview, error) { panic("contract only") }
