package fleet

import (
	"context"
	"errors"

	"geodeck/adminapi"
)

// NewestReport fetches the newest health report of a site that has ended, over a connection of
// its own; nil where there is none.
func (e Entry) NewestReport(ctx context.Context) (*adminapi.Report, error) {
	conn, err := e.Open(ctx)
	if err != nil {
		return nil, &OpenError{err}
	}
	client := conn.Site.Client
	if !conn.Shared {
		defer client.CloseIdleConnections()
	}
	if !client.Token().Known() && conn.SignIn != nil {
		if _, err := client.Root(ctx); err != nil && !errors.Is(err, adminapi.KindSignIn) {
			return nil, err
		}
		if err := conn.SignIn(ctx); err != nil {
			return nil, err
		}
	}
	return conn.Site.NewestReport(ctx)
}
