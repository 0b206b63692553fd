package session_test

import (
	"strings"
	"testing"

	"geodeck/adminapi/simulator"
	"geodeck/ui/uitest/clitest"
)

// TestMain makes this test binary the program itself where a test starts geodeck as a process.
func TestMain(m *testing.M) { clitest.Main(m) }

func TestASiteIsChosenByFlagThenEnvironmentThenFile(t *testing.T) {
	t.Parallel()
	one, two := clitest.NewSite(t, simulator.Options{}), clitest.NewSite(t, simulator.Options{})
	file := clitest.FileOf(t, "token", clitest.TokenOf(t, one, 0))
	env := clitest.ConfigOf(t, "current: one\nsites:\n  one:\n    url: "+one.URL()+"\n    signIn: {file: "+file+"}\n  two:\n    url: "+two.URL()+"\n    signIn: {environment: TOKEN_OF_TWO}\n")
	env = clitest.With(env, "TOKEN_OF_TWO", clitest.TokenOf(t, two, 0))
	for _, c := range []struct {
		name string
		env  map[string]string
		args string
		code int
		says string
	}{
		{"the file says which", env, "job list", 0, ""},
		{"the environment names another", clitest.With(env, "GEODECK_SITE", "two"), "job list", 0, ""},
		{"a flag goes before it", clitest.With(env, "GEODECK_SITE", "nosuch"), "job list --site two", 0, ""},
		{"in other letters", env, "job list --site TWO", 2, "Did you mean two?"},
		{"of a command that does not exist", env, "--site two health list", 2, "Did you mean geodeck health reports --site two?"},
		{"of a noun that does not exist", env, "--site two helth", 2, "Did you mean geodeck health?"},
		{"an address goes before the file, and gets none of its tokens", clitest.With(env, "GEODECK_URL", two.URL()), "job list", 3, "GEODECK_TOKEN"},
		{"a name and an address", env, "job list --site two --url " + one.URL(), 2, "not clear which is meant"},
		{"a name and an address of the environment", clitest.With(env, "GEODECK_SITE", "two", "GEODECK_URL", one.URL()), "job list", 2, "not clear which is meant"},
		{"no such site", env, "job list --site tow", 2, "there is no site \"tow\""},
		{"the token of the environment goes before that of the file", clitest.With(env, "GEODECK_TOKEN", "refused-canary"), "job list", 3, "GEODECK_TOKEN"},
		{"a file that cannot be read", clitest.With(env, "GEODECK_CONFIG", clitest.FileOf(t, "config.yaml", "sites: [")), "job list", 2, "line 1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := clitest.RunInProcess(t, nil, c.env, strings.Fields(c.args)...)
			if r.Code != c.code || !strings.Contains(r.Err, c.says) || strings.Contains(r.Err+r.Out, "canary") {
				t.Errorf("exit code %d, it says\n%s", r.Code, r.Err)
			}
		})
	}
}

func TestALockedSiteGetsNothingBeforeItsNameIsGiven(t *testing.T) {
	t.Parallel()
	clock, site := clitest.SiteToEdit(t, "healthy")
	for _, lock := range []string{"production", "readOnly"} {
		env := clitest.ConfigOf(t, "sites:\n  gis:\n    url: "+site["GEODECK_URL"]+"\n    "+lock+": true\n    signIn: {environment: T}\n")
		env = clitest.With(env, "GEODECK_SITE", "gis", "T", site["GEODECK_TOKEN"])
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
			if r := clitest.RunInProcess(t, clock, env, c.args...); r.Code != c.code || !strings.Contains(r.Err, c.says) {
				t.Errorf("%s, %s: exit code %d, it says\n%s", lock, c.name, r.Code, r.Err)
			}
		}
	}
	if r := clitest.RunInProcess(t, clock, site, "health", "run", "--unlock", "gis"); r.Code != 2 || !strings.Contains(r.Err, "--unlock takes the name of a site of config.yaml") {
		t.Errorf("an address: exit code %d, it says\n%s", r.Code, r.Err)
	}
}

