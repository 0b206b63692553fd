package rows_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"geodeck/ui/uitest"
	"geodeck/ui/views"
	"geodeck/ui/widget/rows"
)

// shelf is a tree whose rows are written "depth name".
type shelf []string

func (s shelf) Len() int                                  { return len(s) }
func (s shelf) Key(i int) string                          { return s[i] }
func (s shelf) Depth(i int) int                           { return int(s[i][0] - '0') }
func (s shelf) Matches(i int, has func(string) bool) bool { return has(s[i][2:]) }
func (s shelf) Version(int) uint64                        { return 0 }
func (s shelf) Draw(i int, look rows.Look) string {
	fold := ""
	if look.Folded {
		fold = "+"
	}
	return strings.Repeat(" ", s.Depth(i)) + fold + s[i][2:]
}

func numbers(n int) shelf {
	s := make(shelf, n)
	for i := range s {
		s[i] = fmt.Sprintf("0 row %d", i)
	}
	return s
}

var fruit = shelf{"0 Apples", "1 red", "2 Gala", "2 Fuji", "1 green", "2 Granny", "0 Pears", "1 Conference"}

func list(s shelf, width, height int) *rows.List[string] {
	l := rows.New[string](uitest.Theme())
	l.SetSize(width, height)
	l.Set(s)
	return l
}

func selected(t *testing.T, l *rows.List[string], want string) {
	t.Helper()
	if key, _ := l.Key(); key != want {
		t.Errorf("the cursor is on %q, not on %q", key, want)
	}
}

func shown(l *rows.List[string]) []string {
	var names []string
	for _, line := range strings.Split(uitest.Seen(l), "\n") {
		if text := strings.TrimSpace(strings.TrimPrefix(line, "›")); text != "" {
			names = append(names, text)
		}
	}
	return names
}

func shows(t *testing.T, l *rows.List[string], want string) {
	t.Helper()
	if got := strings.Join(shown(l), " "); got != want {
		t.Errorf("shows %q, want %q", got, want)
	}
}

// do runs the row of an id.
func do(t *testing.T, of any, id string) {
	t.Helper()
	var all []views.Command
	switch w := of.(type) {
	case *rows.List[string]:
		all = slices.Concat(w.Moves(), w.Filters(), w.Folds(), w.Searches(), w.Marks())
	case *rows.Pager:
		all = w.Moves()
	}
	row, ok := views.Find(all, id)
	if !ok {
		t.Fatalf("no row %s", id)
	}
	row.Do("")
}

func TestEverySizeIsFilledExactly(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 1, 5, 300} {
		for width := range 30 {
			for height := range 12 {
				l := list(numbers(n), width, height)
				l.GoBottom()
				if width > 0 && height > 0 {
					uitest.Fits(t, l.View(), width, height)
				}
				l.SetFilter("row")
				l.StartFilter()
				if width > 0 && height > 0 {
					uitest.Fits(t, l.View(), width, height)
				}
			}
		}
	}
}

func TestMovesStayInside(t *testing.T) {
	t.Parallel()
	l := list(numbers(50), 20, 10)
	for _, step := range []struct{ id, want string }{
		{rows.Up, "0 row 0"}, {rows.Down, "0 row 1"}, {rows.HalfDown, "0 row 6"}, {rows.PageDown, "0 row 15"},
		{rows.Bottom, "0 row 49"}, {rows.Down, "0 row 49"}, {rows.PageUp, "0 row 40"}, {rows.HalfUp, "0 row 35"}, {rows.Top, "0 row 0"},
	} {
		do(t, l, step.id)
		selected(t, l, step.want)
	}
}

func TestTheScreenScrollsByHalfPages(t *testing.T) {
	t.Parallel()
	l := list(numbers(50), 20, 10)
	for range 10 {
		l.GoDown()
	}
	if first := shown(l)[0]; first != "row 5" {
		t.Errorf("the first row is %q", first)
	}
	for range 4 {
		before := shown(l)[0]
		l.GoDown()
		if shown(l)[0] != before {
			t.Fatal("scrolls again at once")
		}
	}
}

