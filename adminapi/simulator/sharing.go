package simulator

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"net/http"
	"slices"
	"strings"

	"geodeck/adminapi/lists"
)

// organization is the id of the one organization of the site.
const organization = "0123456789ABCDEF"

// sharing is the area of the portal: what programs read there before they turn to the
// administrative API.
type sharing struct{ *world }

func (a *sharing) routes() []*route {
	self := portal(http.MethodGet, "/community/self", "Self", a.self)
	user := portal(http.MethodGet, "/community/users/{user}", "User", a.user)
	roles := portal(http.MethodGet, "/portals/self/roles", "Roles", a.roles)
	self.public, user.public, roles.public = false, false, false
	return []*route{
		portal(http.MethodGet, "", "Portal", a.root),
		portal(http.MethodGet, "/info", "Info", a.info),
		portal(http.MethodGet, "/portals/self", "Portal Self", a.portal),
		portal(http.MethodGet, "/portals/"+organization, "Portal", a.portal),
		self, user, roles,
	}
}

// host is where the caller finds this side of the site, which may be behind a proxy or a
// forwarded port.
func (q *request) host() string {
	host, _, _ := strings.Cut(q.http.Header.Get("X-Forwarded-Host"), ",")
	return cmp.Or(strings.TrimSpace(host), q.http.Host)
}

// url is the address of a path on that host.
func (q *request) url(path string) string {
	scheme, _, _ := strings.Cut(q.http.Header.Get("X-Forwarded-Proto"), ",")
	if scheme = strings.TrimSpace(scheme); scheme == "" && q.http.TLS != nil {
		scheme = "https"
	}
	return cmp.Or(scheme, "http") + "://" + q.host() + path
}

// portalVersions are the numbers that the portal gives its releases, from 11.1 on.
var portalVersions = map[string]string{
	"11.1": "2023.1", "11.2": "2023.3", "11.3": "2024.1", "11.4": "2024.2", "11.5": "2025.1", "12": "2025.3",
}

func (a *sharing) version() string {
	release := a.world.version.short()
	return cmp.Or(portalVersions[release], release)
}

func (a *sharing) root(*request) any {
	return object{"currentVersion": a.version()}
}

func (a *sharing) info(q *request) any {
	return object{
		"owningSystemUrl": q.url(siteContext),
		"authInfo": object{
			"tokenServicesUrl":        q.url(sharingRoot + "/generateToken"),
			"isTokenBasedSecurity":    true,
			"shortLivedTokenValidity": int(defaultTokenLife.Minutes()),
		},
	}
}

// portal shows the organization to everybody, and who is signed in to that user.
func (a *sharing) portal(q *request) any {
	w := a.world
	body := object{
		"id": organization, "name": "Simulated organization", "access": "private", "culture": "en",
		"isPortal": true, "portalMode": "singletenant", "portalName": "ArcGIS Enterprise",
		"portalDeploymentType": "ArcGISEnterpriseOnKubernetes",
		"portalHostname":       q.host() + siteContext,
		"currentVersion":       a.version(), "enterpriseVersion": w.version.release(), "enterpriseBuild": fmt.Sprint(w.version[3]),
		"supportsOAuth": true, "samlEnabled": false, "allSSL": strings.HasPrefix(q.url(""), "https:"), "helperServices": struct{}{},
	}
	if tokenOf(q.http) != "" {
		user, err := w.accounts.check(q.http, w.wall())
		if err != nil {
			return err
		}
		body["user"] = user.describe()
	}
	return body
}

func (a *sharing) self(q *request) any { return q.user.describe() }

// user shows users to themselves and to administrators.
func (a *sharing) user(q *request) any {
	accounts := a.accounts.users
	found := find(accounts, func(u *account) bool { return u.Username == q.vars["user"] })
	if found == nil || found != q.user && q.user != accounts[0] {
		return &refusal{code: http.StatusBadRequest, messageCode: "COM_0018", message: "User does not exist or is inaccessible."}
	}
	return found.describe()
}

// roles lists the roles that the organization made itself, as the portal does: not those that
// every portal has.
func (a *sharing) roles(q *request) any {
	users := a.accounts.users
	own := only(users, func(u *account) bool {
		first := find(users, func(other *account) bool { return other.role == u.role })
		return u == first && !strings.HasPrefix(u.role, "org_")
	})
	return page(q, "roles", lists.Each(own, func(u *account) object {
		return object{"id": u.role, "name": u.role, "description": strings.Join(u.Privileges, ", ")}
	}))
}

func (u *account) describe() object {
	words := []string{"portal:user:viewOrgItems"}
	for _, p := range u.Privileges {
		words = append(words, portalWords[p]...)
	}
	slices.Sort(words)
	id := fnv.New128a()
	_, _ = id.Write([]byte(u.Username))
	first, last, _ := strings.Cut(u.fullName, " ")
	return object{
		"id": fmt.Sprintf("%x", id.Sum(nil)), "username": u.Username,
		"fullName": u.fullName, "firstName": first, "lastName": last,
		"role": u.role, "roleId": u.role, "orgId": organization, "privileges": words, "groups": []string{}, "disabled": false,
		"level": "2", "userLicenseTypeId": "creatorUT", "userType": "arcgisonly", "provider": "arcgis", "access": "org",
	}
}
