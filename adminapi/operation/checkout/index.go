package checkout

import (
	"bytes"
	"errors"
	"io/fs"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"geodeck/adminapi/journal"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/editing"
)

// IndexFile is the file that says what was pulled.
const IndexFile = ".geodeck.json"

// indexVersion counts the forms of the index; a later one is not read.
const indexVersion = 1

// maxIndex is the size of the largest index that is read, in bytes.
const maxIndex = 64 << 20

// Index says of which site the files are, and what it had when each was pulled.
type Index struct {
	SchemaVersion int    `json:"schemaVersion"`
	Site          string `json:"site,omitempty"` // its name in config.yaml
	Address       string `json:"address"`
	Version       string `json:"version,omitempty"` // of the site, at the last pull
	// Files are what was pulled or applied, by the name of the file.
	Files map[string]Pulled `json:"files"`
}

// Pulled is what a site had.
type Pulled struct {
	Time   time.Time `json:"time"`   // UTC, of the pull that changed it
	SHA256 string    `json:"sha256"` // of its meaning, without the values that the site generates
}

// IndexError says why the index of a folder cannot be used. Exit code 2.
type IndexError struct{ Why string }

// Error names the file.
func (e *IndexError) Error() string { return IndexFile + " " + e.Why }

// readIndex reads the index, where there is one.
func (f *Folder) readIndex() error {
	f.Index = Index{Files: map[string]Pulled{}}
	content, err := f.content(IndexFile, maxIndex)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return &IndexError{"cannot be read: " + err.Error()}
	}
	var read Index
	if err := json.Unmarshal(content, &read); err != nil || read.SchemaVersion == 0 {
		return &IndexError{"is no index of geodeck; move it away, and pull again"}
	}
	if read.SchemaVersion > indexVersion {
		return &IndexError{"was written by a later version of geodeck; use that one"}
	}
	if read.Files == nil {
		read.Files = map[string]Pulled{}
	}
	f.Index, f.saved = read, content
	return nil
}

// Save writes the index, where it has changed.
func (f *Folder) Save() error {
	f.Index.SchemaVersion = indexVersion
	text, err := json.Marshal(f.Index, json.Deterministic(true), jsontext.WithIndent("  "))
	if text = append(text, '\n'); err != nil || bytes.Equal(text, f.saved) {
		return err
	}
	if err = f.write(IndexFile, text); err == nil {
		f.saved = text
	}
	return err
}

// note notes what the site has in a part.
func (f *Folder) note(t editing.Target, digest string, at time.Time) {
	if f.Index.Files[FileOf(t)].SHA256 != digest {
		f.Index.Files[FileOf(t)] = Pulled{at.UTC().Truncate(time.Second), digest}
	}
}

// IsOf reports whether the files were pulled from a site, or from none yet.
func (f *Folder) IsOf(s operation.Site) bool {
	return f.Index.Address == "" || f.Index.Address == journal.SiteOf(s.Client.Base())
}
