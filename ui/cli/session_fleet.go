package cli

import (
	"context"

	"geodeck/adminapi"
	"geodeck/adminapi/fleet"
	"geodeck/adminapi/plain"
	"geodeck/adminapi/sites"
)

// fleet returns the sites of config.yaml. Each is connected to with its own sign-in: flags and
// environment are for the chosen one alone. token returns the one that this program has of a
// site; nil for none. note takes what is to be said about a site.
func (s *session) fleet(token func(visited) adminapi.Token, note func(site, text string)) ([]fleet.Entry, error) {
	if _, err := s.settings(); err != nil {
		return nil, err
	}
	file, err := s.sitesFile()
	if err != nil {
		return nil, err
	}
	var entries []fleet.Entry
	for place, site := range file.Sites() {
		one := s.of(site.Name, variant{among: true, note: func(text string) { note(site.Name, text) }})
		entries = append(entries, fleet.Entry{
			Name: site.Name, Address: plain.Line(site.URL), Production: site.Production, Locked: site.Locked() && !one.unlocks(site.Name), Slow: site.Slow, Place: place,
			Open: func(ctx context.Context) (fleet.Connection, error) { return one.amongOthers(ctx, token) },
		})
	}
	return entries, nil
}

// amongOthers opens the site without its token, which is got once it has answered.
func (s *session) amongOthers(ctx context.Context, token func(visited) adminapi.Token) (fleet.Connection, error) {
	site, _, err := s.open(ctx)
	if err != nil {
		return fleet.Connection{}, err
	}
	of, err := s.settings()
	if err != nil {
		return fleet.Connection{}, err
	}
	conn := fleet.Connection{Site: site, Kept: of.signIn.value != "" && of.signIn.value != string(sites.Ask), SignIn: s.signIn}
	if token == nil {
		return conn, nil
	}
	conn.SignIn = func(ctx context.Context) error {
		err := s.signIn(ctx)
		if here := token(of.visited(site.Client)); here.Known() && !site.Client.Session.Token().Known() {
			site.Client.Session.SetToken(here)
			return nil
		}
		return err
	}
	return conn, nil
}

// visited is a site that was on the dashboard, as it was signed in to: one that is called or signed
// in to otherwise gets no token of it, not even at the same address.
type visited struct {
	name, root, user string
	how              sites.SignIn
}

func (s settings) visited(client *adminapi.Client) visited {
	return visited{s.named.Name, client.Base().String(), s.user.value, s.named.SignIn}
}
