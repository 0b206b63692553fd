package adminapi_test

import (
	"testing"

	"geodeck/adminapi"
)

func TestAUserMayDoWhatRoleOrPrivilegesAllow(t *testing.T) {
	t.Parallel()
	type may struct{ Health, Edit, Upload, Upgrade bool }
	for name, c := range map[string]struct {
		self adminapi.Self
		want may
	}{
		"an administrator":   {adminapi.Self{Role: adminapi.RoleAdministrator}, may{true, true, true, true}},
		"a publisher":        {adminapi.Self{Role: "org_publisher"}, may{false, true, true, false}},
		"a user":             {adminapi.Self{Role: "org_user"}, may{}},
		"security":           {adminapi.Self{Role: "abc", Privileges: []string{" portal:admin:manageSecurity "}}, may{true, true, false, true}},
		"servers":            {adminapi.Self{Role: "abc", Privileges: []string{"portal:admin:manageServers"}}, may{false, false, false, true}},
		"some publishing":    {adminapi.Self{Role: "abc", Privileges: []string{"portal:publisher:publishFeatures"}}, may{false, true, true, false}},
		"something of users": {adminapi.Self{Role: "abc", Privileges: []string{"portal:user:createItem"}}, may{}},
	} {
		got := may{c.self.May(adminapi.ToCheckHealth), c.self.May(adminapi.ToEdit), c.self.May(adminapi.ToUpload), c.self.May(adminapi.ToUpgrade)}
		check(t, name, got, c.want, nil)
	}
}
