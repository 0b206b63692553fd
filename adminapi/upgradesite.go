package adminapi

import (
	"context"
	"net/http"

	"github.com/go-json-experiment/json/jsontext"
)

// ManifestStatus says where the site's version manifest is from.
type ManifestStatus struct {
	Source       string  `json:"versionManifestSource"` // words, such as "Esri provided"
	LastImported Millis  `json:"lastImportedTimestamp"` // zero where none was imported
	Unknown      Unknown `json:",embed"`
}

// ManifestStatus reads where the version manifest is from. Needs a site of 11.4.
func (c *Client) ManifestStatus(ctx context.Context) (ManifestStatus, error) {
	var status ManifestStatus
	k := call{operation: opManifestStatus, shown: true, method: http.MethodGet, path: []string{"system", "upgrades", "manifestStatus"}}
	err := c.read(ctx, k, &status, func() string {
		if status.Source == "" && status.LastImported.IsZero() {
			return "source of the manifest"
		}
		return ""
	})
	return status, err
}

// ImportManifest gives the site a version manifest (a .dat file): for sites
// without internet. Name and File of the part are set here. It is sent once, with
// the time limit of [Client.StartUpgrade].
func (c *Client) ImportManifest(ctx context.Context, file Part) (Outcome, error) {
	file.Name, file.File = "manifestFile", true
	k := call{operation: opImportManifest, path: []string{"system", "upgrades", "importManifest"}, target: TargetSite, parts: []Part{file}}
	if e := checkFile(k.operation, file); e != nil {
		return OutcomeNotSent, e
	}
	return c.write(ctx, k, answer.succeeded)
}

// checkFile refuses a file that the platform could do nothing with.
func checkFile(o operation, file Part) error {
	what := ""
	switch {
	case file.FileName == "":
		what = "the file has no name"
	case len(file.Content) == 0:
		what = "the file is empty"
	default:
		return nil
	}
	return &Error{Kind: KindInvalid, Operation: o.name, Message: what}
}

// UpgradeConfig is how the site runs upgrades.
type UpgradeConfig struct {
	PodPlacement jsontext.Value `json:"podPlacementPolicy"` // of the pods of the upgrade; nil where there is none
	Unknown      Unknown        `json:",embed"`

	// Raw is the object as the server wrote it.
	Raw jsontext.Value `json:"-"`
}

// UpgradeConfig reads how the site runs upgrades. Needs a site of 11.2.
func (c *Client) UpgradeConfig(ctx context.Context) (UpgradeConfig, error) {
	var config UpgradeConfig
	k := call{operation: opUpgradeConfig, method: http.MethodGet, path: []string{"system", "upgrades", "config"}}
	raw, err := c.readWhole(ctx, k, &config, func() string {
		if config.PodPlacement == nil && len(config.Unknown) > 0 {
			return "podPlacementPolicy"
		}
		return ""
	})
	if err != nil {
		return UpgradeConfig{}, err
	}
	config.Raw = raw
	return config, nil
}
