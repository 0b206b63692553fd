package session

import (
	"context"

	"geodeck/adminapi"
	"geodeck/adminapi/fleet"
	"geodeck/adminapi/plain"
	"geodeck/adminapi/sites"
)

// Fleet returns the sites of config.yaml. Each is connected to with its own sign-in: flags and
// environment are for the chosen one alone. token returns the one that this program has of a
// site; nil for none. note takes what is to be said about a site.
func (s *Session) Fleet(token func(Visited) adminapi.Token, note func(site, text string)) ([]fleet.Entry, error) {
	if _, err := s.Settings(); err != nil {
		return nil, err
	}
	file, err := s.SitesFile()
	if err != nil {
		return nil, err
	}
	var entries []fleet.Entry
	for place, site := range file.Sites() {
		one := s.Of(site.Name, Variant{among: true, Note: func(text string) { note(site.Name, text) }})
		maxAge, _ := adminapi.ParseSpan(site.MaxAge) // the file was checked: none where it says none
		entries = append(entries, fleet.Entry{
			Name: site.Name, Address: plain.Line(site.URL), Production: site.Production,
			Locked: site.Locked() && !one.Unlocks(site.Name), Slow: site.Slow, Place: place, MaxAge: maxAge,
			Open: func(ctx context.Context) (fleet.Connection, error) { return one.amongOthers(ctx, token) },
		})
	}
	return entries, nil
}

// amongOthers opens the site without its token, which is got once it has answered.
func (s *Session) amongOthers(ctx context.Context, token func(Visited) adminapi.Token) (fleet.Connection, error) {
	site, _, err := s.Open(ctx)
	if err != nil {
		return fleet.Connection{}, err
	}
	of, err := s.Settings()
	if err != nil {
		return fleet.Connection{}, err
	}
	conn := fleet.Connection{Site: site, Kept: of.signIn.Value != "" && of.signIn.Value != string(sites.Ask),
		SignIn: s.SignIn}
	if token == nil {
		return conn, nil
	}
	conn.SignIn = func(ctx context.Context) error {
		err := s.SignIn(ctx)
		if here := token(of.Visited(site.Client)); here.Known() && !site.Client.Session.Token().Known() {
			site.Client.Session.SetToken(here)
			return nil
		}
		return err
	}
	return conn, nil
}

// Visited is a site that was on the dashboard, as it was signed in to: one that is called or signed
// in to otherwise gets no token of it, not even at the same address.
type Visited struct {
	name, root, user string
	how              sites.SignIn
}

// Visited is the site as it is signed in to.
func (s Settings) Visited(client *adminapi.Client) Visited {
	return Visited{s.Named.Name, client.Base().String(), s.User.Value, s.Named.SignIn}
}
