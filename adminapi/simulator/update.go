package simulator

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"
	"sync"
)

// The types of an update.
const (
	typeRelease = "release"
	typePatch   = "patch"
)

// update is a release or a patch as a version manifest tells it.
type update struct {
	ID                   string          `json:"id"`
	Name                 string          `json:"name"`
	Type                 string          `json:"type"`
	Description          string          `json:"description"`
	ReleaseNotes         string          `json:"releaseNotes"`
	Version              string          `json:"version"`
	PreviousVersion      string          `json:"previousVersion"`
	Build                build           `json:"build"`
	PreviousBuild        build           `json:"previousBuild,omitzero"`
	ReleaseBuild         build           `json:"releaseBuild,omitzero"`
	PreviousReleaseBuild build           `json:"previousReleaseBuild,omitzero"`
	NewLicensesRequired  bool            `json:"newLicensesRequired"`
	Mandatory            *bool           `json:"ismandatoryUpdate,omitempty"` // patches
	URL                  string          `json:"url"`
	Released             int64           `json:"released"`
	Containers           []container     `json:"containers"`
	UserForm             json.RawMessage `json:"userForm,omitempty"` // of imported manifests

	form []string // ids of the settings that it asks for
}

type container struct {
	Name     string `json:"name"`
	Image    string `json:"image"`
	Checksum string `json:"checksum"`
}

// build is a build number. Manifests write it as a number or as a string, and
// it stays as it was written.
type build struct {
	number int
	quoted bool
}

// UnmarshalJSON reads both forms.
func (b *build) UnmarshalJSON(text []byte) error {
	var s string
	b.quoted = json.Unmarshal(text, &s) == nil
	if !b.quoted {
		s = string(text)
	}
	if s == "" {
		return nil
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 {
		return fmt.Errorf("a build is a number, not %.40q", s)
	}
	b.number = n
	return nil
}

// MarshalJSON writes the form that was read.
func (b build) MarshalJSON() ([]byte, error) {
	if !b.quoted {
		return strconv.AppendInt(nil, int64(b.number), 10), nil
	}
	return strconv.AppendQuote(nil, strconv.Itoa(b.number)), nil
}

func (u *update) isRelease() bool { return u.Type == typeRelease }

func (u *update) required() bool { return u.Mandatory != nil && *u.Mandatory }

// full is the version that a site has after the update.
func (u *update) full() version {
	v, _ := parseVersion(u.Version)
	v[3] = u.Build.number
	return v
}

// oldStyle tells whether the licence travels as a file of the request: the
// target's version decides.
func (u *update) oldStyle() bool { return olderThan(u.full(), "11.0") }

//go:embed data/updates.json
var updateData []byte

//go:embed data/containers.json
var containerData []byte

// updateCatalogue returns what was ever released, oldest first. Callers may
// change the updates that they get, but not their containers.
func updateCatalogue() []*update {
	list := make([]*update, len(released()))
	for i, u := range released() {
		list[i] = &u
	}
	return list
}

// released reads the embedded list.
var released = sync.OnceValue(func() []update {
	var told []struct {
		update
		Form       []string `json:"form"`
		Containers []string `json:"containers"`
	}
	var images []container
	for data, into := range map[*[]byte]any{&updateData: &told, &containerData: &images} {
		if err := json.Unmarshal(*data, into); err != nil {
			panic("the embedded list of updates is broken: " + err.Error())
		}
	}
	imageOf := map[string]string{}
	for _, c := range images {
		imageOf[c.Name] = c.Image
	}
	list := make([]update, len(told))
	for i := range told {
		u := told[i].update
		u.form = told[i].Form
		for n, name := range told[i].Containers {
			u.Containers = append(u.Containers, newContainer(name, imageOf[name]+":"+u.full().String(), n))
		}
		list[i] = u
	}
	return list
})

// newContainer gives two of three containers a digest; real manifests often
// have none.
func newContainer(name, image string, n int) container {
	c := container{Name: name, Image: image, Checksum: "N/A"}
	if n%3 != 1 {
		sum := sha256.Sum256([]byte(image))
		c.Checksum = "sha256:" + hex.EncodeToString(sum[:])
	}
	return c
}
