package operation_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"geodeck/adminapi/document"
	"geodeck/adminapi/finding"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/editing"
	"geodeck/adminapi/operation/operationtest"
)

// addsLevel is the plan of an edit that adds a key of the site's own.
func addsLevel(t *testing.T, s operation.Site, of editing.Target) (edit editing.Edit, unknown bool) {
	t.Helper()
	read, err := s.Read(t.Context(), of)
	if err != nil {
		t.Fatal(err)
	}
	edit = editing.Edit{Target: of, Base: read.Document, Keys: s.Memory.Keys(), Accepted: editing.Accepted{Words: []string{"unknown-key"}}}
	if edit.Edited, err = read.Document.Add("properties", "floodLevel", "3", -1); err != nil {
		t.Fatal(err)
	}
	return edit, slices.ContainsFunc(edit.Plan().Risks, func(r finding.Finding) bool {
		return r.ID == document.UnknownKey && r.At.Path == "properties.floodLevel"
	})
}

// C3: a key that one definition of the type has, which was read, is no news in another one, also in
// the next program; without a memory only what is published is known.
func TestKeysOfDefinitionsThatWereReadAreKnownFromThenOn(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "healthy")
	cities, other := editing.DefinitionOf(operationtest.Cities), editing.Target{}
	root, err := p.Client.Services.Folder(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range root.Services {
		if s.Type == cities.Service.Type && s.Name != cities.Service.Name {
			other = editing.DefinitionOf(s)
		}
	}
	edit, unknown := addsLevel(t, p.Site, other)
	if !unknown {
		t.Fatal("nobody has the key, and it is known")
	}
	if _, result := p.ApplyEdit(t.Context(), edit, nil); !result.Done() {
		t.Fatal(result.Err)
	}
	if _, err := p.Read(t.Context(), other); err != nil {
		t.Fatal(err)
	}
	if _, unknown := addsLevel(t, p.Site, cities); !unknown {
		t.Error("this machine has put it there, where nobody knew it, and it is known")
	}
	p.Remembering(t, t.TempDir()) // another machine
	if _, unknown := addsLevel(t, p.Site, cities); !unknown {
		t.Error("it was not read there, and is known")
	}
	if _, err := p.Read(t.Context(), other); err != nil {
		t.Fatal(err)
	}
	for name, memory := range map[string]operation.Memory{"the next edit": p.Memory, "a dry run": {Earlier: p.Memory.Journal}, "": {}} {
		site := p.Site
		site.Memory = memory
		if _, unknown := addsLevel(t, site, cities); unknown != (name == "") {
			t.Errorf("%q: unknown is %v", name, unknown)
		}
	}
}

func TestNoValueOfADefinitionIsRememberedAndADamagedMemoryIsNone(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "healthy")
	if _, err := p.Read(t.Context(), editing.PlacementOf(operationtest.Cities)); err != nil || len(p.Memory.Keys()) > 0 {
		t.Errorf("%v, %v", p.Memory.Keys(), err)
	}
	if _, err := p.Read(t.Context(), editing.DefinitionOf(operationtest.Cities)); err != nil {
		t.Fatal(err)
	}
	keys := p.Memory.Keys()
	if keys["MapServer properties"]["maxRecordCount"] != "a number" || keys["MapServer definition"]["x-lastTuned"] == "" {
		t.Error(keys)
	}
	path := p.Memory.Journal.SnapshotPath("keys of definitions")
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text := string(content)
	for _, value := range []string{"Cities of the world", "/data/maps", "ROUND_ROBIN"} {
		if strings.Contains(text, value) {
			t.Errorf("%s is in %s", value, text)
		}
	}
	if err := os.WriteFile(path, []byte(text[:len(text)/2]), 0o600); err != nil {
		t.Fatal(err)
	}
	if keys := p.Memory.Keys(); len(keys) > 0 || keys == nil {
		t.Error(keys)
	}
	if _, err := p.Read(t.Context(), editing.DefinitionOf(operationtest.Cities)); err != nil || len(p.Memory.Keys()) == 0 {
		t.Errorf("%v, %v", p.Memory.Keys(), err)
	}
}
