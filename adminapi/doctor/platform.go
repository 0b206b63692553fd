package doctor

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/parallel"
	"geodeck/adminapi/secrets"
)

// newClient makes a client of a root, which never writes.
func (e *examination) newClient(base *url.URL, token adminapi.Token) (*adminapi.Client, error) {
	return adminapi.New(adminapi.Config{
		Base: base.String(), Insecure: e.Insecure, Token: token, AuthHeader: e.AuthHeader, ReadOnly: true, Transport: e.Transport,
		Clock: e.Clock, Rand: e.Rand, Timeout: e.Limit, UserAgent: e.UserAgent, Trace: e.Trace,
	})
}

// checkPath fetches the administrative root, with the token if there is one.
func (e *examination) checkPath(ctx context.Context) *Check {
	if e.AuthHeaderErr != nil {
		return saying(Failed, "The header for the token is not valid.").with(messageOf(e.AuthHeaderErr)).
			advising("Use --auth-header Authorization or X-Esri-Authorization.")
	}
	var token adminapi.Token
	if e.SignIn != nil && e.SignInErr == nil {
		limited, cancel := context.WithTimeout(ctx, e.Limit/2) // the site has to be asked as well
		token, e.SignInErr = e.SignIn.Token(limited)
		cancel()
		e.signInKept = e.SignIn.Kept()
	}
	e.hide(secrets.Of(token.Value))
	client, err := e.newClient(e.base, token)
	if err != nil {
		return saying(Failed, "The settings of the connection cannot be used.").with(messageOf(err))
	}
	e.hide(client.Secrets())
	e.mu.Lock()
	e.client, e.known = client, client
	e.mu.Unlock()
	began := e.Clock.Now()
	e.root, e.rootErr = client.Root(ctx)
	took := tookText(e.Clock.Now().Sub(began))
	path := e.base.EscapedPath()
	known, _ := errors.AsType[*adminapi.Error](e.rootErr)
	switch {
	case e.rootErr == nil:
		return saying(Passed, "The platform answers at %s, in %s.", path, took)
	case isPlatform(e.rootErr):
		return saying(Passed, "The platform answers at %s, in %s.", path, took).with("its words: " + messageOf(e.rootErr))
	case known != nil && known.Kind == adminapi.KindUnreachable && known.Status == 0 && e.secured(ctx) == nil:
		return saying(Failed, "Something takes the connection, but gives no answer of HTTP.").with(messageOf(e.rootErr)).
			advising("Check the port. What listens there may hang, or be no web server.")
	case adminapi.IsMissing(e.rootErr) && client.Answers(ctx):
		return saying(Passed, "The platform answers at %s, in %s.", path, took).with("it does not show its root: " + messageOf(e.rootErr))
	case known != nil && known.Code != 0 && known.Kind != adminapi.KindNotFound:
		return saying(Warning, "The platform answers with an error.").with(e.rootErr.Error()).
			advising("Try again. The site's logs may give the reason.")
	}
	seen := "at " + path + ": " + e.rootErr.Error()
	if adminapi.IsCut(e.rootErr) {
		return saying(Failed, "The platform answers at %s, but half an answer came.", path).with(seen).
			advising("Try again; check the proxy in between.")
	}
	if secure := e.secured(ctx); secure != nil {
		return saying(Failed, "That port speaks https, not http.").with(seen).advising("Use --url " + secure.String() + ".")
	}
	if found := e.findRoots(ctx); len(found) > 0 {
		c := saying(Failed, "The platform is not at %s, but at %s.", path, strings.Join(found, ", ")).with(seen)
		here := *e.base
		here.Path, here.RawPath = found[0], ""
		return c.with("tried as well, signed out: " + strings.Join(e.candidates(), ", ")).advising("Use --url " + here.String() + ".")
	}
	if known != nil && known.Kind == adminapi.KindSignIn {
		return saying(Failed, "A sign-in page stands in front of the platform.").with(seen).
			advising("Behind web-tier sign-in try --auth-header X-Esri-Authorization.")
	}
	return saying(Failed, "No platform answers at %s.", path).with(seen, "tried as well, signed out: "+strings.Join(e.candidates(), ", ")).
		advising("Ask for the context of the site: its root is https://HOST/CONTEXT/admin.")
}

// isPlatform reports whether an error is the platform's refusal of somebody without a token,
// or with the wrong one.
func isPlatform(err error) bool {
	e, ok := errors.AsType[*adminapi.Error](err)
	return ok && e.Code != 0 && (e.Kind == adminapi.KindSignIn || e.Kind == adminapi.KindPrivilege)
}

