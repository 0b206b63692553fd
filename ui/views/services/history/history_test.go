package history_test

import (
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/document"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/editing"
	"geodeck/ui/uitest"
	"geodeck/ui/views"
	"geodeck/ui/views/services/history"
	"geodeck/ui/widget/rows"
)

var cities = adminapi.ServiceRef{Name: "SampleWorldCities", Type: "MapServer"}

// desk is the tab with what is around it, which remembers where it led.
type desk struct {
	*history.Model
	*uitest.Part
	t        *testing.T
	site     operation.Site
	restored []editing.Edit
	compared []document.Review
	titles   []string
}

func (d *desk) Restore(edit editing.Edit, _ time.Time) tea.Cmd {
	d.restored = append(d.restored, edit)
	return nil
}

func (d *desk) Compare(title string, differences document.Review) tea.Cmd {
	d.titles, d.compared = append(d.titles, title), append(d.compared, differences)
	return nil
}

// open is the tab after the description was given some values, and the rules another pool of nodes where so
// asked.
func open(t *testing.T, size uitest.Size, rules bool, values ...string) *desk {
	t.Helper()
	d := &desk{t: t}
	d.site, _ = uitest.NewSite(t, uitest.Scenario(t, "healthy")).Counted(t)
	for _, value := range values {
		d.sends(uitest.Edit(t, d.site, cities, "description", `"`+value+`"`).Edit)
	}
	if rules {
		read, err := editing.Read(t.Context(), d.site.Client, editing.PlacementOf(cities))
		if err != nil {
			t.Fatal(err)
		}
		edited, err := document.Parse([]byte(strings.ReplaceAll(read.Document.Text(), `"gis"`, `"spot"`)))
		if err != nil {
			t.Fatal(err)
		}
		d.sends(editing.Edit{Target: editing.PlacementOf(cities), Base: read.Document, Edited: edited})
	}
	base := views.NewBase(uitest.Env(t, d.site, uitest.Theme()))
	inks := rows.NewInks(base.Env.Theme)
	d.Model = history.New(base, &inks, cities, d)
	d.Part = uitest.NewPart(t, d.Model, size.Width, size.Height)
	d.Shows("Reading the history")
	d.Drain(d.Shown())
	return d
}

func (d *desk) sends(edit editing.Edit) {
	d.t.Helper()
	if _, r := d.site.ApplyEdit(d.t.Context(), edit, nil); r.Err != nil {
		d.t.Fatal(r.Err)
	}
}

func TestEachVersionSaysAllThatReplacedIt(t *testing.T) {
	t.Parallel()
	d := open(t, uitest.Sizes[1], false, "One.", "Two.")
	d.Shows("When", "Who", "What changed", "Saved before an edit by admin. What replaced it:", `description "One." → "Two."`)
	if at := d.Updated(); at.IsZero() || d.Notes()[0] != "1 of 2" {
		t.Errorf("updated %v, %q", at, d.Notes())
	}
}

func TestWithoutAVersionEachKeySaysSo(t *testing.T) {
	t.Parallel()
	d := open(t, uitest.Sizes[1], false)
	d.Shows("No versions yet. Each edit saves the version that it replaces.")
	d.Refuses("empty", "enter services.restore services.compare services.json", "There is no older version.")
}

func TestTheVersionStandsBesideTheListInAWideTerminal(t *testing.T) {
	t.Parallel()
	d := open(t, uitest.Sizes[2], false, "One.", "Two.")
	d.Shows("This version", `"description": "One."`)
	d.Press("down")
	d.Shows(`"description": "Cities of the world, as a sample."`)
}

