package services_test

import (
	"testing"

	"geodeck/ui/uitest"
)

func TestKeysActOnTheRowUnderTheCursorAtOnce(t *testing.T) {
	t.Parallel()
	for service, keys := range map[string][]string{
		"": {"down down enter", "down down S", "down down y", "down down space"},
		"SampleWorldCities.MapServer": {
			"down down e", "down down d", "down down a", "down down y", "down down i", "down tab",
		},
	} {
		for _, keys := range keys {
			t.Run(service+" "+keys, func(t *testing.T) {
				t.Parallel()
				uitest.SameInAHurry(t, func(t *testing.T) *uitest.Part {
					s := open(t, "healthy")
					if service != "" {
						s.Invoke("services.open", service)
					}
					return &s.Part
				}, keys)
			})
		}
	}
}
