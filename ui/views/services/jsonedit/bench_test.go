package jsonedit_test

import (
	"fmt"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/ui/uitest"
	"geodeck/ui/views"
	"geodeck/ui/views/services/jsonedit"
	"geodeck/ui/widget/rows"
)

// long is a definition of some 5,000 lines.
func long() string {
	var text strings.Builder
	text.WriteString("{\n  \"serviceName\": \"Long\",\n  \"type\": \"MapServer\",\n  \"properties\": {\n")
	for i := range 1000 {
		fmt.Fprintf(&text, "    \"setting%d\": {\n      \"enabled\": true,\n      \"limit\": %d,\n      \"title\": \"the title of setting %d\"\n    },\n", i, i, i)
	}
	text.WriteString("    \"maxRecordCount\": 1000\n  },\n  \"extensions\": [\n    {\"typeName\": \"WMSServer\", \"enabled\": true}\n  ]\n}\n")
	return text.String()
}

func longEditor(b *testing.B) *jsonedit.Editor {
	b.Helper()
	e := jsonedit.New(uitest.ColorTheme())
	e.SetSize(200, 55)
	d := parse(b, long())
	e.Set(d, d)
	e.Go("properties.setting500.enabled")
	b.ReportAllocs()
	return e
}

func BenchmarkMove(b *testing.B) {
	e := longEditor(b)
	for b.Loop() {
		views.Invoke(e, rows.Down, "")
		_ = e.View()
	}
}

func BenchmarkFold(b *testing.B) {
	e := longEditor(b)
	e.Go("properties.setting500")
	for b.Loop() {
		views.Invoke(e, rows.Toggle, "")
		_ = e.View()
	}
}

func BenchmarkFoldAll(b *testing.B) {
	e := longEditor(b)
	for i := range b.N {
		views.Invoke(e, []string{rows.FoldAll, rows.UnfoldAll}[i%2], "")
		_ = e.View()
	}
}

func BenchmarkSwitch(b *testing.B) {
	e := longEditor(b)
	for b.Loop() {
		views.Invoke(e, "jsonedit.edit", "")
		_ = e.View()
	}
}

// BenchmarkSwitchFolded has every object folded before a value is edited.
func BenchmarkSwitchFolded(b *testing.B) {
	e := longEditor(b)
	views.Invoke(e, rows.FoldAll, "")
	e.Go("properties.setting500.enabled")
	for b.Loop() {
		views.Invoke(e, "jsonedit.edit", "")
		_ = e.View()
	}
}

func BenchmarkUndo(b *testing.B) {
	e := longEditor(b)
	views.Invoke(e, "jsonedit.edit", "")
	for i := range b.N {
		views.Invoke(e, []string{"jsonedit.undo", "jsonedit.redo"}[i%2], "")
		_ = e.View()
	}
}

func BenchmarkTypeIntoAValue(b *testing.B) {
	e := longEditor(b)
	e.Go("properties.setting500.title")
	views.Invoke(e, "jsonedit.edit", "")
	benchTyping(b, e)
}

func BenchmarkTypeIntoTheWholeText(b *testing.B) {
	e := longEditor(b)
	e.Go("")
	views.Invoke(e, "jsonedit.text", "")
	for range 40 {
		e.Update(uitest.Key("pgdown"))
	}
	benchTyping(b, e)
}

func benchTyping(b *testing.B, e *jsonedit.Editor) {
	keys := []tea.KeyMsg{uitest.Key("x"), uitest.Key("backspace")}
	for i := range b.N {
		e.Update(keys[i%2])
		_ = e.View()
		_ = e.Unsaved()
	}
}

func BenchmarkFilterKey(b *testing.B) {
	e := longEditor(b)
	views.Invoke(e, rows.Filter, "")
	benchTyping(b, e)
}
