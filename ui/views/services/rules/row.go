package rules

import (
	"geodeck/adminapi/placement"
	"geodeck/ui/views/services/edits"
)

// rowKind says what a row shows.
type rowKind uint8

const (
	itemRow        rowKind = iota // the header of a deployment
	affinityRow                   // which kind of affinity there is
	listRow                       // above the terms of one kind
	termRow                       // above the lines of a term
	lineRow                       // a line of a term
	tolerationsRow                // above the tolerations
	tolerationRow                 // one of them
	unknownRow                    // what of the deployment stays as it is
	newTermRow                    // a term that is typed and not in the policy yet
	newRow                        // a line or a toleration likewise
)

// rowKey tells rows apart, also from one revision of a policy to the next.
type rowKey struct {
	kind rowKind
	at   placement.Place
}

func keyOfItem(item int) rowKey        { return rowKey{itemRow, placement.AtItem(item)} }
func keyOfAffinity(item int) rowKey    { return rowKey{affinityRow, placement.AtItem(item)} }
func keyOfTolerations(item int) rowKey { return rowKey{tolerationsRow, placement.AtItem(item)} }

func keyOfList(item int, kind placement.Kind) rowKey {
	return rowKey{listRow, placement.Place{Item: item, Kind: kind}}
}

// keyOf is the row of a term, a line or a toleration.
func keyOf(at placement.Place) rowKey {
	switch at.Part {
	case placement.TermPart:
		return rowKey{termRow, at}
	case placement.LinePart:
		return rowKey{lineRow, at}
	case placement.TolerationPart:
		return rowKey{tolerationRow, at}
	}
	return rowKey{itemRow, at}
}

// out returns the row nearest to one that may be gone: a sibling before it, then what
// it stands in; false where there is none.
func (k rowKey) out() (rowKey, bool) {
	at := k.at
	switch k.kind {
	case tolerationRow:
		if at.Toleration--; at.Toleration >= 0 {
			return rowKey{tolerationRow, at}, true
		}
		return keyOfTolerations(at.Item), true
	case lineRow:
		if at.Line--; at.Line >= 0 {
			return rowKey{lineRow, at}, true
		}
		return keyOf(placement.AtTerm(at.Item, at.Kind, at.Term)), true
	case termRow:
		if at.Term--; at.Term >= 0 {
			return rowKey{termRow, at}, true
		}
		return keyOfList(at.Item, at.Kind), true
	case newTermRow, newRow:
		return k.outOfNew()
	case listRow:
		return keyOfAffinity(at.Item), true
	case itemRow:
		return keyOfItem(at.Item - 1), at.Item > 0
	}
	return keyOfItem(at.Item), true
}

func (k rowKey) outOfNew() (rowKey, bool) {
	switch k.at.Part {
	case placement.TolerationPart:
		return rowKey{tolerationRow, k.at}, true
	case placement.LinePart:
		return rowKey{lineRow, k.at}, true
	}
	return rowKey{termRow, k.at}, true
}

// row is a row as it stands below the others.
type row struct {
	key   rowKey
	depth int
	mark  edits.Mark
	end   int // the row behind all that stands below this one
}
