package rows

import "iter"

// OnScreen goes through the rows that are on the screen as indices of the source,
// for what is only worth reading of those.
func (l *List[K]) OnScreen() iter.Seq[int] {
	return func(yield func(int) bool) {
		for at := l.top; at < min(l.top+l.rows(), len(l.visible)); at++ {
			if !yield(int(l.visible[at])) {
				return
			}
		}
	}
}
