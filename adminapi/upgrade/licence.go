package upgrade

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// MaxLicence is the size of the largest licence that is taken, in bytes. Real ones
// have some kilobytes.
const MaxLicence = 10 << 20

// CheckFile checks a file before it is used for a setting: its extension, size
// (bytes, as the file system says; content may be shorter when it is too large and
// was not read), and that a .json file is one JSON value. The error says what to
// do and never shows content.
func CheckFile(name string, size int64, content []byte, f Field) error {
	name = short(name[strings.LastIndexAny(name, `/\`)+1:])
	extension := ""
	if at := strings.LastIndexByte(name, '.'); at >= 0 {
		extension = strings.ToLower(name[at+1:])
	}
	switch {
	case name == "":
		return errors.New("no file is named")
	case len(f.Extensions) > 0 && !slices.Contains(f.Extensions, extension):
		return fmt.Errorf("%s has not the right extension: it must end in .%s", name, short(strings.Join(f.Extensions, " or .")))
	case size == 0, size < MaxLicence && size == int64(len(content)) && len(bytes.TrimSpace(content)) == 0:
		return fmt.Errorf("%s is empty", name)
	case size > MaxLicence:
		return fmt.Errorf("%s has %.1f MiB; a file for this setting has at most %d", name, float64(size)/(1<<20), MaxLicence>>20)
	case size != int64(len(content)):
		return fmt.Errorf("%s changed while it was read; try again", name)
	}
	if extension == "json" {
		if err := parses(content); err != nil {
			return fmt.Errorf("%s is %w", name, err)
		}
	}
	return nil
}

// LicenceField is the field that a licence file of the old style is checked by.
func LicenceField() Field {
	return Field{ID: "licenseFile", Label: "Licence file", Kind: File, Extensions: []string{"json"}}
}
