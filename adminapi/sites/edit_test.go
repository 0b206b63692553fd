package sites

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func add(s Site) func(string) error { return func(path string) error { return Add(path, s) } }

func remove(name string) func(string) error {
	return func(path string) error { return Remove(path, name) }
}

func use(name string) func(string) error { return func(path string) error { return Use(path, name) } }

func set(s Site, keys ...string) func(string) error {
	return func(path string) error { return Change(path, s, keys) }
}

func byHand(before, after string) func(string) error {
	return func(path string) error { return Replace(path, []byte(before), []byte(after)) }
}

var north = Site{Name: "north", URL: "https://north.example.org/gis/admin", Production: true}

func TestAnEditLeavesAllOtherBytes(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, before string
		edit         func(string) error
		after        string
	}{
		{"a new file", "", add(north), "current: north\nsites:\n  north:\n    url: https://north.example.org/gis/admin\n    production: true\n"},
		{"only comments", "# mine\n\n# more", add(north), "# mine\n\n# more\ncurrent: north\nsites:\n  north:\n    url: https://north.example.org/gis/admin\n    production: true\n"},
		{"a document with a start and an end", "%YAML 1.1\n---\n# c\n...\n", add(north), "%YAML 1.1\n---\n# c\ncurrent: north\nsites:\n  north:\n    url: https://north.example.org/gis/admin\n    production: true\n...\n"},
		{"no site yet", "sites: # of the east\n  # none yet\n# end\n", add(north),
			"current: north\nsites: # of the east\n  # none yet\n  north:\n    url: https://north.example.org/gis/admin\n    production: true\n# end\n"},
		{"an empty mapping", "sites: { } # of the east\ncurrent:\n", add(north),
			"sites: # of the east\n  north:\n    url: https://north.example.org/gis/admin\n    production: true\ncurrent: north\n"},
		{"a null", "sites: ~\n", add(north), "current: north\nsites:\n  north:\n    url: https://north.example.org/gis/admin\n    production: true\n"},
		{"no key for sites", "current: north # soon", add(north),
			"current: north # soon\nsites:\n  north:\n    url: https://north.example.org/gis/admin\n    production: true\n"},
		{"comments, blank lines and the order of keys", "# top\nsites:\n  # the old one\n  a: # first\n        production:   false   # aligned\n        url:   \"https://a\"\n        # readOnly: true\n\n  # what follows\n# end\ncurrent:   'a'   # mine\n\n# last\n",
			add(north),
			"# top\nsites:\n  # the old one\n  a: # first\n        production:   false   # aligned\n        url:   \"https://a\"\n        # readOnly: true\n  north:\n        url: https://north.example.org/gis/admin\n        production: true\n\n  # what follows\n# end\ncurrent:   'a'   # mine\n\n# last\n"},
		{"blank lines between sites", "sites:\n  a:\n    url: a\n\n  # b it is\n  b:\n    url: b\n", add(north),
			"sites:\n  a:\n    url: a\n\n  # b it is\n  b:\n    url: b\n\n  north:\n    url: https://north.example.org/gis/admin\n    production: true\n"},
		{"Windows", "\ufeffcurrent: a\r\nsites:\r\n  a:\r\n    url: a", add(north),
			"\ufeffcurrent: a\r\nsites:\r\n  a:\r\n    url: a\r\n  north:\r\n    url: https://north.example.org/gis/admin\r\n    production: true\r\n"},
		{"sites in one line each", "sites:\n  a: {url: a}\n  b: {url: b, signIn: ask} # here\n", add(north),
			"sites:\n  a: {url: a}\n  b: {url: b, signIn: ask} # here\n  north:\n    url: https://north.example.org/gis/admin\n    production: true\n"},
		{"an indented file", "  current: a\n  sites:\n    a:\n      url: a\n", add(north),
			"  current: a\n  sites:\n    a:\n      url: a\n    north:\n      url: https://north.example.org/gis/admin\n      production: true\n"},

		{"by hand", "sites:\n  a: {url: a}\n", byHand("sites:\n  a: {url: a}\n", "sites: {a: {url: b}} # mine\n"), "sites: {a: {url: b}} # mine\n"},
		{"use, with a comment", "# top\ncurrent: a   # mine\nsites:\n  a: {url: a}\n  b: {url: b}\n", use("b"), "# top\ncurrent: b   # mine\nsites:\n  a: {url: a}\n  b: {url: b}\n"},
		{"use, in quotes", "sites:\n  a: {url: a}\n  b: {url: b}\ncurrent:  \"a\"", use("b"), "sites:\n  a: {url: a}\n  b: {url: b}\ncurrent: b"},
		{"use, with none before", "current: # mine\r\nsites:\r\n  a: {url: a}\r\n", use("a"), "current: a # mine\r\nsites:\r\n  a: {url: a}\r\n"},
		{"use, without the key", "# top\n\nsites:\n  a: {url: a}\n", use("a"), "# top\n\ncurrent: a\nsites:\n  a: {url: a}\n"},
		{"use, a name that is a number", "sites:\n  2024: {url: a}\n", use("2024"), "current: \"2024\"\nsites:\n  2024: {url: a}\n"},
		{"use, the current one", "current:   a\nsites:\n  a: {url: a}\n", use("a"), "current:   a\nsites:\n  a: {url: a}\n"},
		{"use, where a site is missing", "current: gone\nsites:\n  a: {url: a}\n", use("a"), "current: a\nsites:\n  a: {url: a}\n"},

		{"change a value, with a comment", "sites:\n  a: # first\n    url:   a # mine\n    user: me\n  b: {url: b}\n", set(Site{Name: "a", URL: "c"}, "url"),
			"sites:\n  a: # first\n    url: c # mine\n    user: me\n  b: {url: b}\n"},
		{"add keys and remove one", "sites:\n  a:\n      url: a\n      user: me # gone\n      # of a\n\n  # of b\n  b:\n    url: b\n",
			set(Site{Name: "a", SignIn: SignIn{Kind: FromFile, File: "/t"}, Slow: true}, "user", "poll", "signIn"),
			"sites:\n  a:\n      url: a\n      # of a\n      signIn: {file: /t}\n      poll: slow\n\n  # of b\n  b:\n    url: b\n"},
		{"change a mapping, in lines and in braces", "sites:\r\n  a:\r\n    url: a\r\n    signIn:\r\n      # old\r\n      file: /t\r\n    nodes: {command: k} # here",
			set(Site{Name: "a", SignIn: SignIn{Kind: Keyring}, Nodes: "/n"}, "signIn", "nodes"),
			"sites:\r\n  a:\r\n    url: a\r\n    signIn: keyring\r\n    nodes: /n # here"},
		{"change what is there", "sites:\n  a:\n    url:   \"a\"\n", set(Site{Name: "a", Lines: map[string]int{"production": 1}}, "production"), "sites:\n  a:\n    url:   \"a\"\n    production: false\n"},

		{"remove the first", "sites:\n  # of a\n  a:\n    url: a # here\n\n    # more of a\n\n  # of b\n  b:\n    url: b\n", remove("a"),
			"sites:\n  # of a\n\n    # more of a\n\n  # of b\n  b:\n    url: b\n"},
		{"remove the last", "sites:\n  a:\n    url: a\n  b:\n    url: b\n    # of b\n  # next\ncurrent: a\n", remove("b"), "sites:\n  a:\n    url: a\n  # next\ncurrent: a\n"},
		{"remove the current one", "current: a # mine\nsites:\n  a:\n    url: a\n  b: {url: b}\n", remove("a"), "current: # mine\nsites:\n  b: {url: b}\n"},
		{"remove the only one", "sites:\n  a:\n    url: a\n...\n", remove("a"), "sites:\n...\n"},
		{"remove one with a value of several lines", "sites:\n  a:\n    url: a\n    hook: one\n      two\n\n  b: {url: b}\n", remove("a"), "sites:\n\n  b: {url: b}\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			path := written(t, test.before)
			if test.before == "" {
				if err := os.Remove(path); err != nil {
					t.Fatal(err)
				}
			}
			if err := test.edit(path); err != nil {
				t.Fatalf("%v %+v", err, err)
			}
			if diff := cmp.Diff(test.after, content(t, path)); diff != "" {
				t.Error(diff)
			}
			if _, err := Read(path); err != nil {
				t.Error(err)
			}
		})
	}
}

