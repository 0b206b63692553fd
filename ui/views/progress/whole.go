package progress

import (
	"math"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"geodeck/adminapi"
	"geodeck/adminapi/plain"
	"geodeck/adminapi/upgrade"
	"geodeck/theme"
	"geodeck/ui/views/jsonview"
	"geodeck/ui/views/rows"
)

// whole is one message with everything that is known of it: the JSON in its text
// as such, any other text wrapped.
type whole struct {
	message adminapi.UpgradeMessage
	title   string
	before  string // the text before the JSON
	json    *jsonview.View
	pager   *rows.Pager
	width   int
	height  int
}

func newWhole(m adminapi.UpgradeMessage, t *theme.Theme) *whole {
	w := &whole{message: m, title: strconv.Itoa(m.Code)}
	before, value, found := jsonIn(m.Message)
	if found {
		w.before, w.json = plain.Line(before), jsonview.New(t)
		w.json.Set([]byte(value))
		return w
	}
	w.pager = rows.NewPager(t.Glyphs.Ellipsis)
	return w
}

// jsonIn returns the JSON object or array at the end of a text, and what stands
// before it.
func jsonIn(text string) (before, value string, found bool) {
	at := strings.IndexAny(text, "{[")
	if at < 0 {
		return text, "", false
	}
	value = strings.TrimSpace(text[at:])
	return text[:at], value, jsontext.Value(value).IsValid()
}

// wholeHead is how many lines stand above the text.
const wholeHead = 3

func (w *whole) setSize(width, height int) {
	w.width, w.height = width, height
	if w.json != nil {
		w.json.SetSize(width, max(0, height-w.headHeight()))
		return
	}
	w.pager.SetSize(width, max(0, height-wholeHead))
}

// headHeight counts the line of the text before the JSON, where there is one.
func (w *whole) headHeight() int {
	if w.before == "" {
		return wholeHead
	}
	return wholeHead + 1
}

func (w *whole) typing() bool { return w.json != nil && w.json.Typing() }

// do moves about, and tells whether the command was one of moving.
func (w *whole) do(id string) bool {
	if w.json != nil {
		return w.json.Do(id)
	}
	return w.pager.Do(id)
}

// lines draws the message.
func (w *whole) lines(m *Model) []string {
	k := &m.inks
	position := ""
	if w.json != nil {
		position = w.json.Position()
	}
	lines := []string{
		k.label.On("Message ") + k.strong.On(w.title) + "   " + m.env.Times.Moment(w.message.When.Time()) + "   " + k.muted.On(position),
		k.muted.On(meaningOf(w.message.Code)), "",
	}
	if w.json == nil {
		w.pager.Set(wrapped(rows.Ink{}, plain.Text(w.message.Message), w.width, math.MaxInt))
		return append(lines, strings.Split(w.pager.View(), "\n")...)
	}
	if w.before != "" {
		lines = append(lines, w.before)
	}
	return append(lines, strings.Split(w.json.View(), "\n")...)
}

// meaningOf says what a code stands for.
func meaningOf(code int) string {
	c, known := upgrade.CodeOf(code)
	if !known {
		return "This code is not in the catalogue of this program; the text is all that is known."
	}
	return c.Phase + ": " + c.Meaning + "."
}