func TestAnyTwoVersionsAreCompared(t *testing.T) {
	t.Parallel()
	d := open(t, uitest.Sizes[1], false, "One.", "Two.", "Three.")
	for _, c := range []struct {
		keys     string
		old, new string
	}{
		{"rows.bottom space rows.top space services.compare", `"Cities of the world, as a sample."`, `"Two."`},
		{"rows.top space space rows.bottom enter", `"Cities of the world, as a sample."`, `"One."`}, // one key is about the row alone
		{"rows.top enter", `"Two."`, `"Three."`},
		{"rows.top services.compare", `"One."`, `"Two."`},
	} {
		d.compared = nil
		d.Back() // from the marks
		d.Press(c.keys)
		if len(d.compared) != 1 || len(d.compared[0].Risks) > 0 {
			t.Fatalf("%s compares %+v", c.keys, d.compared)
		}
		if change := d.compared[0].Changes[0]; change.Old != c.old || change.New != c.new {
			t.Errorf("%s compares %s with %s", c.keys, change.Old, change.New)
		}
	}
	if last := d.titles[2]; !strings.HasSuffix(last, " to now") {
		t.Errorf("the title is %q", last)
	}
	d.Tells(d.Press("rows.bottom services.compare"), "This is the oldest version.")
	d.Press("rows.top space space space")
	d.Tells(d.Press("services.compare"), "Mark two versions to compare")
}

func TestADefinitionIsNotComparedWithRules(t *testing.T) {
	t.Parallel()
	d := open(t, uitest.Sizes[1], true, "One.")
	d.Shows("placement")
	d.Press("space down space")
	d.Tells(d.Press("services.compare"), "A definition and a placement policy cannot be compared.")
}

func TestAVersionIsRestoredOntoWhatTheSiteHasNow(t *testing.T) {
	t.Parallel()
	d := open(t, uitest.Sizes[1], false, "One.", "Two.")
	d.Press("rows.bottom services.restore")
	if len(d.restored) != 1 {
		t.Fatalf("restored %+v", d.restored)
	}
	edit := d.restored[0]
	old, _ := edit.Edited.Find("description")
	now, _ := edit.Base.Find("description")
	if old.Text() != "Cities of the world, as a sample." || now.Text() != "Two." || !strings.HasPrefix(edit.Why, "restoring the definition of 2026-") || !strings.HasSuffix(edit.Why, " +0100") {
		t.Errorf("from %s to %s: %s", now.Text(), old.Text(), edit.Why)
	}
}

func TestAVersionIsShownAsJSONAndEscLeadsBackStepByStep(t *testing.T) {
	t.Parallel()
	d := open(t, uitest.Sizes[1], false, "Server=db;Password=hunter2", "Two.")
	d.Press("services.json")
	d.Shows("Password=[secret]")
	d.Hides("hunter2", "When")
	for _, shown := range []string{"What changed", "What changed"} {
		d.Back()
		d.Shows(shown)
	}
	d.Press("rows.filter")
	d.Type("Two")
	d.Press("enter")
	if !d.Back() || d.Back() {
		t.Error("the filter is no step")
	}
}

func TestWhatComesAfterTheServiceWasLeftDoesNothing(t *testing.T) {
	t.Parallel()
	d := open(t, uitest.Sizes[1], false, "One.")
	late := views.Invoke(d.Model, "services.restore", "")
	d.Model.Close()
	d.Drain(late)
	if len(d.restored) > 0 {
		t.Error("it leads to a review")
	}
}

func TestBackupsAreListedWithoutTheSite(t *testing.T) {
	t.Parallel()
	d := open(t, uitest.Sizes[1], true, "One.")
	past, err := history.Backups(d.site, cities)
	if err != nil || len(past) != 2 || past[0].What() != "placement" || past[0].Failed(d.site) != "" {
		t.Errorf("%+v, %v", past, err)
	}
}

func TestEachOfSeveralChangesOfAVersionIsNamed(t *testing.T) {
	t.Parallel()
	d := open(t, uitest.Sizes[0], false)
	edit := uitest.Edit(t, d.site, cities, "maxUsageTime", "700").Edit
	edited, err := edit.Edited.SetValue("maxIdleTime", "900")
	if err != nil {
		t.Fatal(err)
	}
	edit.Edited = edited
	d.sends(edit)
	d.Drain(d.Shown())
	d.Shows("1 more change", "Saved before an edit by admin. What replaced it:", "  maxIdleTime 1800 → 900", "  maxUsageTime 600 → 700")
}
