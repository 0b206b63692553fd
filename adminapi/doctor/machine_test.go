package doctor_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"geodeck/adminapi"
	"geodeck/adminapi/doctor"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/operation/nodesource"
)

func TestAStateFolderThatCannotBeUsedIsToldAndLeftAsItIs(t *testing.T) {
	t.Parallel()
	at := t.TempDir()
	folder := func(name string, mode os.FileMode) string {
		path := filepath.Join(at, name)
		if err := os.Mkdir(path, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	good := folder("good", 0o700)
	link, file := filepath.Join(at, "link"), filepath.Join(at, "file")
	if err := os.Symlink(good, link); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for path, c := range map[string]struct {
		verdict doctor.Verdict
		words   []string
	}{
		good:                            {doctor.Passed, []string{"private", "free", "0 sites have"}},
		filepath.Join(at, "new", "one"): {doctor.Passed, []string{"first change creates it"}},
		link:                            {doctor.Failed, []string{"symbolic link"}},
		file:                            {doctor.Failed, []string{"is a file"}},
		filepath.Join(file, "below"):    {doctor.Failed, []string{"not a directory"}},
		folder("open", 0o777):           {doctor.Failed, []string{"Others may write", "chmod go-w"}},
	} {
		o := options(t, "", adminapi.TLS{})
		o.State = path
		want(t, doctor.Examine(t.Context(), o), "state", c.verdict, c.words...)
	}
	if left, err := os.ReadDir(good); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, error %v", left, err)
	}
	if _, err := os.Lstat(filepath.Join(at, "new")); err == nil {
		t.Error("the missing folder was created")
	}
}

func TestALockThatAnotherProgramKeepsIsNamed(t *testing.T) {
	t.Parallel()
	o := options(t, "", adminapi.TLS{})
	o.Clock = hasty{}
	j, err := journal.Open(o.State, "https://gis.example.org/context")
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	want(t, doctor.Examine(t.Context(), o), "state", doctor.Passed, "1 site has")
	f, err := journal.SystemFiles{}.Open(filepath.Join(j.Folder(), "lock"), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.Lock(unix.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	want(t, doctor.Examine(t.Context(), o), "state", doctor.Warning, "Another program holds", "gis.example.org")
}

func TestTheCommandForTheNodesIsRun(t *testing.T) {
	t.Parallel()
	list := filepath.Join(t.TempDir(), "nodes.json")
	if err := os.WriteFile(list, []byte(`{"kind":"List","items":[{"kind":"Node","metadata":{"name":"node-a"}}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for command, c := range map[string]struct {
		verdict doctor.Verdict
		words   []string
	}{
		"cat " + list:                {doctor.Passed, []string{"1 node is listed"}},
		"false":                      {doctor.Failed, []string{"failed", "Run it in a terminal"}},
		"no-such-program-of-geodeck": {doctor.Failed, []string{"no such program"}},
		"sh -c 'echo --token=CANARY-x >&2; exit 3'": {doctor.Failed, []string{"exit status 3"}},
	} {
		o := options(t, "", adminapi.TLS{})
		if o.Nodes, o.NodesErr = nodesource.CommandSource(command); o.NodesErr != nil {
			t.Fatal(o.NodesErr)
		}
		r := doctor.Examine(t.Context(), o)
		want(t, r, "nodes", c.verdict, c.words...)
		if strings.Contains(fmt.Sprint(r.Checks), "CANARY") {
			t.Errorf("a secret: %v", check(t, r, "nodes"))
		}
	}
}

// answer is what a terminal says to the question of the doctor, with the column behind each
// sample.
func answer(kind, program string, columns ...int) func(string) []byte {
	return func(question string) []byte {
		said := ""
		for _, column := range columns {
			said += fmt.Sprintf("\x1b[12;%dR", column)
		}
		if program != "" {
			said += "\x1bP>|" + program + "\x1b\\"
		}
		return []byte(said + kind)
	}
}

func TestTheTerminalIsMeasuredByWhatItAnswers(t *testing.T) {
	t.Parallel()
	const kind = "\x1b[?62;22c"
	utf8 := []string{"TERM", "xterm-256color", "LANG", "en_US.UTF-8"}
	for name, c := range map[string]struct {
		ask      func(string) []byte
		env      []string
		columns  int
		verdicts map[string]doctor.Verdict
		words    map[string]string
	}{
		"good": {answer("\x1b[?62;22;52c", "", 2, 2, 3, 2), utf8, 120,
			map[string]doctor.Verdict{"terminal": doctor.Passed, "width": doctor.Passed, "colours": doctor.Passed, "clipboard": doctor.Passed, "notifications": doctor.NotKnown, "tmux": doctor.NotApplicable, "locale": doctor.Passed}, nil},
		"wide glyphs": {answer(kind, "", 3, 3, 3, 2), utf8, 120,
			map[string]doctor.Verdict{"width": doctor.Warning, "clipboard": doctor.NotKnown}, map[string]string{"width": "a glyph is 2 wide, and should be 1"}},
		"known by its name": {answer(kind, "WezTerm 20260101", 2, 2, 3, 2), utf8, 120,
			map[string]doctor.Verdict{"clipboard": doctor.Passed, "notifications": doctor.Passed}, map[string]string{"terminal": "it calls itself WezTerm"}},
		"tmux elsewhere": {answer(kind, "tmux 3.4", 2, 2, 3, 2), utf8, 120,
			map[string]doctor.Verdict{"tmux": doctor.NotKnown}, map[string]string{"tmux": "tmux is in between"}},
		"silent": {answer("", ""), utf8, 120,
			map[string]doctor.Verdict{"terminal": doctor.Warning, "width": doctor.NotKnown}, map[string]string{"terminal": "answers no question"}},
		"small": {answer(kind, "", 2, 2, 3, 2), utf8, 40, map[string]doctor.Verdict{"terminal": doctor.Warning}, map[string]string{"terminal": "too small"}},
		"dumb":  {answer(kind, ""), []string{"TERM", "dumb"}, 80, map[string]doctor.Verdict{"terminal": doctor.Warning, "locale": doctor.Warning, "width": doctor.NotApplicable}, nil},
		"none": {nil, utf8, 0,
			map[string]doctor.Verdict{"terminal": doctor.NotApplicable, "width": doctor.NotApplicable, "colours": doctor.NotApplicable, "clipboard": doctor.NotApplicable, "notifications": doctor.NotApplicable}, nil},
	} {
		t.Log(name)
		o := options(t, "", adminapi.TLS{})
		o.Env = environment(c.env...)
		o.Terminal = doctor.Terminal{Ask: c.ask, Columns: c.columns, Lines: 40, UTF8: name != "dumb", ASCII: name == "dumb"}
		r := doctor.Examine(t.Context(), o)
		for id, verdict := range c.verdicts {
			want(t, r, id, verdict, c.words[id])
		}
	}
}

// What was asked for is no fault of the locale.
func TestASCIIThatWasAskedForIsNotBlamedOnTheLocale(t *testing.T) {
	t.Parallel()
	o := options(t, "", adminapi.TLS{})
	o.Env, o.Terminal = environment("LANG", "en_US.UTF-8"), doctor.Terminal{UTF8: true, ASCII: true}
	want(t, doctor.Examine(t.Context(), o), "locale", doctor.Passed, "The locale is UTF-8; only ASCII is drawn, as you asked.")
}

func TestTheSettingsOfTmuxDecideWhatArrives(t *testing.T) {
	t.Parallel()
	for settings, verdicts := range map[string]map[string]doctor.Verdict{
		"set-clipboard on;allow-passthrough on;escape-time 20":         {"tmux": doctor.Passed, "clipboard": doctor.Passed},
		"set-clipboard external;allow-passthrough all;escape-time 20":  {"tmux": doctor.Passed, "clipboard": doctor.Passed, "notifications": doctor.NotKnown},
		"set-clipboard external;allow-passthrough off;escape-time 500": {"tmux": doctor.Warning, "clipboard": doctor.Warning, "notifications": doctor.Warning},
		"old": {"tmux": doctor.NotKnown, "clipboard": doctor.NotKnown, "notifications": doctor.NotKnown},
	} {
		t.Log(settings)
		o := options(t, "", adminapi.TLS{})
		o.Env = environment("TMUX", settings, "TERM", "tmux-256color", "PATH", os.Getenv("PATH"), "LANG", "C.UTF-8", "GEODECK_TOKEN", "x")
		o.Tmux = "testdata/tmux"
		o.Terminal = doctor.Terminal{Ask: answer("\x1b[?62c", "tmux 3.5", 2, 2, 3, 2), Columns: 120, Lines: 40, UTF8: true}
		r := doctor.Examine(t.Context(), o)
		for id, verdict := range verdicts {
			want(t, r, id, verdict)
		}
	}
}

func TestATmuxThatHangsIsLeftBehind(t *testing.T) {
	t.Parallel()
	o := options(t, "", adminapi.TLS{})
	o.Limit = short
	o.Env = environment("TMUX", "hangs", "PATH", os.Getenv("PATH"))
	o.Tmux = "testdata/tmux"
	want(t, doctor.Examine(t.Context(), o), "tmux", doctor.NotKnown, "no answer in time")
}
