package edits_test

import (
	"testing"

	"geodeck/ui/uitest"
	"geodeck/ui/views/services/edits"
	"geodeck/ui/widget/rows"
)

func TestADrawnCharacterAllocatesNothing(t *testing.T) {
	k := rows.NewInks(uitest.Theme())
	cells := 0
	if allocs := testing.AllocsPerRun(100, func() {
		for _, r := range "a definition" {
			_, width := edits.Rune(&k, r)
			cells += width
		}
	}); allocs > 0 || cells == 0 {
		t.Errorf("%v allocations", allocs)
	}
}