func content(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

func TestAnEditThatCannotBeMadeChangesNothing(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, before string
		edit         func(string) error
		err          error
		text, advice string
	}{
		{"a name that is there", "sites: {a: {url: a}}\n", add(Site{Name: "A", URL: "a"}), ErrSiteExists, "the site a exists already", "Choose another name, or change it: {command:site edit a}"},
		{"a name that is none", "", add(Site{Name: "a b", URL: "a"}), nil, `this cannot be the name of a site: "a b"`, nameAdvice},
		{"no address", "", add(Site{Name: "a"}), nil, "the site a has no url", "Add the line: url: https://HOST/CONTEXT/admin"},
		{"a bad value", "", add(Site{Name: "a", URL: "a", Proxy: "ftp://x"}), nil, "proxy is none, or an address such as http://HOST:3128, https:// or socks5://", ""},
		{"a hidden value", "", add(Site{Name: "a", URL: "a", User: "a\nb\x1b"}), nil, "user has a hidden character or more than one line", ""},
		{"sites in braces", "sites: {a: {url: a}}\n", add(north), ErrByHand, "PATH: line 1: the file is written in a way that only you can edit; nothing was changed",
			"Edit it by hand:\nsites:\n  north:\n    url: https://north.example.org/gis/admin\n    production: true"},
		{"a file in braces", "{sites: {a: {url: a}}}\n", add(north), ErrByHand, "PATH: line 1: the file is written in a way that only you can edit; nothing was changed",
			"Edit it by hand:\nsites:\n  north:\n    url: https://north.example.org/gis/admin\n    production: true"},
		{"use in braces", "{sites: {a: {url: a}}}\n", use("a"), ErrByHand, "PATH: line 1: the file is written in a way that only you can edit; nothing was changed", "Edit it by hand:\ncurrent: a"},
		{"remove in braces", "sites: {a: {url: a}}\n", remove("a"), ErrByHand, "PATH: line 1: the file is written in a way that only you can edit; nothing was changed",
			"Edit it by hand:\n  remove the site a, from line 1 on"},
		{"explicit keys", "sites:\n  ? a\n  : url: a\n", remove("a"), ErrByHand, "PATH: line 2: the file is written in a way that only you can edit; nothing was changed",
			"Edit it by hand:\n  remove the site a, from line 2 on"},
		{"a value whose last line looks like a comment", "sites:\n  a:\n    url: a\n    user: \"x\n# y\"\n", add(north), ErrByHand, "PATH: the file is written in a way that only you can edit; nothing was changed",
			"Edit it by hand:\nsites:\n  north:\n    url: https://north.example.org/gis/admin\n    production: true"},
		{"change in braces", "sites:\n  a: {url: a}\n", set(Site{Name: "a", User: "me"}, "user"), ErrByHand, "PATH: line 2: the file is written in a way that only you can edit; nothing was changed",
			"Edit it by hand:\nsites:\n  a:\n    url: a\n    user: me"},
		{"change to a bad value", "sites:\n  a:\n    url: a\n", set(Site{Name: "a", Proxy: "ftp://x"}, "proxy"), nil, "proxy is none, or an address such as http://HOST:3128, https:// or socks5://", ""},
		{"change the address away", "sites:\n  a:\n    url: a\n", set(Site{Name: "a"}, "url"), nil, "the site a has no url", "Add the line: url: https://HOST/CONTEXT/admin"},
		{"a missing site", "sites:\n  a:\n    url: a\n", set(Site{Name: "A", User: "me"}, "user"), ErrNoSuchSite, `there is no site "A" in PATH`, "Did you mean a?"},
		{"a missing site", "sites:\n  a: {url: a}\n", use("b"), ErrNoSuchSite, `there is no site "b" in PATH`, "Did you mean a?"},
		{"a missing site", "sites:\n  a: {url: a}\n", remove("A"), ErrNoSuchSite, `there is no site "A" in PATH`, "Did you mean a?"},
		{"by hand, what another program has changed meanwhile", "sites:\n  a: {url: b}\n", byHand("sites:\n  a: {url: a}\n", "sites:\n  a: {url: c}\n"), nil,
			"PATH: another program has changed the file meanwhile; nothing was changed", "Edit it again."},
		{"by hand, to what is wrong", "sites:\n  a: {url: b}\n", byHand("sites:\n  a: {url: a}\n", "sites:\n  a: {url: a}\n  a: {url: b}\n"), nil,
			`PATH: line 3: "a" is here twice; first in line 2`, ""},
		{"a broken file", "sites:\n  a: {url: a}\n  a: {url: b}\n", use("a"), nil, `PATH: line 3: "a" is here twice; first in line 2`, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			path := written(t, test.before)
			err := test.edit(path)
			e, ok := errors.AsType[*Error](err)
			if !ok || test.err != nil && !errors.Is(err, test.err) {
				t.Fatalf("%v", err)
			}
			if text := strings.ReplaceAll(e.Error(), path, "PATH"); text != test.text || e.Advice != test.advice {
				t.Errorf("%s\n%s", text, e.Advice)
			}
			if after := content(t, path); after != test.before {
				t.Errorf("%q became %q", test.before, after)
			}
		})
	}
}

