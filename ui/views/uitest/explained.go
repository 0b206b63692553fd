package uitest

import (
	"testing"

	"geodeck/ui/views"
)

// Explained checks that help and README can tell of every command of a table, and of
// none twice.
func Explained(t testing.TB, table []views.Command) {
	t.Helper()
	seen := map[string]bool{}
	for _, c := range table {
		if c.ID == "" || c.Name == "" || c.Help == "" || c.Group == "" || seen[c.ID] {
			t.Errorf("command %+v", c)
		}
		seen[c.ID] = true
	}
}
