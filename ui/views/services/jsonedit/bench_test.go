package jsonedit_test

import (
	"fmt"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/ui/uitest"
	"geodeck/ui/widget/rows"
)

// long is a definition with five lines for each setting.
func long(settings int) string {
	var text strings.Builder
	text.WriteString("{\n  \"serviceName\": \"Long\",\n  \"type\": \"MapServer\",\n  \"capabilities\": \"Map,Query\",\n  \"properties\": {\n")
	for i := range settings {
		fmt.Fprintf(&text, "    \"setting%d\": {\n      \"enabled\": true,\n      \"limit\": %d,\n      \"title\": \"the title of setting %d\"\n    },\n", i, i, i)
	}
	text.WriteString("    \"maxRecordCount\": 1000\n  },\n  \"extensions\": [\n    {\"typeName\": \"WMSServer\", \"enabled\": true}\n  ]\n}\n")
	return text.String()
}

func longEditor(b *testing.B) *screen {
	b.Helper()
	b.ReportAllocs()
	return openIn(b, uitest.ColorTheme(), 200, 55, long(1000)).at("properties.setting500.enabled")
}

func BenchmarkMove(b *testing.B) {
	e := longEditor(b)
	for b.Loop() {
		e.Invoke(rows.Down, "")
		_ = e.View()
	}
}

func BenchmarkFold(b *testing.B) {
	e := longEditor(b)
	e.at("properties.setting500")
	for b.Loop() {
		e.Invoke(rows.Toggle, "")
		_ = e.View()
	}
}

func BenchmarkFoldAll(b *testing.B) {
	e := longEditor(b)
	for i := 0; b.Loop(); i++ {
		e.Invoke([]string{rows.FoldAll, rows.UnfoldAll}[i%2], "")
		_ = e.View()
	}
}

func BenchmarkSwitch(b *testing.B) {
	e := longEditor(b)
	for b.Loop() {
		e.Invoke("jsonedit.edit", "")
		_ = e.View()
	}
}

// BenchmarkSwitchFolded has every object folded before a value is edited.
func BenchmarkSwitchFolded(b *testing.B) {
	e := longEditor(b)
	e.Invoke(rows.FoldAll, "")
	e.at("properties.setting500.enabled")
	for b.Loop() {
		e.Invoke("jsonedit.edit", "")
		_ = e.View()
	}
}

func BenchmarkUndo(b *testing.B) {
	e := longEditor(b)
	e.Invoke("jsonedit.edit", "")
	for i := 0; b.Loop(); i++ {
		e.Invoke([]string{"jsonedit.undo", "jsonedit.redo"}[i%2], "")
		_ = e.View()
	}
}

func BenchmarkTypeIntoAValue(b *testing.B) {
	e := longEditor(b)
	e.at("properties.setting500.title")
	e.Invoke("jsonedit.edit", "")
	benchTyping(b, e)
}

func BenchmarkTypeIntoTheWholeText(b *testing.B) {
	e := longEditor(b)
	e.at("")
	e.Invoke("jsonedit.text", "")
	for range 40 {
		e.Update(uitest.Key("pgdown"))
	}
	benchTyping(b, e)
}

func benchTyping(b *testing.B, e *screen) {
	keys := []tea.KeyMsg{uitest.Key("x"), uitest.Key("backspace")}
	for i := 0; b.Loop(); i++ {
		e.Update(keys[i%2])
		_ = e.View()
		_ = e.Unsaved()
	}
}

func BenchmarkFilterKey(b *testing.B) {
	e := longEditor(b)
	e.Invoke(rows.Filter, "")
	benchTyping(b, e)
}
