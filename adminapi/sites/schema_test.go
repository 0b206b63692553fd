package sites

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
)

func TestTheSchemaHasEveryKey(t *testing.T) {
	t.Parallel()
	type schema struct {
		Properties map[string]struct {
			Description          string `json:"description"`
			AdditionalProperties struct {
				Properties map[string]struct {
					Description string   `json:"description"`
					Type        string   `json:"type"`
					Enum        []string `json:"enum"`
					OneOf       []any    `json:"oneOf"`
				} `json:"properties"`
			} `json:"additionalProperties"`
		} `json:"properties"`
	}
	var read schema
	// The schema of the whole has false where that of a site has a schema.
	if err := json.Unmarshal(Schema(), &read); err != nil {
		t.Fatal(err)
	}
	site := read.Properties["sites"].AdditionalProperties.Properties
	for _, key := range siteKeys {
		said := site[key.name]
		if said.Description != key.doc || said.Type == "" && said.Enum == nil && said.OneOf == nil {
			t.Errorf("%s: %+v", key.name, said)
		}
	}
	if len(site) != len(siteKeys) || len(read.Properties) != len(rootKeys) {
		t.Errorf("%d keys of %d", len(site), len(siteKeys))
	}
	for _, key := range rootKeys {
		if read.Properties[key].Description == "" {
			t.Errorf("%s is not there", key)
		}
	}
}

func TestThePageNamesEveryKey(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/sites.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range siteKeys {
		if !strings.Contains(string(page), "| `"+key.name+"` |") {
			t.Errorf("docs/sites.md does not tell of %s", key.name)
		}
	}
	f, err := Read(written(t, everyKey))
	if err != nil {
		t.Fatal(err)
	}
	said := slices.ContainsFunc(siteKeys, func(k key) bool { return !f.sites[0].Says(k.name) })
	if said {
		t.Error("a key is in no test")
	}
}
