package sweep

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// doctors lets the doctor find out why a connection fails, also where the platform is not at the path that was given: it fails what
// it has seen alone, guesses without a token, and sends nothing.
func (k *looks) doctors() {
	m := k.m
	r := m.begin()
	defer r.end()
	r.lists = true
	args, path := []string{"doctor", "-o", "json"}, "/geodeck/"
	astray := k.r.IntN(2) == 0
	if astray {
		path = "/geodeck/manager/"
		args = append(args, "--url", strings.Replace(m.site.root, "/geodeck/", path, 1))
	}
	r.guesses = path
	if k.r.IntN(2) == 0 {
		folder, err := realFolder("bundle")
		if err != nil {
			m.day.fail("%v", err)
			return
		}
		defer os.RemoveAll(folder)
		args = append(args, "--bundle", filepath.Join(folder, "report.zip"))
	}
	said := r.command("", args...)
	if at := slices.Index(args, "--bundle"); at > 0 && !r.dead.Load() {
		r.bundled(args[at+1])
	}
	if posts := m.site.sent(func(p *post) bool { return p.run == r && p.write.Changes() }); len(posts) > 0 {
		m.day.fail("geodeck doctor has posted %s", posts[0].path)
	}
	var found struct {
		Checks []struct{ ID, Verdict string }
	}
	if r.dead.Load() {
		return
	}
	if err := json.Unmarshal([]byte(said.out), &found); err != nil || len(found.Checks) < 12 {
		m.day.fail("geodeck doctor ends with %d and has no checks: %v, %.200s", said.code, err, said.out)
		return
	}
	var failed []string
	verdicts := map[string]string{}
	for _, check := range found.Checks {
		if verdicts[check.ID] = check.Verdict; check.Verdict == "failed" {
			failed = append(failed, check.ID)
		}
	}
	if (said.code == codeFailed) != (len(failed) > 0) {
		m.day.fail("geodeck doctor ends with %d, and failed have %v", said.code, failed)
	}
	switch {
	case !m.day.calm():
		if verdicts["tcp"] == "failed" && slices.ContainsFunc(found.Checks, func(c struct{ ID, Verdict string }) bool {
			return slices.Contains([]string{"path", "version", "signin", "privileges"}, c.ID) && c.Verdict != "not known"
		}) {
			m.day.fail("geodeck doctor has no connection, and says more: %v", verdicts)
		}
	case astray:
		m.day.meet("a doctor is led astray")
		if verdicts["path"] != "failed" || !strings.Contains(said.out, "/geodeck/admin") {
			m.day.fail("geodeck doctor is at %s, and finds that %q: %.400s", path, verdicts["path"], said.out)
		}
	case len(failed) > 0:
		m.day.fail("nothing is in the way, and geodeck doctor fails %v: %.2000s", failed, said.out)
	}
}

// guessed wants no token to reach a path that the program has only guessed.
func (r *run) guessed(q *http.Request) {
	if r == nil || r.guesses == "" || strings.HasPrefix(q.URL.Path, r.guesses) {
		return
	}
	_, err := q.Cookie("token")
	if q.URL.Query().Get("token") != "" || q.Header.Get("Authorization") != "" || q.Header.Get("X-Esri-Authorization") != "" || err == nil {
		r.machine.day.fail("%s guesses %s, and sends its token there", r.name, q.URL.Path)
	}
}
