package picture_test

import (
	"encoding/json"
	"encoding/xml"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/vt"

	"geodeck/ui/uitest/picture"
	"geodeck/ui/uitest/terminal"
)

const width, height = 12, 3

// shown is what a terminal shows of some bytes.
func shown(t *testing.T, output string) (terminal.Still, *terminal.Display) {
	t.Helper()
	display, in := terminal.Pipe(t, width, height)
	if _, err := in.WriteString(output); err != nil {
		t.Fatal(err)
	}
	display.Sends(output, 0)
	return display.Still(), display
}

func TestAPictureKeepsTextAndColumns(t *testing.T) {
	t.Parallel()
	still, _ := shown(t, "a<&>\x1b[31mb\x1b[0m  日本x\x1b[2;1H\x1b[7m \x1b[0m\x1b[1mc")
	svg := picture.SVG(still, picture.Dark, "a & b", "c < d")
	for _, want := range []string{
		`<title id="title">a &amp; b</title>`, `<desc id="description">c &lt; d</desc>`,
		`<tspan x="14 23 32 41">a&lt;&amp;&gt;</tspan>`,
		`<tspan class="a" x="50">b</tspan>`, `.a{fill:#ff7b72}`,
		`<tspan x="77 95 113">日本x</tspan>`, // a wide character takes two columns
		`<rect x="14" y="31" width="9" height="17" fill="#e6edf3"/>`,
		`x="23">c</tspan>`,
	} {
		if !strings.Contains(svg, want) {
			t.Errorf("there is no %s in\n%s", want, svg)
		}
	}
	decoder := xml.NewDecoder(strings.NewReader(svg))
	for {
		if _, err := decoder.Token(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
}

func TestARecordingReplayedEndsWhereTheProgramDid(t *testing.T) {
	t.Parallel()
	cast := picture.NewCast(width, height, picture.Dark, "a recording")
	cast.Command("run", time.Second, time.Second)
	screens := []string{
		"\x1b[?25lone\x1b[2;3H日本",
		"\x1b[Hon\x1b[41m \x1b[0m\x1b[2;3H本x \x1b[3;12Hz\x1b[?25h\x1b[2;5H",
		"\x1b[2;7H\x1b[1;4mq\x1b[2;5H\x1b[0m",
	}
	for i := range screens {
		still, display := shown(t, strings.Join(screens[:i+1], ""))
		cast.Show(time.Second, still)
		replayed := vt.NewEmulator(width, height)
		for n, line := range strings.Split(strings.TrimSpace(cast.String()), "\n") {
			var event []any
			if n == 0 {
				continue
			}
			if err := json.Unmarshal([]byte(line), &event); err != nil {
				t.Fatal(err)
			}
			_, _ = replayed.WriteString(event[2].(string))
		}
		display.Equals("the recording", replayed)
	}
	before := cast.String()
	still, _ := shown(t, strings.Join(screens, ""))
	cast.Show(time.Second, still)
	if cast.String() != before || cast.Length() != 8*time.Second {
		more := strings.TrimPrefix(cast.String(), before)
		t.Errorf("a screen that stays takes %v, and is recorded as %q", cast.Length(), more)
	}
}
