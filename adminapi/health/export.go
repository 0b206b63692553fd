package health

import (
	"io"

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
func (f Format) Extension() string { panic("contract only") }

// Export writes the report. Text passes package plain in all formats but JSON,
// which is the server's object (indented, as written); a CSV cell never begins
// a formula. The error is the writer's, or names an unknown format.
func Export(w io.Writer, r adminapi.Report, f Format) error { panic("contract only") }

// FileName returns a safe name for the exported file: from the report's name and
// id, without any character that a file system or a shell could trip over.
func FileName(r adminapi.Report, f Format) string { panic("contract only") }

// FailOn says which result of a run counts as failed.
type FailOn string

// What counts as failed: any test that did not pass, critical ones only, or
// only those that passed in an earlier report.
const (
	FailOnAny      FailOn = "any"
	FailOnCritical FailOn = "critical"
	FailOnNew      FailOn = "new"
)

// Fails tells whether the report counts as failed and says why in a sentence
// (empty where it does not). earlier is the newest earlier report of the same
// suites, nil where there is none; only FailOnNew asks for it, and without one
// every failure is new.
func Fails(r adminapi.Report, earlier *adminapi.Report, on FailOn) (failed bool, why string) {
	panic("contract only")
}
