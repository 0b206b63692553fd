package adminapi

import (
	"slices"
	"strings"
)

// Privileges are what an operation requires of a user: any one of them is enough.
type Privileges struct {
	words      string   // of the API; empty where none is documented
	names      []string // by which users have them, see [Self.May]
	publishers bool     // their role is enough, too
}

// What operations require. Each of the contract's own is here.
var (
	ToCheckHealth = Privileges{words: security, names: []string{portalSecurity, security}}
	ToPlace       = ToCheckHealth
	ToUpgrade     = Privileges{
		words: security + ", or " + servers,
		names: []string{portalSecurity, security, "portal:admin:manageServers", servers},
	}
	ToUpload         = Privileges{words: "Publisher, or an administrator", names: []string{"portal:publisher:", "Publisher"}, publishers: true}
	ToSeeDeployments = Privileges{words: "the default administrator role"}
	ToEdit           = Privileges{
		words: "Update, Delete, or " + security + ", or the Publisher role",
		names: []string{portalSecurity, security, "portal:admin:updateItems", "Update", "portal:admin:deleteItems", "Delete",
			"portal:publisher:", "Publisher"},
		publishers: true,
	}
)

const (
	security       = "Security and infrastructure"
	servers        = "Servers"
	portalSecurity = "portal:admin:manageSecurity"
)

// String names them in the words of the API; empty where none are documented.
func (p Privileges) String() string { return p.words }

// The roles that let a user do what no privilege is listed for: everything, and what publishers do.
const (
	RoleAdministrator = "org_admin"
	rolePublisher     = "org_publisher"
)

// May reports whether the user has one of the privileges, by their names in the portal or in the API.
func (s Self) May(p Privileges) bool {
	if s.Role == RoleAdministrator || p.publishers && s.Role == rolePublisher {
		return true
	}
	return slices.ContainsFunc(s.Privileges, func(has string) bool {
		has = strings.TrimSpace(has)
		return slices.ContainsFunc(p.names, func(name string) bool {
			return strings.EqualFold(has, name) || strings.HasSuffix(name, ":") && strings.HasPrefix(has, name)
		})
	})
}
