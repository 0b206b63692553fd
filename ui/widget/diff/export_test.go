package diff

import "geodeck/adminapi/document"

// Path returns the path under the cursor, that of the whole document where it is on
// a heading.
func (r *Review) Path() document.Path {
	if i, ok := r.list.Selected(); ok {
		return r.tree.items[i].key.path
	}
	return document.Whole
}
