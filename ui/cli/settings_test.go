package cli_test

import (
	"strings"
	"testing"

	"geodeck/adminapi/simulator"
)

// configOf writes a config.yaml, and returns the environment that names it.
func configOf(t *testing.T, content string) map[string]string {
	t.Helper()
	path := fileOf(t, "config.yaml", content)
	return map[string]string{"GEODECK_CONFIG": path, "XDG_STATE_HOME": t.TempDir()}
}

// With adds to an environment.
func with(env map[string]string, more ...string) map[string]string {
	all := map[string]string{}
	for name, value := range env {
		all[name] = value
	}
	for i := 0; i < len(more); i += 2 {
		all[more[i]] = more[i+1]
	}
	return all
}

func TestASiteIsChosenByFlagThenEnvironmentThenFile(t *testing.T) {
	t.Parallel()
	one, two := newSite(t, simulator.Options{}), newSite(t, simulator.Options{})
	file := fileOf(t, "token", tokenOf(t, one, 0))
	env := configOf(t, "current: one\nsites:\n  one:\n    url: "+one.URL()+"\n    signIn: {file: "+file+"}\n  two:\n    url: "+two.URL()+"\n    signIn: {environment: TOKEN_OF_TWO}\n")
	env = with(env, "TOKEN_OF_TWO", tokenOf(t, two, 0))
	for _, c := range []struct {
		name string
		env  map[string]string
		args string
		code int
		says string
	}{
		{"the file says which", env, "job list", 0, ""},
		{"the environment names another", with(env, "GEODECK_SITE", "two"), "job list", 0, ""},
		{"a flag goes before it", with(env, "GEODECK_SITE", "nosuch"), "job list --site two", 0, ""},
		{"in other letters", env, "job list --site TWO", 2, "Did you mean two?"},
		{"of a command that does not exist", env, "--site two health list", 2, "Did you mean geodeck health reports --site two?"},
		{"of a noun that does not exist", env, "--site two helth", 2, "Did you mean geodeck health"},
		{"an address goes before the file, and gets none of its tokens", with(env, "GEODECK_URL", two.URL()), "job list", 3, "GEODECK_TOKEN"},
		{"a name and an address", env, "job list --site two --url " + one.URL(), 2, "not clear which is meant"},
		{"a name and an address of the environment", with(env, "GEODECK_SITE", "two", "GEODECK_URL", one.URL()), "job list", 2, "not clear which is meant"},
		{"no such site", env, "job list --site tow", 2, "there is no site \"tow\""},
		{"the token of the environment goes before that of the file", with(env, "GEODECK_TOKEN", "refused-canary"), "job list", 3, "GEODECK_TOKEN"},
		{"a file that cannot be read", with(env, "GEODECK_CONFIG", fileOf(t, "config.yaml", "sites: [")), "job list", 2, "line 1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := runInProcess(t, nil, c.env, strings.Fields(c.args)...)
			if r.code != c.code || !strings.Contains(r.err, c.says) || strings.Contains(r.err+r.out, "canary") {
				t.Errorf("exit code %d, it says\n%s", r.code, r.err)
			}
		})
	}
}

func TestALockedSiteGetsNothingBeforeItsNameIsGiven(t *testing.T) {
	t.Parallel()
	clock, site := siteToEdit(t, "healthy")
	for _, lock := range []string{"production", "readOnly"} {
		env := configOf(t, "sites:\n  gis:\n    url: "+site["GEODECK_URL"]+"\n    "+lock+": true\n    signIn: {environment: T}\n")
		env = with(env, "GEODECK_SITE", "gis", "T", site["GEODECK_TOKEN"])
		for _, c := range []struct {
			name string
			args []string
			code int
			says string
		}{
			{"locked", []string{"health", "run"}, 4, "--unlock gis"},
			{"another name", []string{"health", "run", "--unlock", "other"}, 2, "the site is called gis, not other; nothing was sent"},
			{"reading needs none", []string{"health", "reports"}, 0, ""},
			{"its name", []string{"health", "run", "--unlock", "gis"}, 0, ""},
			{"--read-only is stronger", []string{"health", "run", "--unlock", "gis", "--read-only"}, 4, "--read-only"},
		} {
			if r := runInProcess(t, clock, env, c.args...); r.code != c.code || !strings.Contains(r.err, c.says) {
				t.Errorf("%s, %s: exit code %d, it says\n%s", lock, c.name, r.code, r.err)
			}
		}
	}
	if r := runInProcess(t, clock, site, "health", "run", "--unlock", "gis"); r.code != 2 || !strings.Contains(r.err, "--unlock takes the name of a site of config.yaml") {
		t.Errorf("an address: exit code %d, it says\n%s", r.code, r.err)
	}
}

