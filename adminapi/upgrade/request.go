package upgrade

import (
	"geodeck/adminapi"

	"github.com/go-json-experiment/json/jsontext"
)

// Request is everything that one upgrade is asked with.
type Request struct {
	Target       adminapi.Update
	Manifest     []byte         // content of a manifest file; nil sends the part empty
	ManifestName string         // its file name
	Settings     jsontext.Value // new style: from Fill; empty is sent as {}
	Licence      []byte         // old style: content of the licence file; nil sends no such part
	LicenceName  string         // its file name
	LatestPatch  *bool          // old style: updateToLatestPatch, nil sends no such part
}

// Parts returns the parts of the request in the order they are sent, without f and
// token. The error names what is missing or belongs to the other style.
func Parts(r Request) ([]adminapi.Part, error) { panic("contract only") }

// Shown is one part as a review shows it.
type Shown struct {
	Name     string `json:"name"`
	FileName string `json:"fileName,omitempty"`
	Size     int    `json:"size"` // bytes of the content
	Text     string `json:"text"` // clean; of a secret part only that it is not shown
}

// Describe shows parts with every secret masked: no content of a licence, no value
// of a setting that looks like a password. Upload ids are shown.
func Describe(parts []adminapi.Part) []Shown { panic("contract only") }

// Sentence says in one sentence what the upgrade will do: from which version to
// which, what comes along, and that it cannot be undone or can.
func Sentence(target adminapi.Update, installed Installed, chain Chain) string {
	panic("contract only")
}
