package operation

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"

	"geodeck/adminapi"
	"geodeck/adminapi/upgrade"
)

// UpgradeAsk is what somebody has chosen: the target and everything that goes
// with it. Files are named, not held.
type UpgradeAsk struct {
	Target      adminapi.Update
	Settings    adminapi.UpgradeSettings // new style: as the site gave them
	Answers     upgrade.Answers          // new style
	LicencePath string                   // old style
	LatestPatch *bool                    // old style: nil leaves it to the site
	// ToAnswer tells that the settings are still to be filled in: what is missing
	// does not block the pre-flight yet.
	ToAnswer bool
	// ManifestPath is a version manifest to send along, for sites without
	// internet; empty sends the part empty.
	ManifestPath string
}

// Sentence says what the upgrade will do, the latest patch included where it was
// asked for.
func (a UpgradeAsk) Sentence(offer Offer) string {
	sentence := upgrade.Sentence(a.Target, offer.Installed, offer.Chain)
	if !a.toLatestPatch() {
		return sentence
	}
	return strings.TrimSpace(sentence + " " + upgrade.LatestPatchSentence(a.Target, offer.Chain))
}

// toLatestPatch tells whether the upgrade goes on to the latest patch, as far as
// that is asked: what the site does by itself is not known in the old style.
func (a UpgradeAsk) toLatestPatch() bool {
	if upgrade.StyleOf(a.Target) == upgrade.Old {
		return a.LatestPatch != nil && *a.LatestPatch
	}
	return upgrade.LatestPatch(a.Settings, a.Answers)
}

// UpgradeSettings reads what the site wants to know before an upgrade. An
// upgrade of the old style is not asked about: it has no settings.
func (s Site) UpgradeSettings(ctx context.Context, target adminapi.Update) (adminapi.UpgradeSettings, error) {
	if upgrade.StyleOf(target) == upgrade.Old {
		return adminapi.UpgradeSettings{}, nil
	}
	return s.Client.UpgradeSettings(ctx, target.ID)
}

// ReadAnswerFile reads a file that answers a setting, and checks it. The error
// never shows content.
func ReadAnswerFile(path string, field upgrade.Field) ([]byte, error) {
	content, size, err := readFile(path, upgrade.MaxLicence)
	if err != nil {
		return nil, err
	}
	return content, upgrade.CheckFile(path, size, content, field)
}

// mostManifest is the size of the largest manifest file that is read, in bytes.
const mostManifest = 64 << 20

// ReadManifestFile reads a version manifest from a file and checks that it is one.
func ReadManifestFile(path string) ([]byte, adminapi.Manifest, error) {
	content, size, err := readFile(path, mostManifest)
	if err == nil && size > mostManifest {
		err = fmt.Errorf("%s has %d MiB; no manifest is that large", path, size>>20)
	}
	if err != nil {
		return nil, adminapi.Manifest{}, err
	}
	manifest, err := upgrade.ReadManifestFile(content)
	return content, manifest, err
}

// readFile reads a regular file up to a limit; what is larger is not read at
// all, and only its size told.
func readFile(path string, most int64) (content []byte, size int64, err error) {
	// Opening a pipe would wait for somebody to write into it.
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, 0, plainPathError(path, err)
	}
	defer func() { _ = file.Close() }()
	info, err := file.Stat()
	switch {
	case err != nil:
		return nil, 0, plainPathError(path, err)
	case info.IsDir():
		return nil, 0, fmt.Errorf("%s is a folder, not a file", path)
	case !info.Mode().IsRegular():
		return nil, 0, fmt.Errorf("%s is not a regular file", path)
	case info.Size() > most:
		return nil, info.Size(), nil
	}
	content, err = io.ReadAll(io.LimitReader(file, most+1))
	return content, int64(len(content)), err
}

func plainPathError(path string, err error) error {
	switch {
	case errors.Is(err, os.ErrNotExist):
		return fmt.Errorf("there is no file %s", path)
	case errors.Is(err, os.ErrPermission):
		return fmt.Errorf("%s may not be read by this user", path)
	}
	return fmt.Errorf("%s cannot be read: %w", path, errors.Unwrap(err))
}

// checkFiles checks every file that the answers name.
func (a UpgradeAsk) checkFiles() map[string]error {
	checked := map[string]error{}
	for _, field := range upgrade.Form(a.Settings) {
		if answer := a.Answers[field.ID]; field.Kind == upgrade.File && answer.Path != "" {
			_, err := ReadAnswerFile(answer.Path, field)
			checked[field.ID] = err
		}
	}
	return checked
}
