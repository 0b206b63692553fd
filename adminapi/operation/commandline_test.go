package operation_test

import (
	"errors"
	"testing"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
)

func TestACommandThatIsCopiedIsReadByAShellAsItIsMeant(t *testing.T) {
	t.Parallel()
	service := adminapi.ServiceRef{Folder: "Ann's", Name: "Roads & Rails", Type: "MapServer"}
	for _, c := range []struct {
		line operation.CommandLine
		want string
	}{
		{operation.CommandOfSwitch(service, true), `geodeck service start --site x 'Ann'\''s/Roads & Rails.MapServer'`},
		{operation.CommandOfSwitch(service, false), `geodeck service stop --confirm 'Roads & Rails' --site x 'Ann'\''s/Roads & Rails.MapServer'`},
		{operation.CommandOfHealthRun(adminapi.HealthRun{SuiteIDs: []string{"A", `B "1", C`}, Name: "-n $HOME"}), `geodeck health run --suite A --suite '"B ""1"", C"' --name '-n $HOME' --site x`},
		{operation.CommandOfDeletion("a", "-b"), `geodeck health delete --site x -- a -b`},
		{operation.CommandOfImport("/tmp/*.dat"), `geodeck upgrade import-manifest --site x '/tmp/*.dat'`},
	} {
		if got, err := c.line.Text([]string{"--site", "x"}); err != nil || got != c.want {
			t.Errorf("%s\nwant %s, %v", got, c.want, err)
		}
	}
	for _, name := range []string{"a\nrm", "a\x1b[31m", "a\xff"} {
		service.Name = name
		if got, err := operation.CommandOfSwitch(service, true).Text(nil); !errors.Is(err, operation.ErrNoCommandLine) {
			t.Errorf("%q: %v", got, err)
		}
	}
}