// Whoever types the address of a locked site, in whatever spelling, means that site.
func TestAnAddressOfALockedSiteGetsNothingBeforeItsNameIsGiven(t *testing.T) {
	t.Parallel()
	clock, env, wire := siteOnAWire(t, "healthy")
	base := env["GEODECK_URL"]
	rest := strings.TrimPrefix(base, "http://127.0.0.1")
	delete(env, "GEODECK_URL")
	for _, lock := range []string{"production", "readOnly"} {
		env := with(env, "GEODECK_CONFIG", fileOf(t, "config.yaml", "sites:\n  gis: {url: \"https://127.0.0.1"+strings.ToUpper(rest)+"\", "+lock+": true}\n"))
		run := []string{"health", "run", "--suite", "BSHC-001", "--url"}
		for _, address := range []string{
			base, base + "/", strings.TrimSuffix(base, "/admin"), "http://127.0.0.1" + strings.ReplaceAll(rest, "/", "//./"), strings.Replace(base, "geodeck", "%67%65odeck", 1),
			"http://[::ffff:127.0.0.1]" + rest, "http://[::FFFF:7F00:1]" + rest,
		} {
			for name, r := range map[string]result{
				"--url":       runInProcess(t, clock, env, append(run, address)...),
				"GEODECK_URL": runInProcess(t, clock, with(env, "GEODECK_URL", address), run[:4]...),
			} {
				if sent := wire.take(); r.code != 4 || len(sent) > 0 || !strings.Contains(r.err, "may be the site gis of config.yaml, which ") || !strings.Contains(r.err, "Add --unlock gis.") {
					t.Errorf("%s %s, %s: exit code %d, sent %v, it says\n%s", name, address, lock, r.code, sent, r.err)
				}
			}
			if r := runInProcess(t, clock, env, append(run, address, "--unlock", "other")...); r.code != 2 || len(wire.take()) > 0 || !strings.Contains(r.err, "Add --unlock gis.") {
				t.Errorf("another name, %s: exit code %d, it says\n%s", address, r.code, r.err)
			}
			if r := runInProcess(t, clock, env, append(run, address, "--unlock", "gis")...); r.code != 0 || len(wire.take()) != 1 {
				t.Errorf("its name, %s: exit code %d, it says\n%s", address, r.code, r.err)
			}
		}
	}
	broken := with(env, "GEODECK_CONFIG", fileOf(t, "config.yaml", "sites: ["))
	if r := runInProcess(t, clock, broken, "health", "run", "--suite", "BSHC-001", "--url", base); r.code != 4 || len(wire.take()) > 0 || !strings.Contains(r.err, "config.yaml: line 1") {
		t.Errorf("a file that cannot be read: exit code %d, it says\n%s", r.code, r.err)
	}
}

func TestACommandThatSendsSaysWhichSiteWasChosenBefore(t *testing.T) {
	t.Parallel()
	clock, site := siteToEdit(t, "healthy")
	env := configOf(t, "current: gis\nsites:\n  gis:\n    url: "+site["GEODECK_URL"]+"\n    signIn: {environment: T}\n")
	env = with(env, "T", site["GEODECK_TOKEN"])
	const told = "site: gis, chosen with geodeck site use"
	for args, want := range map[string]bool{"health run": true, "health run --site gis": false, "health reports": false} {
		if r := runInProcess(t, clock, env, strings.Fields(args)...); r.code != 0 || strings.Contains(r.err, told) != want {
			t.Errorf("%s: exit code %d, it says\n%s", args, r.code, r.err)
		}
	}
}

func TestASlowLineIsSaidByFlagThenEnvironmentThenFile(t *testing.T) {
	t.Parallel()
	env := configOf(t, "current: far\nsites:\n  far:\n    url: https://gis.example.org/ctx/admin\n    poll: slow\n  near:\n    url: https://gis.example.org/near/admin\n")
	for _, c := range []struct {
		name string
		env  map[string]string
		args string
		says string
	}{
		{"the file", env, "site show", "poll slow config.yaml line 5"},
		{"nobody", env, "site show near", "poll normal default"},
		{"the environment goes before it", with(env, "GEODECK_SLOW", "0"), "site show", "poll normal GEODECK_SLOW"},
		{"the environment in a word", with(env, "GEODECK_SLOW", "slow"), "site show near", "poll slow GEODECK_SLOW"},
		{"a flag goes before that", with(env, "GEODECK_SLOW", "1"), "site show --slow=false", "poll normal --slow"},
		{"a flag", env, "site show near --slow", "poll slow --slow"},
		{"a word that is neither", with(env, "GEODECK_SLOW", "very"), "site show", "GEODECK_SLOW takes slow, normal, not \"very\""},
		{"a flag that is neither", env, "site show --slow=very", "--slow"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := runInProcess(t, nil, c.env, strings.Fields(c.args)...)
			if said := strings.Join(strings.Fields(r.out+r.err), " "); !strings.Contains(said, c.says) {
				t.Errorf("it says\n%s", r.out+r.err)
			}
		})
	}
}
