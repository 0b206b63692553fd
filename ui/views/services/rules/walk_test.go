package rules_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"geodeck/ui/uitest"
)

func TestTheRuleToCorrectIsUnfoldedAndUnderTheCursor(t *testing.T) {
	t.Parallel()
	text := strings.Replace(file(t, "policy.json"), `"a100", "h100"`, `"a101"`, 1)
	for _, keys := range []string{"j j j h rows.bottom", "j j j h", "rows.filter d e d i enter", "rows.fold-all", "rows.bottom rules.edit x esc value.discard k h rows.bottom", "rows.bottom right"} {
		s := openIn(t, uitest.Theme(), 78, 17, text)
		s.Press(keys)
		s.ShowFault()
		s.settle()
		if line := s.cursorLine(); !strings.Contains(line, "a101") {
			t.Errorf("%s: the cursor is on %q:\n%s", keys, line, s.View())
		}
	}
}

// Whatever is done, the screen is as it would be were it arranged and drawn anew: nothing
// shows what is gone, and no part has the cells of an older division.
func TestEveryStepIsDrawnAsItIs(t *testing.T) {
	t.Parallel()
	keys := strings.Fields("j j j k k h h l z _ + g G e a A d c J K space u ctrl+r p right left n } / FAULT FAULT NODE BACK tab down enter enter esc esc y x 7 backspace ctrl+u")
	for seed := range uint64(8) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(seed, 11))
			size := [][2]int{{78, 17}, {58, 8}, {120, 35}, {200, 55}}[seed%4]
			s := openIn(t, uitest.Theme(), size[0], size[1], file(t, []string{"two.json", "broken.json"}[seed/4]))
			var walked []string
			defer func() { t.Log(strings.Join(walked, " ")) }()
			for range 80 {
				key := keys[random.IntN(len(keys))]
				walked = append(walked, key)
				switch {
				case key == "FAULT": // what now leads here
					s.ShowFault()
				case key == "NODE":
					s.ShowNode("gpu-2")
				case key == "BACK":
					s.Back()
				default:
					s.Press(key)
				}
				drawn := s.Draw()
				s.Resize(size[0]+1, size[1])
				s.Resize(size[0], size[1])
				if again := s.Draw(); again != drawn {
					t.Fatalf("drawn\n%s\nis anew\n%s", drawn, again)
				}
			}
		})
	}
}