func TestPagesShowEveryRow(t *testing.T) {
	t.Parallel()
	for _, keys := range [][2]string{{rows.Top, rows.PageDown}, {rows.Bottom, rows.PageUp}} {
		l := list(numbers(100), 30, 16)
		do(t, l, keys[0])
		seen := map[string]bool{}
		for range 20 {
			for _, name := range shown(l) {
				seen[name] = true
			}
			do(t, l, keys[1])
		}
		if len(seen) != 100 {
			t.Errorf("%s passes rows over: %d of 100 were seen", keys[1], len(seen))
		}
	}
}

func TestTheCursorStaysOnItsRowWhenRowsChange(t *testing.T) {
	t.Parallel()
	l := list(shelf{"0 a", "0 b", "0 c"}, 20, 5)
	l.GoDown()
	l.Set(shelf{"0 x", "0 a", "0 y", "0 b"})
	selected(t, l, "0 b")
	l.Set(shelf{"0 x", "0 a"})
	selected(t, l, "0 a")
	l.Set(shelf{})
	if _, ok := l.Selected(); ok {
		t.Error("an empty list has a selection")
	}
}

func TestRowsThatComeAboveMoveNothingUnderTheCursor(t *testing.T) {
	t.Parallel()
	l := list(shelf{"0 a", "0 b", "0 c", "0 d", "0 e", "0 f"}, 20, 3)
	l.GoBottom()
	do(t, l, rows.Up)
	before := l.View()
	l.Steady(func() { l.Set(shelf{"0 x", "0 y", "0 a", "0 b", "0 c", "0 d", "0 e", "0 f"}) })
	if l.View() != before {
		t.Errorf("the screen was\n%s\nand is\n%s", before, l.View())
	}
	l.GoTop()
	l.Steady(func() { l.Set(shelf{"0 z", "0 x", "0 y", "0 a"}) })
	if selected(t, l, "0 x"); !strings.Contains(l.View(), "z") {
		t.Errorf("what comes first is out of sight:\n%s", l.View())
	}
}

func TestAFoldedRowHidesWhatIsBelowIt(t *testing.T) {
	t.Parallel()
	l := list(fruit, 20, 10)
	l.GoDown()
	do(t, l, rows.Fold)
	shows(t, l, "Apples +red green Granny Pears Conference")
	do(t, l, rows.Fold)
	selected(t, l, "0 Apples")
	do(t, l, rows.FoldAll)
	shows(t, l, "+Apples +Pears")
	if !l.Select("2 Granny") {
		t.Error("a folded row cannot be gone to")
	}
	shows(t, l, "Apples +red green Granny +Pears")
	do(t, l, rows.UnfoldAll)
	if l.Len() != len(fruit) {
		t.Errorf("%d rows after unfolding all", l.Len())
	}
}

func TestAFilterKeepsParents(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ filter, want, cursor string }{
		{"gala", "/gala 1 of 4 Apples red Gala", "2 Gala"},
		{"GREEN", "/GREEN 1 of 4 Apples green Granny", "1 green"},
		{"!apples", "/!apples 1 of 4 Pears Conference", "1 Conference"},
		{"granny apples", "/granny apples 1 of 4 Apples green Granny", "2 Granny"},
		{"er ear", "/er ear 1 of 4 Pears Conference", "1 Conference"},
		{"apples pears", "/apples pears 0 of 4", ""},
		{"grny", "/grny 1 of 4 similar Apples green Granny", "2 Granny"},
		{"apls gla", "/apls gla 1 of 4 similar Apples red Gala", "2 Gala"},
		{"!grny", "/!grny 4 of 4 Apples red Gala Fuji green Granny Pears Conference", "2 Gala"},
		{"zzz", "/zzz 0 of 4", ""},
		{"!", "/! Apples red Gala Fuji green Granny Pears Conference", "1 green"},
		{" ", "/ Apples red Gala Fuji green Granny Pears Conference", "1 green"},
	} {
		l := list(fruit, 40, 10)
		l.Select("1 green")
		l.SetFilter(tt.filter)
		if got := strings.Join(strings.Fields(strings.Join(shown(l), " ")), " "); got != tt.want {
			t.Errorf("%q shows %q, want %q", tt.filter, got, tt.want)
		}
		selected(t, l, tt.cursor)
	}
}

