package health

import (
	"fmt"
	"io"
	"strings"

	"geodeck/adminapi"
)

// Format is a way to write a report down.
type Format string

// The formats: JSON is the server's own object, CSV one line a test, Markdown a
// page for a ticket, JUnit for pipelines.
const (
	JSON     Format = "json"
	CSV      Format = "csv"
	Markdown Format = "md"
	JUnit    Format = "junit"
)

// Formats lists them in the order in which they are offered.
var Formats = []Format{JSON, CSV, Markdown, JUnit}

// Extension returns the usual ending of a file: ".json", ".xml" for JUnit.
func (f Format) Extension() string {
	if f == JUnit {
		return ".xml"
	}
	return "." + string(f)
}

// Export writes the report. Text passes package plain in all formats but JSON,
// which is the server's object (indented, numbers and order as written); a CSV
// cell never begins a formula. The error is the writer's, or names an unknown
// format.
func Export(w io.Writer, r adminapi.Report, f Format) error {
	switch f {
	case JSON:
		return exportJSON(w, r)
	case CSV:
		return exportCSV(w, r)
	case Markdown:
		return exportMarkdown(w, r)
	case JUnit:
		return exportJUnit(w, r)
	}
	return fmt.Errorf("unknown format %q: use json, csv, md or junit", string(f))
}

// maxName bounds the parts of a file name that come from the server.
const maxName = 60

// FileName returns a safe name for the exported file: from the report's name and
// id, without any character that a file system or a shell could trip over.
func FileName(r adminapi.Report, f Format) string {
	parts := []string{"health"}
	for _, text := range []string{r.Name, r.ID} {
		if part := filePart(text); part != "" {
			parts = append(parts, part)
		}
	}
	if len(parts) == 1 {
		parts = append(parts, "report")
	}
	ending := f.Extension()
	if f != JUnit {
		ending = "." + filePart(string(f))
	}
	return strings.Join(parts, "-") + ending
}

// filePart keeps ASCII letters, digits, '_' and single '-'. Dots go too: none
// may begin a name, climb a folder or fake an extension.
func filePart(text string) string {
	var b strings.Builder
	gap := false
	for _, r := range text {
		if !fileRune(r) {
			gap = true
			continue
		}
		if gap && b.Len() > 0 {
			b.WriteByte('-')
		}
		gap = false
		if b.WriteRune(r); b.Len() >= maxName {
			break
		}
	}
	return b.String()
}

func fileRune(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_'
}
