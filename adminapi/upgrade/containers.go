package upgrade

import "geodeck/adminapi"

// ContainerCount counts the containers of an update and of the updates that it includes, each by
// its name once.
type ContainerCount struct {
	Total     int // named
	All       int // that change
	Own       int // of those, the ones that the update itself names
	Missing   int // without a checksum
	Malformed int // with something that is none
	Unread    int // included updates that were not looked at
}

// maxCounted bounds how many other updates are looked at: a manifest may name thousands.
const maxCounted = 40

// Containers counts the containers of an entry. An image with a malformed checksum in any of the
// updates counts as such.
func (c Chain) Containers(e Entry, installed Installed) (n ContainerCount) {
	updates := []adminapi.Update{e.Update}
	for _, id := range e.Brings[max(0, len(e.Brings)-maxCounted):] {
		if included, ok := c.Find(id); ok {
			updates = append(updates, included.Update)
		}
	}
	n.Unread = len(e.Brings) + 1 - len(updates)
	changed, checksums := map[string]bool{}, map[string]ChecksumState{}
	for i, u := range updates {
		for _, container := range installed.Changes(u.Containers) {
			if container.Change != Same {
				changed[container.Name] = true
			}
			if was := checksums[container.Name]; was == "" || container.State == ChecksumMalformed {
				checksums[container.Name] = container.State
			}
		}
		if i == 0 {
			n.Own = len(changed)
		}
	}
	n.Total, n.All = len(checksums), len(changed)
	for _, state := range checksums {
		switch state {
		case ChecksumMissing:
			n.Missing++
		case ChecksumMalformed:
			n.Malformed++
		}
	}
	return n
}
