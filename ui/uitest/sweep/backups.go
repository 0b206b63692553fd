package sweep

import (
	"encoding/json"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/editing"
	"geodeck/ui/uitest/sweep/oracle"
)

// spoilsSome lets the disk lose backups, or a part of them, of what the site has now: before the next attempt they
// have to be there again.
func (m *machine) spoilsSome(w wish) {
	r := m.day.random("spoils after " + m.runs[len(m.runs)-1].name)
	if r.IntN(2) == 0 || w.has == nil || w.has() {
		return
	}
	files := m.disk.Files()
	for _, name := range slices.Sorted(maps.Keys(files)) {
		where := backupOf(files, name)
		if where == "" || m.site.ask("GET", where, nil) != string(files[name]) {
			continue
		}
		m.spoils(name, files[name], spoiltBytes(r, files[name]))
		m.day.meet("a backup is spoiled before the next attempt")
	}
}

// backupOf is where the site has what the file of a backup has kept; empty for other files.
func backupOf(files map[string][]byte, name string) string {
	if !strings.Contains(name, "/backups/") || path.Ext(name) != ".json" {
		return ""
	}
	var listed struct{ Key string }
	list, _, _ := strings.Cut(string(files[path.Join(path.Dir(name), "index.jsonl")]), "\n")
	if json.Unmarshal([]byte(list), &listed) != nil || listed.Key == "" {
		return ""
	}
	where := "/services/" + listed.Key
	if !strings.Contains(path.Base(path.Dir(path.Dir(name))), "definition") {
		where += "/placementPolicy"
	}
	return where
}

// spoils makes something else of a backup; nil lets it be gone.
func (m *machine) spoils(name string, was, is []byte) {
	if m.lost == nil {
		m.lost, m.spoilt = map[string]time.Time{}, map[string]bool{}
	}
	done := is == nil && m.disk.Program().Remove(name) == nil || is != nil && m.overwrites(name, is)
	if done {
		m.day.log("the backup %s is spoiled: %d of %d bytes", path.Base(name), len(is), len(was))
		m.lost[string(was)], m.spoilt[string(is)] = time.Now(), true
		m.day.meet("a backup is spoiled")
	}
}

// restorable lets the oracle judge what the history has of each document that was edited here.
func (m *machine) restorable() {
	j, err := m.kept()
	if err != nil {
		return
	}
	defer j.Close()
	memory := operation.Memory{Journal: j}
	kept := oracle.Restorable{Has: map[string][]string{}, Lost: m.lost, Spoilt: m.spoilt}
	for _, p := range m.site.sent(func(p *post) bool {
		return strings.HasPrefix(p.path, "/services/") && strings.HasSuffix(p.path, "/edit")
	}) {
		where := strings.TrimSuffix(p.path, "/edit")
		if _, done := kept.Has[where]; done {
			continue
		}
		name, placement := strings.CutSuffix(strings.TrimPrefix(where, "/services/"), "/placementPolicy")
		ref, err := adminapi.ParseServicePath(name)
		if err != nil {
			continue
		}
		target := editing.DefinitionOf(ref)
		if placement {
			target = editing.PlacementOf(ref)
		}
		list, err := memory.History(target)
		if err != nil {
			m.day.fail("the history of %s cannot be read: %v", target, err)
		}
		kept.Has[where] = []string{}
		for _, b := range list {
			if old, err := memory.ReadBackup(target, b.ID); err == nil {
				kept.Has[where] = append(kept.Has[where], old.Text())
			}
		}
	}
	m.day.oracle.Restores(kept)
}
