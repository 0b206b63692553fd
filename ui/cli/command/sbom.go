package command

import (
	"cmp"
	"runtime/debug"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// bom is a bill of materials in the form of CycloneDX 1.6. It has no serial number and no time: the
// same program has the same bill.
type bom struct {
	Format      string      `json:"bomFormat"`
	SpecVersion string      `json:"specVersion"`
	Version     int         `json:"version"`
	Metadata    bomMetadata `json:"metadata"`
	Components  []component `json:"components"`
}

type bomMetadata struct {
	Component component `json:"component"`
}

type component struct {
	Type       string     `json:"type"`
	Ref        string     `json:"bom-ref"`
	Name       string     `json:"name"`
	Version    string     `json:"version"`
	PURL       string     `json:"purl,omitempty"`
	Properties []property `json:"properties,omitempty"`
}

type property struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// SBOM is the bill of materials of a program of ours, by what its build wrote into it: the modules that
// are linked, each with the checksum that go.sum has of it, and the standard library. The error is one
// of the encoder.
func SBOM(version string, info *debug.BuildInfo) (jsontext.Value, error) {
	program := component{Type: "application", Ref: "geodeck", Name: "geodeck", Version: version}
	for _, setting := range info.Settings {
		switch setting.Key {
		case "GOOS", "GOARCH", "vcs.revision", "vcs.time", "vcs.modified":
			program.Properties = append(program.Properties, property{"go:" + setting.Key, setting.Value})
		}
	}
	goVersion, _, _ := strings.Cut(strings.TrimPrefix(info.GoVersion, "go"), " ")
	components := []component{library("std", goVersion, "")}
	for _, module := range info.Deps {
		linked := cmp.Or(module.Replace, module)
		components = append(components, library(linked.Path, linked.Version, linked.Sum))
	}
	return json.Marshal(bom{"CycloneDX", "1.6", 1, bomMetadata{program}, components})
}

func library(path, version, sum string) component {
	purl := "pkg:golang/" + path + "@" + strings.ReplaceAll(version, "+", "%2B")
	c := component{Type: "library", Ref: purl, Name: path, Version: version, PURL: purl}
	if sum != "" {
		c.Properties = []property{{"go:sum", sum}}
	}
	return c
}
