package services_test

import (
	"testing"

	"geodeck/ui/uitest"
)

func TestKeysActOnTheRowUnderTheCursorAtOnce(t *testing.T) {
	t.Parallel()
	for service, keys := range map[string][]string{
		"": {"down down enter", "down down services.switch", "down down services.copy", "down down space"},
		"SampleWorldCities.MapServer": {
			"down down jsonedit.edit", "down down jsonedit.delete", "down down jsonedit.add", "down down jsonedit.copy", "down down jsonedit.text", "down tab",
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
