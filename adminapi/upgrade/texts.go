package upgrade

import "time"

// CountIn reads how many of how many from the text of a 2173 or 2175: its first
// two whole numbers of which the first is not the greater, and which belong to no
// version and no duration. Texts may be in any language, so no word is looked at.
func CountIn(text string) (done, total int, ok bool) { panic("contract only") }

// DurationIn reads the first duration of a text, such as 1 h 2 min 3 s, 01:02:03
// or 3723 seconds, in the abbreviations that languages share.
func DurationIn(text string) (time.Duration, bool) { panic("contract only") }

// Table is JSON of a message as rows: of an array of objects, or of an object of
// objects, whose names are the first column then.
type Table struct {
	Before  string // text in front of the JSON
	Columns []string
	Rows    [][]string // a cell for each column, empty where a row has none; texts as the server sent them
}

// TableIn reads the table in a text. ok is false where there is no whole JSON in
// it, or JSON that is no table.
func TableIn(text string) (t Table, ok bool) { panic("contract only") }
