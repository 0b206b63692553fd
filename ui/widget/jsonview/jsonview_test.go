package jsonview_test

import (
	"strings"
	"testing"

	"geodeck/ui/uitest"
	"geodeck/ui/views"
	"geodeck/ui/widget/jsonview"
	"geodeck/ui/widget/rows"
)

const value = `{"z":1.50e+3,"a":12345678901234567890,"a":[true,null,{"deep":"x"}],"empty":{},"t":"a \"q\" \u001b[31m"}`

func viewOf(text string, width, height int) *jsonview.View {
	v := jsonview.New(uitest.Theme())
	v.SetSize(width, height)
	v.Set([]byte(text))
	return v
}

func TestNumbersOrderAndRepeatedNamesStay(t *testing.T) {
	t.Parallel()
	v := viewOf(value, 60, 16)
	uitest.Fits(t, v.View(), 60, 16)
	uitest.Golden(t, v.View())
}

func TestAFoldedValueIsOneLine(t *testing.T) {
	t.Parallel()
	v := viewOf(value, 60, 16)
	for range 3 {
		v.GoDown()
	}
	fold, _ := views.Find(v.Commands(), rows.Fold)
	fold.Do("")
	if !strings.Contains(v.View(), `"a": […],`) || strings.Contains(v.View(), "deep") {
		t.Errorf("folded:\n%s", v.View())
	}
	unfold, _ := views.Find(v.Commands(), rows.Unfold)
	unfold.Do("")
	if !strings.Contains(v.View(), "deep") {
		t.Errorf("unfolded:\n%s", v.View())
	}
}

func TestAViewWithoutFocusHasADotForACursor(t *testing.T) {
	t.Parallel()
	v := viewOf(value, 60, 16)
	v.GoDown()
	v.SetFocused(false)
	if got := v.View(); v.Line() != 1 || strings.Contains(got, "›") || !strings.Contains(got, "·   \"z\"") {
		t.Errorf("on line %d:\n%s", v.Line(), got)
	}
}

func TestAFilterShowsTheObjectsAroundAValue(t *testing.T) {
	t.Parallel()
	v := viewOf(value, 60, 16)
	v.SetFilter("deep")
	if got := v.View(); !strings.Contains(got, `"a": [`) || !strings.Contains(got, `"deep"`) || strings.Contains(got, `"z"`) {
		t.Errorf("found:\n%s", got)
	}
}

func TestWhatIsNoJSONIsShownAsItIsAndHarmless(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "not json", "{\"a\":", "{\"a\":\"\x1b[2J\u202e\"}", "[1,2", "<html>\x07\x9b31m"} {
		v := viewOf(text, 40, 6)
		uitest.Fits(t, v.View(), 40, 6)
		uitest.Harmless(t, v.View())
	}
}

func TestColoursTellKeysTextNumbersAndWordsApart(t *testing.T) {
	t.Parallel()
	v := jsonview.New(uitest.ColorTheme())
	v.SetSize(60, 16)
	v.Set([]byte(value))
	uitest.Golden(t, v.View())
}

func BenchmarkMoveAndDraw(b *testing.B) {
	v := viewOf("["+strings.Repeat(`{"name":"healthcheck_objectStore","result":"pass","took":12.50},`, 20_000)+"0]", 120, 40)
	b.ResetTimer()
	for range b.N {
		v.GoDown()
		_ = v.View()
	}
}