func TestAFilterTypedKeyByKeyFindsWhatItFindsAtOnce(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"gra app", "grny", "con pears", "!red a", "ple zz"} {
		typed := list(fruit, 40, 10)
		typed.StartFilter()
		for _, key := range append(uitest.Text(text+"x"), uitest.Key("backspace")) {
			typed.Type(key)
		}
		typed.Type(uitest.Key("enter"))
		once := list(fruit, 40, 10)
		once.SetFilter(text)
		if got, want := uitest.Seen(typed), uitest.Seen(once); got != want {
			t.Errorf("%q typed shows\n%s\nat once\n%s", text, got, want)
		}
	}
}

func TestAFilterShowsWhatIsFoldedAndFoldsItAgain(t *testing.T) {
	t.Parallel()
	l := list(fruit, 40, 10)
	do(t, l, rows.FoldAll)
	l.SetFilter("fuji")
	shows(t, l, "/fuji                             1 of 4 Apples red Fuji")
	l.SetFilter("conf")
	selected(t, l, "1 Conference")
	do(t, l, rows.Clear)
	shows(t, l, "+Apples Pears Conference")
	selected(t, l, "1 Conference")
}

// B18: a search finds what is folded.
func TestASearchFindsWhatIsFolded(t *testing.T) {
	t.Parallel()
	l := list(fruit, 60, 12)
	do(t, l, rows.FoldAll)
	l.StartSearch()
	for _, key := range []string{"f", "u", "j", "i"} {
		l.Type(uitest.Key(key))
	}
	if selected(t, l, "2 Fuji"); l.Len() != len(fruit) {
		t.Errorf("%d rows of %d", l.Len(), len(fruit))
	}
}

func TestEscClearsSearchFilterAndMarksOneAPress(t *testing.T) {
	t.Parallel()
	l := list(fruit, 60, 12)
	l.Mark()
	l.SetFilter("apples")
	l.Searches()
	l.StartFilter()
	for _, key := range []string{"ctrl+u", "/", "g", "r", "enter"} {
		l.Type(uitest.Key(key))
	}
	if l.Search() != "gr" || l.Filter() != "" || l.Len() != len(fruit) {
		t.Fatalf("searches for %q among %d rows", l.Search(), l.Len())
	}
	l.SetFilter("apples")
	for _, left := range []string{"apples 1", " 1", " 0"} {
		do(t, l, rows.Clear)
		if got := fmt.Sprint(l.Filter()+" ", l.Marked()); got != left || l.Search() != "" {
			t.Errorf("left %q and the search %q, want %q", got, l.Search(), left)
		}
	}
	if l.Narrowed() {
		t.Error("there is more to clear")
	}
}

func TestASecondSlashIsNoTextWithoutASearch(t *testing.T) {
	t.Parallel()
	l := list(fruit, 60, 12)
	l.StartFilter()
	for _, key := range []string{"/", "g", "/"} {
		l.Type(uitest.Key(key))
	}
	if l.Filter() != "g/" {
		t.Errorf("the filter is %q", l.Filter())
	}
}

