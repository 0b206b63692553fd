package upgrade

import (
	"slices"
	"strings"
	"time"

	"geodeck/adminapi"
)

// What lets a caller upgrade and upload, in the words of the portal and in those of
// the API's own table.
var (
	mayUpgrade = []string{"portal:admin:manageSecurity", "portal:admin:manageServers", "Security and infrastructure", "Servers"}
	mayUpload  = []string{"portal:publisher:", "Publisher"}
)

// administrator is the role that may do everything.
const administrator = "org_admin"

func checkPrivileges(f Facts) result {
	caller := f.Caller.Value
	switch {
	case !f.Caller.Known:
		return unknown("Your privileges could not be read", f.Caller.Err, "The site itself decides when the upgrade is sent.")
	case caller.Role == administrator:
		return ok("You are an administrator.")
	case len(caller.Privileges) == 0:
		return unknown("The portal does not tell your privileges", nil, "The site itself decides when the upgrade is sent.")
	case !has(caller.Privileges, mayUpgrade):
		return warning("Sign in as somebody who has it.", "You do not seem to have the privilege %q or %q.", mayUpgrade[2], mayUpgrade[3])
	case f.uploads() && !has(caller.Privileges, mayUpload):
		return warning("Have the file uploaded by a publisher or an administrator and give its upload id, or sign in as one.",
			"You may upgrade, but a file of the settings has to be uploaded, and you do not seem to be a publisher.")
	}
	return ok("You may upgrade%s.", f.andUpload())
}

func (f Facts) andUpload() string {
	if f.uploads() {
		return ", and upload files"
	}
	return ""
}

// uploads tells whether a file has to be uploaded, or will have to be.
func (f Facts) uploads() bool {
	if StyleOf(f.Target) == Old {
		return false
	}
	for _, field := range Form(f.Settings.Value) {
		answer := f.Answers[field.ID]
		if field.Kind == File && (answer.Path != "" || f.ToAnswer && field.Required && field.Empty() && answer.Upload == "") {
			return true
		}
	}
	return false
}

// has tells whether one of the privileges is one of those; a name that ends in a
// colon stands for all that begin with it.
func has(privileges, names []string) bool {
	return slices.ContainsFunc(privileges, func(p string) bool {
		p = strings.TrimSpace(p)
		return slices.ContainsFunc(names, func(name string) bool {
			return strings.EqualFold(p, name) || strings.HasSuffix(name, ":") && strings.HasPrefix(p, name)
		})
	})
}

// clocksApart is a difference that nobody mistakes for delay.
const clocksApart = 2 * time.Minute

func checkClock(f Facts) result {
	if !f.ClockAhead.Known {
		return unknown("The server's clock could not be read", f.ClockAhead.Err, "")
	}
	switch ahead := f.ClockAhead.Value; {
	case ahead > clocksApart:
		return warning("Mind it when you read times, or set the clock.", "The server's clock is %s ahead of this machine's.", adminapi.Roughly(ahead))
	case ahead < -clocksApart:
		return warning("Mind it when you read times, or set the clock.", "The server's clock is %s behind this machine's.", adminapi.Roughly(-ahead))
	}
	return ok("The server's clock and this machine's agree.")
}
