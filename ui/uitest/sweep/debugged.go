package sweep

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// debugs lets a program write its requests to a file, on one time in eight. What it has written is judged after its command: the
// file is private and holds no secret, and each change that has come to the site is in it. Where messages repeat a password that
// somebody has typed at a screen, a command cannot know it.
func (r *run) debugs(args []string) (with []string, judge func()) {
	m := r.machine
	if len(args) == 0 || m.keeping != nil || m.day.plan.echo != nil || m.day.random(fmt.Sprint(r.name, " debug ", args[0])).IntN(8) > 0 {
		return args, func() {}
	}
	folder, err := realFolder("debug")
	if err != nil {
		m.day.fail("%v", err)
		return args, func() {}
	}
	path := filepath.Join(folder, "requests.jsonl")
	return append(args[:len(args):len(args)], "--debug", path), func() {
		defer os.RemoveAll(folder)
		r.debugged(args[0], path)
	}
}

// debugged judges the file of --debug.
func (r *run) debugged(command, path string) {
	day := r.machine.day
	text, err := os.ReadFile(path)
	if err != nil {
		return // what was wrong in its line was found before
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		day.fail("the file of --debug has the mode %v, %v", info.Mode(), err)
	}
	day.meet("the file of --debug")
	day.oracle.Free("the file of --debug of geodeck "+command, string(text))
	posts := map[string]int{}
	for line := range strings.Lines(string(text)) {
		var one struct{ Request string }
		if err := json.Unmarshal([]byte(line), &one); err != nil {
			day.fail("the file of --debug has a line that is no JSON: %v, %.200s", err, line)
			return
		}
		posts[one.Request]++
	}
	if r.dead.Load() {
		return
	}
	for _, p := range r.machine.site.sent(func(p *post) bool { return p.run == r && p.write.Changes() }) {
		if posts["POST /geodeck/admin"+p.path]--; posts["POST /geodeck/admin"+p.path] < 0 {
			day.fail("the file of --debug of geodeck %s lacks POST %s", command, p.path)
		}
	}
}

// bundled judges the zip that a doctor has made for a report of a bug: it has no secret, no definition, and no name of a person or a host.
func (r *run) bundled(path string) {
	day := r.machine.day
	raw, err := os.ReadFile(path)
	if err != nil {
		day.fail("geodeck doctor has made no bundle: %v", err)
		return
	}
	files, err := zip.NewReader(bytes.NewReader(raw), int64(len(raw)))
	if err != nil {
		day.fail("the bundle of a doctor is no zip: %v", err)
		return
	}
	day.meet("the bundle of a doctor")
	for _, f := range files.File {
		content, err := f.Open()
		if err != nil {
			day.fail("%s in the bundle of a doctor: %v", f.Name, err)
			continue
		}
		text, err := io.ReadAll(content)
		if err != nil {
			day.fail("%s in the bundle of a doctor: %v", f.Name, err)
		}
		day.oracle.Free(f.Name+" in the bundle of a doctor", string(text))
		for _, name := range []string{"/home/ada", "/ada/", `"maxIdleTime"`} {
			if strings.Contains(string(text), name) {
				day.fail("%s in the bundle of a doctor has %s: %.600s", f.Name, name, text)
			}
		}
	}
}