// Whoever types the address of a locked site, in whatever spelling, means that site.
func TestAnAddressOfALockedSiteGetsNothingBeforeItsNameIsGiven(t *testing.T) {
	t.Parallel()
	clock, env, wire := clitest.SiteOnAWire(t, "healthy")
	base := env["GEODECK_URL"]
	rest := strings.TrimPrefix(base, "http://127.0.0.1")
	delete(env, "GEODECK_URL")
	for _, lock := range []string{"production", "readOnly"} {
		env := clitest.With(env, "GEODECK_CONFIG", clitest.FileOf(t, "config.yaml", "sites:\n  gis: {url: \"https://127.0.0.1"+strings.ToUpper(rest)+"\", "+lock+": true}\n"))
		run := []string{"health", "run", "--suite", "BSHC-001", "--url"}
		for _, address := range []string{
			base, base + "/", strings.TrimSuffix(base, "/admin"), "http://127.0.0.1" + strings.ReplaceAll(rest, "/", "//./"), strings.Replace(base, "geodeck", "%67%65odeck", 1),
			"http://[::ffff:127.0.0.1]" + rest, "http://[::FFFF:7F00:1]" + rest,
		} {
			for name, r := range map[string]clitest.Result{
				"--url":       clitest.RunInProcess(t, clock, env, append(run, address)...),
				"GEODECK_URL": clitest.RunInProcess(t, clock, clitest.With(env, "GEODECK_URL", address), run[:4]...),
			} {
				if sent := wire.Take(); r.Code != 4 || len(sent) > 0 || !strings.Contains(r.Err, "may be the site gis of config.yaml, which ") || !strings.Contains(r.Err, "Add --unlock gis.") {
					t.Errorf("%s %s, %s: exit code %d, sent %v, it says\n%s", name, address, lock, r.Code, sent, r.Err)
				}
			}
			if r := clitest.RunInProcess(t, clock, env, append(run, address, "--unlock", "other")...); r.Code != 2 || len(wire.Take()) > 0 || !strings.Contains(r.Err, "Add --unlock gis.") {
				t.Errorf("another name, %s: exit code %d, it says\n%s", address, r.Code, r.Err)
			}
			if r := clitest.RunInProcess(t, clock, env, append(run, address, "--unlock", "gis")...); r.Code != 0 || len(wire.Take()) != 1 {
				t.Errorf("its name, %s: exit code %d, it says\n%s", address, r.Code, r.Err)
			}
		}
	}
	broken := clitest.With(env, "GEODECK_CONFIG", clitest.FileOf(t, "config.yaml", "sites: ["))
	if r := clitest.RunInProcess(t, clock, broken, "health", "run", "--suite", "BSHC-001", "--url", base); r.Code != 4 || len(wire.Take()) > 0 || !strings.Contains(r.Err, "config.yaml: line 1") {
		t.Errorf("a file that cannot be read: exit code %d, it says\n%s", r.Code, r.Err)
	}
}

func TestACommandThatSendsSaysWhichSiteWasChosenBefore(t *testing.T) {
	t.Parallel()
	clock, site := clitest.SiteToEdit(t, "healthy")
	env := clitest.ConfigOf(t, "current: gis\nsites:\n  gis:\n    url: "+site["GEODECK_URL"]+"\n    signIn: {environment: T}\n")
	env = clitest.With(env, "T", site["GEODECK_TOKEN"])
	const told = "site: gis, chosen with geodeck site use"
	for args, want := range map[string]bool{"health run": true, "health run --site gis": false, "health reports": false} {
		if r := clitest.RunInProcess(t, clock, env, strings.Fields(args)...); r.Code != 0 || strings.Contains(r.Err, told) != want {
			t.Errorf("%s: exit code %d, it says\n%s", args, r.Code, r.Err)
		}
	}
}

func TestASlowLineIsSaidByFlagThenEnvironmentThenFile(t *testing.T) {
	t.Parallel()
	env := clitest.ConfigOf(t, "current: far\nsites:\n  far:\n    url: https://gis.example.org/ctx/admin\n    poll: slow\n  near:\n    url: https://gis.example.org/near/admin\n")
	for _, c := range []struct {
		name string
		env  map[string]string
		args string
		says string
	}{
		{"the file", env, "site show", "poll slow config.yaml line 5"},
		{"nobody", env, "site show near", "poll normal default"},
		{"the environment goes before it", clitest.With(env, "GEODECK_SLOW", "0"), "site show", "poll normal GEODECK_SLOW"},
		{"the environment in a word", clitest.With(env, "GEODECK_SLOW", "slow"), "site show near", "poll slow GEODECK_SLOW"},
		{"a flag goes before that", clitest.With(env, "GEODECK_SLOW", "1"), "site show --slow=false", "poll normal --slow"},
		{"a flag", env, "site show near --slow", "poll slow --slow"},
		{"a word that is neither", clitest.With(env, "GEODECK_SLOW", "very"), "site show", "GEODECK_SLOW takes slow, normal, not \"very\""},
		{"a flag that is neither", env, "site show --slow=very", "--slow"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := clitest.RunInProcess(t, nil, c.env, strings.Fields(c.args)...)
			if said := strings.Join(strings.Fields(r.Out+r.Err), " "); !strings.Contains(said, c.says) {
				t.Errorf("it says\n%s", r.Out+r.Err)
			}
		})
	}
}