// candidates are the paths where platforms have their administrative root, without the one
// that was given.
func (e *examination) candidates() []string {
	first, _, _ := strings.Cut(strings.TrimPrefix(e.base.EscapedPath(), "/"), "/")
	var paths []string
	for _, path := range []string{"/" + first + "/admin", "/arcgis/admin", "/portal/admin", "/gis/admin", "/admin"} {
		if path != e.base.EscapedPath() && path != "/admin/admin" && !slices.Contains(paths, path) {
			paths = append(paths, path)
		}
	}
	return paths
}

// findRoots asks for the root at the usual paths, without a token.
func (e *examination) findRoots(ctx context.Context) (found []string) {
	paths := e.candidates()
	answers := make([]bool, len(paths))
	var reads parallel.Group
	for i, path := range paths {
		reads.Go(func() {
			at := *e.base
			at.Path, at.RawPath = path, ""
			client, err := e.newClient(&at, adminapi.Token{})
			if err == nil {
				_, err = client.Root(ctx)
			}
			answers[i] = err == nil || isPlatform(err)
		})
	}
	reads.Wait()
	for i, path := range paths {
		if answers[i] {
			found = append(found, path)
		}
	}
	return found
}

// abilities are what needs a version.
var abilities = []struct {
	what  string
	since adminapi.Version
}{
	{"upgrades", adminapi.VersionUpgrades},
	{"services: definition, start and stop", adminapi.VersionEdit},
	{"import of a version manifest", adminapi.VersionImportManifest},
	{"health checks", adminapi.VersionHealth},
	{"rules of placement", adminapi.VersionPlacement},
}

// checkVersion says what geodeck can do with the version of the site.
func (e *examination) checkVersion(context.Context) *Check {
	switch {
	case errors.Is(e.rootErr, adminapi.KindPrivilege):
		return saying(NotKnown, "The site does not tell you its version.").with(messageOf(e.rootErr)).advising("Your user lacks the privilege for it.")
	case e.rootErr != nil && e.client.Session.Accepted():
		return saying(NotKnown, "The site does not show its version.").with(messageOf(e.rootErr)).
			advising("geodeck tries everything; the site may refuse it.")
	case e.rootErr != nil:
		return saying(NotKnown, "The site tells its version only to who is signed in.")
	}
	version, known := e.client.Version()
	if !known {
		return saying(Warning, "The site names no version that geodeck can read.").with("fullVersion: " + e.root.FullVersion).
			advising("geodeck tries everything; the site may refuse it.")
	}
	var can, cannot []string
	for _, a := range abilities {
		if version.AtLeast(a.since) {
			can = append(can, a.what)
		} else {
			cannot = append(cannot, a.what+" (from "+a.since.String()+")")
		}
	}
	c := saying(Passed, "The site is %s; geodeck can do everything there.", version)
	if len(cannot) > 0 {
		c = saying(Warning, "The site is %s; geodeck can do only a part there.", version).advising("The rest needs a newer version of the site.")
	}
	if len(can) > 0 {
		c = c.with("can: " + strings.Join(can, "; "))
	}
	if len(cannot) > 0 {
		c = c.with("cannot: " + strings.Join(cannot, "; "))
	}
	return c
}

// maxAhead is the largest difference of two clocks that breaks nothing.
const maxAhead = 2 * time.Minute

// checkClock compares this machine's clock with the Date of the last answer.
func (e *examination) checkClock(context.Context) *Check {
	if e.client == nil {
		return saying(NotKnown, "The site was not asked.")
	}
	ahead, known := e.client.ServerTime()
	if !known {
		return saying(NotKnown, "The site's answers have no time.")
	}
	way := "ahead of"
	if ahead < 0 {
		way = "behind"
	}
	now := e.Clock.Now().UTC()
	seen := fmt.Sprintf("here %s, at the site %s", now.Format(time.RFC3339), now.Add(ahead).Format(time.RFC3339))
	if ahead.Abs() > maxAhead {
		return saying(Warning, "The site's clock is %s %s this machine's.", adminapi.FormatSeconds(ahead.Abs()), way).with(seen).
			advising("Set the clock that is wrong. Tokens and certificates may seem to have ended, and times in the records are off.")
	}
	return saying(Passed, "The clocks agree within %s.", adminapi.FormatSeconds(max(ahead.Abs(), time.Second))).with(seen)
}

