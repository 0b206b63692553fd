package command_test

import (
	"encoding/json"
	"runtime/debug"
	"testing"

	"github.com/google/go-cmp/cmp"

	"geodeck/ui/cli/command"
)

// Each module that is linked stands in the bill, with the version that is linked and its checksum.
func TestTheBillOfMaterialsHasEveryModule(t *testing.T) {
	t.Parallel()
	info := &debug.BuildInfo{
		GoVersion: "go1.26.8 X:nodwarf5",
		Deps: []*debug.Module{
			{Path: "example.org/a", Version: "v1.2.3", Sum: "h1:a="},
			{Path: "example.org/b", Version: "v2.0.0+incompatible", Sum: "h1:b="},
			{Path: "example.org/c", Version: "v1.0.0", Replace: &debug.Module{Path: "example.org/ours", Version: "v1.0.1", Sum: "h1:c="}},
		},
		Settings: []debug.BuildSetting{{Key: "-ldflags", Value: "-s"}, {Key: "GOOS", Value: "linux"}, {Key: "vcs.revision", Value: "abc"}},
	}
	type component struct {
		Name, Version, PURL string
		Properties          []struct{ Name, Value string }
	}
	var bill struct {
		BOMFormat, SpecVersion string
		Metadata               struct{ Component component }
		Components             []component
	}
	raw, err := command.SBOM("1.0.0", info)
	if err == nil {
		err = json.Unmarshal(raw, &bill)
	}
	if err != nil {
		t.Fatal(err)
	}
	got := []string{bill.BOMFormat + " " + bill.SpecVersion}
	for _, c := range append([]component{bill.Metadata.Component}, bill.Components...) {
		line := c.Name + " " + c.Version + " " + c.PURL
		for _, p := range c.Properties {
			line += " " + p.Name + "=" + p.Value
		}
		got = append(got, line)
	}
	want := []string{
		"CycloneDX 1.6",
		"geodeck 1.0.0  go:GOOS=linux go:vcs.revision=abc",
		"std 1.26.8 pkg:golang/std@1.26.8",
		"example.org/a v1.2.3 pkg:golang/example.org/a@v1.2.3 go:sum=h1:a=",
		"example.org/b v2.0.0+incompatible pkg:golang/example.org/b@v2.0.0%2Bincompatible go:sum=h1:b=",
		"example.org/ours v1.0.1 pkg:golang/example.org/ours@v1.0.1 go:sum=h1:c=",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
