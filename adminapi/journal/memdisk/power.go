package memdisk

import "slices"

// content is what is in a file, and how it became so.
type content struct {
	now    []byte // as programs see it
	synced []byte // as it was synced, before the writes of since
	since  []write
}

// write is one that was not synced, or that follows one of which that is not known.
type write struct {
	at       int64
	data     []byte
	truncate bool // to the size at, instead
	fate     fate
}

// fate is what a power cut does to a write.
type fate int

const (
	pending   fate = iota // the next sync makes it last
	uncertain             // its sync has failed: no later sync takes care of it
	certain               // it was synced, after an uncertain one
)

// apply makes a write to data.
func (w write) apply(data []byte) []byte {
	end := w.at
	if !w.truncate {
		end += int64(len(w.data))
	}
	if grown := end - int64(len(data)); grown > 0 {
		data = append(data, make([]byte, grown)...)
	}
	if w.truncate {
		return data[:end]
	}
	copy(data[w.at:], w.data)
	return data
}

// do makes a write that programs see at once.
func (c *content) do(w write) {
	c.now = w.apply(c.now)
	c.since = append(c.since, w)
}

// sync makes the content last. What an earlier sync has failed to write stays uncertain until
// it is written again: the system takes it for written.
func (c *content) sync() {
	for i := range c.since {
		if c.since[i].fate == pending {
			c.since[i].fate = certain
		}
	}
	c.settle()
}

// failSync is a sync that fails.
func (c *content) failSync() {
	for i := range c.since {
		if c.since[i].fate == pending {
			c.since[i].fate = uncertain
		}
	}
}

// settle forgets the writes that last whatever happens to the others.
func (c *content) settle() {
	for len(c.since) > 0 && c.since[0].fate == certain {
		c.synced = c.since[0].apply(c.synced)
		c.since = c.since[1:]
	}
}

// durable is the content without what is not certain.
func (c *content) durable() []byte {
	data := append([]byte{}, c.synced...)
	for _, w := range c.since {
		if w.fate == certain {
			data = w.apply(data)
		}
	}
	return data
}

// cut leaves what a power cut does.
func (c *content) cut(rand func() uint64) {
	if len(c.since) == 0 {
		return
	}
	data := append([]byte{}, c.synced...)
	keep := func(w write) { data = w.apply(data) }
	tear := func(w write) {
		w.data = w.data[:below(rand, len(w.data)+1)]
		keep(w)
	}
	const lost, begun, mixed, kept = 0, 1, 2, 3
	how := below(rand, 4)
	last := below(rand, len(c.since)) // the torn one where they were begun in their order
	for i, w := range c.since {
		switch {
		case w.fate == certain, how == kept, how == begun && i < last:
			keep(w)
		case how == lost, how == begun && i > last:
		case w.truncate:
			if how == begun || below(rand, 2) == 0 {
				keep(w)
			}
		case how == begun:
			tear(w)
		default: // mixed
			switch below(rand, 4) {
			case 0:
				keep(w)
			case 1:
				tear(w)
			case 2: // only the size has reached the disk
				if end := w.at + int64(len(w.data)); end > int64(len(data)) {
					keep(write{at: end, truncate: true})
				}
			}
		}
	}
	*c = content{now: data, synced: slices.Clone(data)}
}

// below returns a random number below n.
func below(rand func() uint64, n int) int { return int(rand() % uint64(n)) }

// CutPower ends all programs, and everything that was not synced is left to chance. Of the
// names of a folder an ordered beginning of the changes is kept, a rename as a whole or not at
// all. Of the writes to a file each can be kept, dropped, torn, or leave zeros. Programs that
// are started afterwards find what is left.
func (d *Disk) CutPower(rand func() uint64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, p := range d.programs {
		p.end()
	}
	d.programs = nil
	d.cutNames(rand)
	d.each(seen, func(_ string, n *node) {
		if n.mode != n.lasting && below(rand, 2) == 0 {
			n.mode = n.lasting
		}
		n.lasting = n.mode
		n.content.cut(rand)
	})
}

// cutNames keeps the beginning of the changes to the names of each folder.
func (d *Disk) cutNames(rand func() uint64) {
	changes := map[*node]int{}
	var folders []*node // in the order of their first change
	for _, c := range d.renames {
		for i, e := range c {
			if slices.ContainsFunc(c[:i], func(o entry) bool { return o.folder == e.folder }) {
				continue
			}
			if changes[e.folder]++; changes[e.folder] == 1 {
				folders = append(folders, e.folder)
			}
		}
	}
	left := map[*node]int{}
	for _, folder := range folders {
		left[folder] = below(rand, changes[folder]+1)
	}
	for _, c := range d.renames {
		if !slices.ContainsFunc(c, func(e entry) bool { return left[e.folder] == 0 }) {
			c.apply(lasting)
			for i, e := range c {
				if !slices.ContainsFunc(c[:i], func(o entry) bool { return o.folder == e.folder }) {
					left[e.folder]--
				}
			}
			continue
		}
		for _, e := range c {
			left[e.folder] = 0
		}
	}
	d.renames = nil
	restore(d.root)
}

// restore shows programs the names that last.
func restore(folder *node) {
	folder.names = map[string]*node{}
	for name, n := range folder.synced {
		folder.names[name] = n
		if n.isFolder() {
			restore(n)
		}
	}
}