// checkSignIn says whether the site took the token.
func (e *examination) checkSignIn(ctx context.Context) *Check {
	if errors.Is(e.SignInErr, context.DeadlineExceeded) {
		return saying(NotKnown, "The token did not come in time.").with(e.kept()...).
			advising("See why it takes long: other commands wait for it, too.")
	}
	if e.SignInErr != nil {
		return saying(Failed, "No token could be read.").with(messageOf(e.SignInErr)).with(e.kept()...).
			advising("Correct what it says, or put a token into GEODECK_TOKEN.")
	}
	token := e.client.Session.Token()
	if !token.Known() {
		return saying(NotKnown, "No token is given, so nobody is signed in.").with(e.kept()...).
			advising("Put a token into GEODECK_TOKEN, or into a file for --token-file. The dashboard asks for a sign-in.")
	}
	seen := e.kept()
	if !token.Expires.IsZero() {
		seen = append(seen, "it ends "+token.Expires.Time().UTC().Format(time.RFC3339))
	} else {
		seen = append(seen, "when it ends is not known")
	}
	if e.rootErr != nil && errors.Is(e.rootErr, adminapi.KindSignIn) {
		return e.refused(e.rootErr, seen).advising("Get a new token. One that is bound to a referer has to name geodeck.")
	}
	e.self, e.selfErr = e.client.Session.Self(ctx)
	switch {
	case errors.Is(e.selfErr, adminapi.KindSignIn):
		return e.refused(e.selfErr, seen).advising("Get a new token.")
	case !e.client.Session.Accepted():
		return saying(NotKnown, "Whether the site takes the token is not known.").with(append(seen, messageOf(e.rootErr))...)
	case e.selfErr != nil:
		return saying(Passed, "The site takes the token.").with(append(seen, "who it is for is not known: "+messageOf(e.selfErr))...)
	}
	e.note(ofUser, append(strings.Fields(e.self.FullName), e.self.Username, e.self.FullName)...)
	return saying(Passed, "You are signed in as %s.", e.self.Username).with(seen...)
}

// refused says why the site does not take the token: by its own words, or as its time is over.
func (e *examination) refused(err error, seen []string) *Check {
	why, ends := "The site refuses the token.", e.client.Session.Token().Expires
	ahead, _ := e.client.ServerTime()
	over := !ends.IsZero() && !e.Clock.Now().Add(ahead).Before(ends.Time())
	seen = append(seen, messageOf(err))
	if said, ok := errors.AsType[*adminapi.Error](err); ok {
		seen = append(seen, said.Details...)
		over = over || strings.Contains(strings.ToLower(said.Message+" "+strings.Join(said.Details, " ")), "expired")
	}
	if over {
		why = "The token has expired."
	}
	return saying(Failed, "%s", why).with(seen...)
}

// kept says where the token is from.
func (e *examination) kept() []string {
	if e.signInKept == "" || e.signInKept == "not kept" {
		return nil
	}
	return []string{"from " + e.signInKept}
}

// areas are the parts of geodeck with the privileges that let somebody use them.
var areas = []struct {
	name  string
	needs adminapi.Privileges
}{
	{"health checks and rules of placement", adminapi.ToCheckHealth},
	{"upgrades", adminapi.ToUpgrade},
	{"files of an upgrade", adminapi.ToUpload},
	{"edits of services", adminapi.ToEdit},
	{"pods of the platform", adminapi.ToSeeDeployments},
}

// checkPrivileges compares what the portal says that the user may do with what geodeck needs.
func (e *examination) checkPrivileges(context.Context) *Check {
	switch {
	case e.selfErr != nil || e.self.Username == "":
		return saying(NotKnown, "The portal does not tell who is signed in.").advising("The site checks the privileges with each request.")
	case e.self.Role == adminapi.RoleAdministrator:
		return saying(Passed, "You are an administrator, and may do everything.")
	case len(e.self.Privileges) == 0:
		return saying(NotKnown, "The portal does not tell your privileges.").advising("The site checks them with each request.")
	}
	var may, lacks []string
	for _, a := range areas {
		if e.self.May(a.needs) {
			may = append(may, "may: "+a.name)
		} else {
			lacks = append(lacks, "may not: "+a.name+"; needs "+a.needs.String())
		}
	}
	c := saying(Passed, "You have the privileges for everything.")
	if len(lacks) > 0 {
		c = saying(Warning, "You lack privileges for %s of geodeck.", count(len(lacks), "part", "parts")).
			advising("Sign in as somebody who has them, or ask an administrator for them.")
	}
	return c.with(may...).with(lacks...)
}