func TestTheFirstLetterReplacesTheFilterFromBefore(t *testing.T) {
	t.Parallel()
	for keys, want := range map[string]string{"p e a": "pea", "backspace": "apple", "enter": "apples", "up s": "appless", "ctrl+w g": "g"} {
		l := list(fruit, 60, 12)
		l.SetFilter("apples")
		l.StartFilter()
		for key := range strings.FieldsSeq(keys) {
			l.Type(uitest.Key(key))
		}
		if l.Filter() != want {
			t.Errorf("after %s the filter is %q, want %q", keys, l.Filter(), want)
		}
	}
}

func TestTypingNarrowsAndEscShowsAllAgain(t *testing.T) {
	t.Parallel()
	l := list(fruit, 40, 10)
	l.StartFilter()
	for _, key := range uitest.Text("fuu") {
		l.Type(key)
	}
	if l.Len() != 0 {
		t.Fatalf("%d rows for fuu", l.Len())
	}
	l.Type(uitest.Key("backspace"))
	l.Type(uitest.Paste("j\x1b[31mi\n"))
	if l.Filter() != "fuji " || l.Len() != 3 {
		t.Errorf("filter %q with %d rows", l.Filter(), l.Len())
	}
	l.Type(uitest.Key("ctrl+w"))
	if !l.Typing() || l.Filter() != "" {
		t.Errorf("filter %q", l.Filter())
	}
	l.Type(uitest.Key("esc"))
	if l.Typing() || l.Len() != len(fruit) {
		t.Error("esc does not end it")
	}
}

func TestWhatIsKeptCanBeChosenByTheCaller(t *testing.T) {
	t.Parallel()
	l := list(fruit, 40, 10)
	l.SetKeep(func(i int) bool { return strings.HasPrefix(fruit[i], "2 G") })
	shows(t, l, "Apples red Gala green Granny")
	l.SetKeep(nil)
	if l.Len() != len(fruit) {
		t.Error("not all is back")
	}
}

func TestCapitalsOfOtherScriptsAreFoundToo(t *testing.T) {
	t.Parallel()
	l := list(shelf{"0 ÄPFEL", "0 birnen"}, 40, 10)
	l.SetFilter("äpfel")
	if l.Len() != 1 {
		t.Error("not found")
	}
}

func TestAPagerFillsItsSizeAndSaysWhereItIs(t *testing.T) {
	t.Parallel()
	p := rows.NewPager("…")
	p.SetSize(12, 4)
	p.Set(strings.Split("1 2 3 4 5 6 7 8 9 a-long-line-indeed", " "))
	uitest.Fits(t, p.View(), 12, 4)
	if p.Position() != "1-4 of 10" {
		t.Errorf("position %q", p.Position())
	}
	do(t, p, rows.Bottom)
	uitest.Fits(t, p.View(), 12, 4)
	if !strings.Contains(p.View(), "a-long-line…") || p.Position() != "7-10 of 10" {
		t.Errorf("at the end: %s\n%s", p.Position(), p.View())
	}
	p.Set([]string{"one"})
	if p.Position() != "" || !strings.HasPrefix(uitest.Seen(p), "one") {
		t.Errorf("after less: %q", p.View())
	}
}

func TestTheRowThatIsShownFollowsAtRest(t *testing.T) {
	t.Parallel()
	l := list(numbers(50), 20, 10)
	rested := func(want int) {
		t.Helper()
		if i, ok := l.Rested(); !ok || i != want {
			t.Errorf("the cursor rests on %d, want %d", i, want)
		}
	}
	do(t, l, rows.Down)
	do(t, l, rows.PageDown)
	rested(0)
	selected(t, l, "0 row 10")
	l.SetSize(20, 8) // as often as it is drawn
	rested(0)
	l.Rest()
	rested(10)
	do(t, l, rows.Down)
	l.Select("0 row 20") // a jump rests at once
	rested(20)
	do(t, l, rows.Down)
	l.SetFilter("row 3")
	i, _ := l.Selected()
	rested(i)
	l.SetFilter("nothing")
	do(t, l, rows.Down)
	if _, ok := l.Rested(); ok {
		t.Error("the cursor rests where there is no row")
	}
}