func TestAMissingFileCannotBeEditedByHand(t *testing.T) {
	t.Parallel()
	_, err := Content(filepath.Join(t.TempDir(), "config.yaml"))
	if e, ok := errors.AsType[*Error](err); !ok || e.Sentence != "there is no such file yet" || !strings.Contains(e.Advice, "site add") {
		t.Error(err)
	}
}

func TestWhatIsAddedIsReadAgain(t *testing.T) {
	t.Parallel()
	full := Site{
		Name: "2024", URL: "https://gis.example.org:6443/a b/admin", Production: true, ReadOnly: true, Insecure: true, User: `o'"\ #: null`,
		SignIn: SignIn{Kind: Command, Command: `vault read "a, b" | jq '.[0]' # {}`}, ClientID: "null", AuthHeader: "X-Esri-Authorization",
		CA: "/a: b", ClientCert: "/etc/- c", ClientKey: "/#", Proxy: "socks5://user@proxy:1080", NodesCommand: "kubectl get nodes -o json",
		Bell: true, Notify: true, Hook: "true", Slow: true,
	}
	plain := Site{Name: "a", URL: "a", SignIn: SignIn{Kind: FromFile, File: "/t, {"}, Nodes: "/nodes.json", Proxy: NoProxy, Bell: true,
		Lines: map[string]int{"production": 1, "poll": 1}}
	silent := Site{Name: "b", URL: "b", SignIn: SignIn{Kind: Environment, Variable: "T_1"}, Lines: map[string]int{"alarms": 1}}
	path := filepath.Join(t.TempDir(), "new", "folder", "config.yaml")
	for _, s := range []Site{full, plain, silent, {Name: "c", URL: "c", SignIn: SignIn{Kind: Ask}}} {
		if err := Add(path, s); err != nil {
			t.Fatal(err)
		}
		f, err := Read(path)
		if err != nil {
			t.Fatal(err)
		}
		got, err := f.Site(s.Name)
		if diff := cmp.Diff(s, got, cmpopts.IgnoreFields(Site{}, "Lines")); diff != "" || err != nil {
			t.Error(diff, err)
		}
		for key := range s.Lines {
			if !got.Says(key) {
				t.Errorf("%s is not said", key)
			}
		}
	}
	for path, mode := range map[string]os.FileMode{path: 0o600, filepath.Dir(path): 0o700 | os.ModeDir} {
		if info, err := os.Stat(path); err != nil || info.Mode() != mode {
			t.Errorf("%v, %v", info.Mode(), err)
		}
	}
}
