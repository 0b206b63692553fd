package operation

import (
	"cmp"
	"context"

	"geodeck/adminapi/document"
	"geodeck/adminapi/operation/editing"
)

// keptKeys is the kind of the snapshot of the keys of definitions.
const keptKeys = "keys of definitions"

// Read fetches a part of a service, see [editing.Read]. The keys of a definition, without their
// values, are kept on this machine: what a later edit adds is checked by them.
func (s Site) Read(ctx context.Context, t editing.Target) (editing.Content, error) {
	read, err := editing.Read(ctx, s.Client, t)
	if err != nil || t.Part != editing.Definition || s.Memory.Journal == nil {
		return read, err
	}
	s.keepKeys(func(keys document.Keys) bool { return keys.Learn(read.Document) })
	return read, nil
}

// keepKeys keeps the keys that are known where a change of them has changed any.
func (s Site) keepKeys(changes func(document.Keys) bool) {
	if keys := s.Memory.Keys(); changes(keys) {
		_ = s.Memory.Journal.SaveSnapshot(keptKeys, s.Clock.Now(), 0, keys)
	}
}

// Keys are the keys of the definitions that were read of the site on this machine. It reads a file.
func (s Memory) Keys() document.Keys {
	keys := document.Keys{}
	if from := cmp.Or(s.Journal, s.Earlier); from != nil {
		snapshot, _ := from.Snapshot(keptKeys)
		_ = snapshot.Decode(&keys) // without it an edit gets a caution more
	}
	return keys
}
