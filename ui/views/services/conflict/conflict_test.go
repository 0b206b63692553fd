package conflict_test

import (
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"geodeck/adminapi"
	"geodeck/adminapi/document"
	"geodeck/adminapi/operation/editing"
	"geodeck/ui/uitest"
	"geodeck/ui/views"
	"geodeck/ui/views/services/conflict"
	"geodeck/ui/widget/rows"
)

var cities = adminapi.ServiceRef{Name: "SampleWorldCities", Type: "MapServer"}

// values are what a side has at each path.
type values map[document.Path]string

// desk is the step, with how it ended.
type desk struct {
	*conflict.Model
	*uitest.Part
	merged []conflict.Merged
}

// open begins the step for a definition that both sides have changed, from what the site has with other
// values before.
func open(t *testing.T, mine, theirs values, before ...values) *desk {
	t.Helper()
	site, _ := uitest.NewSite(t, uitest.Scenario(t, "healthy")).Counted(t)
	read, err := editing.Read(t.Context(), site.Client, editing.DefinitionOf(cities))
	if err != nil {
		t.Fatal(err)
	}
	with := func(next *document.Document, of values) *document.Document {
		for path, raw := range of {
			if next, err = next.SetValue(path, raw); err != nil {
				t.Fatal(err)
			}
		}
		return next
	}
	base := views.NewBase(uitest.Env(t, site, uitest.Theme()))
	inks, d := rows.NewInks(base.Env.Theme), &desk{}
	from := read.Document
	for _, of := range before {
		from = with(from, of)
	}
	edit := editing.Edit{Target: editing.DefinitionOf(cities), Base: from, Edited: with(from, mine)}
	d.Model = conflict.New(base, &inks, edit.Merging(with(from, theirs)), nil, func(m conflict.Merged) tea.Cmd {
		d.merged = append(d.merged, m)
		return nil
	})
	d.Part = uitest.NewChild(t, d.Model, 100, 24)
	return d
}

func (d *desk) end(t *testing.T) conflict.Merged {
	t.Helper()
	if len(d.merged) != 1 {
		t.Fatalf("it has ended %d times", len(d.merged))
	}
	return d.merged[0]
}

// has fails unless a document has that text at a path.
func has(t *testing.T, d *document.Document, path document.Path, raw string) {
	t.Helper()
	if n, ok := d.Find(path); !ok || n.Raw() != raw {
		t.Errorf("it has %s at %s, not %s", n.Raw(), path, raw)
	}
}

func TestWhatOthersChangedAloneIsKept(t *testing.T) {
	t.Parallel()
	d := open(t, values{"maxUsageTime": "700"}, values{"maxIdleTime": "900"})
	d.Shows("changed at the site meanwhile; nothing was sent", "Changed at the site", "maxIdleTime", "Changed by you")
	for _, key := range []string{" ", "services.choose-edit", "services.next-conflict", "services.previous-conflict"} {
		d.Tells(d.Send(uitest.Key(key)), "Nothing is in conflict.")
	}
	d.Press("m")
	end := d.end(t)
	has(t, end.Edit.Edited, "maxUsageTime", "700")
	has(t, end.Edit.Edited, "maxIdleTime", "900")
	if end.Same || end.Editing {
		t.Errorf("%+v", end)
	}
}

func TestAPlaceThatBothChangedIsChosenBeforeTheyAreMerged(t *testing.T) {
	t.Parallel()
	d := open(t, values{"maxIdleTime": "1000"}, values{"maxIdleTime": "900"})
	d.Shows("1 conflict to choose", "mine    1000", "theirs  900", "base    1800", "choose mine or theirs")
	d.Tells(d.Press("m"), "1 conflict to choose")
	if len(d.merged) > 0 {
		t.Error("it was merged")
	}
	d.Press("space")
	d.Shows("(x) mine", "merge with the site's version")
	d.Press("space m")
	end := d.end(t)
	has(t, end.Edit.Edited, "maxIdleTime", "900")
	if !end.Same {
		t.Error("theirs changes something")
	}
}

func TestAnotherValueIsTypedForAPlace(t *testing.T) {
	t.Parallel()
	d := open(t, values{"maxIdleTime": "1000", "description": `"Mine."`}, values{"maxIdleTime": "900", "description": `"Theirs."`})
	d.Shows("2 conflicts to choose", "mine    1000", "( ) theirs")
	for range 2 {
		place := d.Press("services.choose-edit")
		text := "Ours."
		if strings.Contains(d.Dialog(place, 78, 16), "maxIdleTime") {
			text = "1200"
		}
		keys := append(uitest.Keys("ctrl+u"), uitest.Text(text)...)
		d.Drain(uitest.AnswerOnly(t, place, append(keys, uitest.Key("enter"))...))
		d.Press("services.next-conflict")
	}
	d.Shows("(x) edited  1200", `(x) edited  "Ours."`)
	d.Press("enter")
	end := d.end(t)
	has(t, end.Edit.Edited, "maxIdleTime", "1200")
	has(t, end.Edit.Edited, "description", `"Ours."`)
}

func TestAValueThatHasNoLineIsEditedInItsTab(t *testing.T) {
	t.Parallel()
	d := open(t, values{"extensions": "[]"}, values{"extensions[WFSServer].enabled": "true", "maxIdleTime": "900"})
	d.Press("services.choose-edit")
	end := d.end(t)
	if !end.Editing {
		t.Error("it does not go on in its tab")
	}
	has(t, end.Edit.Edited, "maxIdleTime", "900")
}

func TestLongValuesAreShownWhereTheyDiffer(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("Städte der Welt, ", 20)
	d := open(t, values{"description": `"` + long + `mine."`}, values{"description": `"` + long + `theirs."`}, values{"description": `"` + long + `first."`})
	d.Press("m")
	d.Shows(`base    …`, `Welt, first."`, `Welt, mine."`, `Welt, theirs."`)
}

func TestTheStepExplainsWhatToDo(t *testing.T) {
	t.Parallel()
	d := open(t, values{"maxIdleTime": "1000"}, values{"maxIdleTime": "900"})
	explained := func() string { return ansi.Strip(d.Dialog(d.Drain(d.Explain()), 80, 20)) }
	for _, want := range []string{"Somebody changed it after you opened it. Nothing was sent.", "Choose mine or theirs, then press enter to merge."} {
		if text := explained(); !strings.Contains(text, want) {
			t.Errorf("not %q but\n%s", want, text)
		}
	}
	d.Press("space")
	if text := explained(); !strings.Contains(text, "Press enter to merge, then review and send.") {
		t.Error(text)
	}
}

func TestWhatComesAfterTheStepWasLeftDoesNothing(t *testing.T) {
	t.Parallel()
	d := open(t, values{"maxIdleTime": "1000"}, values{"maxIdleTime": "900"})
	d.Press("space")
	typed := uitest.AnswerOnly(t, d.Press("services.choose-edit"), uitest.Keys("ctrl+u 5 enter")...)
	late := views.Invoke(d.Model, "services.merge", "")
	d.Model.Close()
	d.Drain(tea.Batch(late, typed))
	d.Hides("edited")
	if len(d.merged) > 0 {
		t.Error("it was merged")
	}
}
