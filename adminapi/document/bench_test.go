package document_test

import (
	"strings"
	"testing"

	"geodeck/adminapi/document"
)

// longDefinition is a definition of some 5,000 lines.
func longDefinition() string {
	var text strings.Builder
	text.WriteString("{\n  \"serviceName\": \"Long\",\n  \"type\": \"MapServer\",\n  \"properties\": {\n")
	for i := range 1000 {
		text.WriteString("    \"setting" + itoa(i) + "\": {\n      \"enabled\": true,\n      \"limit\": " + itoa(i) +
			",\n      \"title\": \"the title of setting " + itoa(i) + "\"\n    },\n")
	}
	text.WriteString("    \"maxRecordCount\": 1000\n  },\n  \"extensions\": []\n}\n")
	return text.String()
}

func BenchmarkParse(b *testing.B) {
	text := []byte(longDefinition())
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if _, err := document.Parse(text); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkEditKey is what one key costs: parse, edit, lines.
func BenchmarkEditKey(b *testing.B) {
	text := []byte(longDefinition())
	for b.Loop() {
		d, _ := document.Parse(text)
		edited, err := d.SetValue("properties.maxRecordCount", "2000")
		if err != nil || len(edited.Lines()) < 5000 {
			b.Fatal(err)
		}
	}
}

func BenchmarkLines(b *testing.B) {
	d := parse(b, longDefinition())
	for b.Loop() {
		d.Lines()
	}
}

func BenchmarkDiff(b *testing.B) {
	d := parse(b, longDefinition())
	edited, _ := d.SetValue("properties.setting500.limit", "7")
	for b.Loop() {
		if len(document.Diff(d, edited)) != 1 {
			b.Fatal("no difference")
		}
	}
}

// largest is a definition of nearly MaxSize.
func largest() string {
	var text strings.Builder
	text.WriteString("{\n  \"serviceName\": \"Large\",\n  \"properties\": {\n")
	for i := 0; text.Len() < document.MaxSize-1000; i++ {
		text.WriteString("    \"setting" + itoa(i) + "\": {\n      \"enabled\": true,\n      \"values\": [1, 2.50, \"the title\"]\n    },\n")
	}
	text.WriteString("    \"maxRecordCount\": 1000\n  }\n}\n")
	return text.String()
}

func BenchmarkParseLargest(b *testing.B) {
	text := []byte(largest())
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if _, err := document.Parse(text); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkEditLargest(b *testing.B) {
	d := parse(b, largest())
	for b.Loop() {
		if _, err := d.SetValue("properties.setting9000.enabled", "false"); err != nil {
			b.Fatal(err)
		}
	}
}
