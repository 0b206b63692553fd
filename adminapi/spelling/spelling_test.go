package spelling

import (
	"slices"
	"testing"
)

func TestNamesNearAMisspelledOneAreFound(t *testing.T) {
	t.Parallel()
	known := []string{"production", "staging", "test"}
	for name, want := range map[string][]string{
		"produktion": {"production"}, "STAGING": {"staging"}, "te": {"test"}, "tset": {"test"}, "tast": {"test"}, "west": {"test"}, "": nil, "kubernetes": nil,
	} {
		if near := Near(name, known); !slices.Equal(near, want) {
			t.Errorf("%q: %v, not %v", name, near, want)
		}
	}
}

func TestTheNearestNameIsOne(t *testing.T) {
	t.Parallel()
	known := []string{"maxBufferCount", "maxImageHeight", "maxRecordCount", "minScale"}
	for name, want := range map[string]string{
		"maxRecodCount": "maxRecordCount", "MAXRECORDCOUNT": "maxRecordCount", "minSclae": "minScale", "max": "", "": "", "scale": "", "minScale": "",
	} {
		if near := Nearest(name, known); near != want {
			t.Errorf("%q: %q, not %q", name, near, want)
		}
	}
}
