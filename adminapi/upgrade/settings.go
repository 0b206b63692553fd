package upgrade

import (
	"geodeck/adminapi"

	"github.com/go-json-experiment/json/jsontext"
)

// Kind is what a setting takes.
type Kind string

// The kinds. Whatever type is not known takes JSON as it stands.
const (
	Boolean Kind = "boolean"
	File    Kind = "file" // the path of a file here; its upload id is what is sent
	JSON    Kind = "json"
)

// Field is one setting as a form shows it. Texts are clean; ids are not.
type Field struct {
	ID         string // key of its answer: the setting's id, its name where it has none
	Label      string
	Help       string // prose only, else empty
	Kind       Kind
	Type       string // as the server wrote it
	Required   bool
	Hidden     bool           // not meant for everybody: shown behind a toggle
	Secret     bool           // the value is masked wherever it is shown
	Default    jsontext.Value // shown, never sent by itself
	Value      jsontext.Value // what the server gave, and what is sent unless it is changed
	Extensions []string       // of files, in lower case without dot; empty takes any
}

// On tells what a Boolean field says now: true for true and "true".
func (f Field) On() bool { panic("contract only") }

// Empty tells whether the server gave no value: nothing, null or "".
func (f Field) Empty() bool { panic("contract only") }

// Answer changes one setting. The zero value changes nothing. Only what fits the
// kind of the field is looked at.
type Answer struct {
	Bool   *bool  `json:"bool,omitempty"`
	Path   string `json:"path,omitempty"`   // File: a file on this machine
	Upload string `json:"upload,omitempty"` // File: id of what is uploaded already; Path wins
	JSON   string `json:"json,omitempty"`   // JSON: the text as typed
}

// Answers holds answers by Field.ID.
type Answers map[string]Answer

// Form returns the settings in the order of seqNum; equal ones stay in the
// server's order.
func Form(settings adminapi.UpgradeSettings) []Field { panic("contract only") }

// Check returns what keeps the answers from being sent: a required setting that
// stays empty, JSON that does not parse (with line and column), a kind that does
// not fit, an answer to nothing that was asked. Files are checked by [CheckFile].
func Check(fields []Field, answers Answers) []Problem { panic("contract only") }

// AnswersFrom reads a filled-in settings object (such as `upgrade settings` gives
// it and somebody edited) as answers: every value that differs from what the
// server gives now. Inputs that the server does not ask for are problems. A
// string for a File setting is taken for an upload id.
func AnswersFrom(settings adminapi.UpgradeSettings, filled []byte) (Answers, []Problem, error) {
	panic("contract only")
}

// Fill returns the object to submit: exactly what the server gave, with the
// changed values replaced and nothing else. uploads holds the upload ids of the
// answered files by Field.ID; one that is missing is an error. See
// [PendingUploads] for a dry run.
func Fill(settings adminapi.UpgradeSettings, answers Answers, uploads map[string]string) (jsontext.Value, error) {
	panic("contract only")
}

// UploadPending stands for an upload id that does not exist yet.
const UploadPending = "(id after upload)"

// PendingUploads returns UploadPending for every answered file.
func PendingUploads(answers Answers) map[string]string { panic("contract only") }

// SettingsChanged returns the ids of the inputs that differ between two readings
// of the settings: added, removed, or of another type, value or requirement.
func SettingsChanged(before, now adminapi.UpgradeSettings) []string { panic("contract only") }
