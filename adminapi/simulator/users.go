package simulator

import (
	"math/rand/v2"
	"slices"
)

// The privileges, in the words of the API's own table.
const (
	privSecurity  = "Security and infrastructure"
	privServers   = "Servers"
	privUpdate    = "Update"
	privDelete    = "Delete"
	privPublisher = "Publisher"
)

// portalWords is how the portal side names the same privileges.
var portalWords = map[string][]string{
	privSecurity:  {"portal:admin:manageSecurity"},
	privServers:   {"portal:admin:manageServers"},
	privUpdate:    {"portal:admin:updateItems"},
	privDelete:    {"portal:admin:deleteItems"},
	privPublisher: {"portal:publisher:publishFeatures", "portal:publisher:publishServerServices"},
}

var allPrivileges = []string{privSecurity, privServers, privUpdate, privDelete, privPublisher}

// account is one user of the site.
type account struct {
	User
	fullName string
	role     string
}

// hasAny tells whether the user may do what needs one of the privileges.
func (a *account) hasAny(privileges []string) bool {
	return len(privileges) == 0 || slices.ContainsFunc(privileges, func(p string) bool {
		return slices.Contains(a.Privileges, p)
	})
}

type users struct{ accounts []*account }

func newUsers(w *world) *users {
	specs := []UserSpec{
		{Username: "admin", FullName: "Ada Administrator", Role: "org_admin", Privileges: allPrivileges},
		{Username: "operator", FullName: "Olli Operator", Role: "operator", Privileges: []string{privSecurity}},
		{Username: "servers", FullName: "Sara Servers", Role: "servers", Privileges: []string{privServers}},
		{Username: "publisher", FullName: "Pia Publisher", Role: "org_publisher", Privileges: []string{privPublisher, privUpdate, privDelete}},
		{Username: "viewer", FullName: "Viktor Viewer", Role: "org_viewer"},
	}
	u := &users{}
	for _, spec := range append(specs, w.scenario.Users...) {
		u.accounts = append(u.accounts, newAccount(spec, w.random("password "+spec.Username)))
	}
	if w.scenario.HostileText {
		u.accounts[0].fullName = hostile("Ada", 1)
	}
	return u
}

func newAccount(spec UserSpec, r *rand.Rand) *account {
	a := &account{fullName: spec.FullName, role: spec.Role}
	a.User = User{Username: spec.Username, Password: newPassword(r), Privileges: slices.Clone(spec.Privileges)}
	if a.Privileges == nil {
		a.Privileges = []string{}
	}
	if a.fullName == "" {
		a.fullName = spec.Username
	}
	if a.role == "" {
		a.role = "org_user"
	}
	return a
}

// newPassword is easy to read aloud and to type in any shell.
func newPassword(r *rand.Rand) string {
	words := []string{"amber", "birch", "cedar", "delta", "ember", "fjord", "grove", "harbor", "island", "juniper",
		"kelp", "lagoon", "meadow", "north", "ocean", "prairie", "quartz", "ridge", "summit", "tundra"}
	return words[r.IntN(len(words))] + "-" + words[r.IntN(len(words))] + "-" + string(idLetters[26+r.IntN(10)]) + string(idLetters[26+r.IntN(10)])
}

func (u *users) list() []User {
	list := make([]User, 0, len(u.accounts))
	for _, a := range u.accounts {
		user := a.User
		user.Privileges = slices.Clone(user.Privileges)
		list = append(list, user)
	}
	return list
}

func (u *users) find(name string) *account {
	i := slices.IndexFunc(u.accounts, func(a *account) bool { return a.Username == name })
	if i < 0 {
		return nil
	}
	return u.accounts[i]
}
