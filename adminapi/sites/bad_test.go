package sites

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// secret stands where no message may show what is there.
const secret = "hunter2"

func TestABadFileIsToldWithItsLine(t *testing.T) {
	t.Parallel()
	site := func(lines string) string {
		return "sites:\n  a:\n    url: https://a\n" + lines
	}
	for _, test := range []struct{ name, content, want, advice string }{
		{"cut in a value", "current: a\nsites:\n  a:\n    hook: \"half", "line 4: the file ends in the middle of what begins here", ""},
		{"cut in braces", "sites:\n  a: {url: a,", "line 2: this is not valid YAML: did not find expected node content", ""},
		{"cut in a key", site("    prod"), "line 4: here a colon is missing after a key", ""},
		{"cut after a name", "sites:\n  a:\n    url: a\n  b:", "line 4: the site b has no url", "Add the line: url: https://HOST/CONTEXT/admin"},
		{"a tab", "sites:\n  a:\n\turl: a\n", "line 3: this line is indented with a tab; use spaces", ""},
		{"a tab after spaces", "sites:\n  a:\n  \turl: a\n", "line 3: this line is indented with a tab; use spaces", ""},
		{"a site twice", "sites:\n  a: {url: a}\n  a: {url: b}\n", `line 3: "a" is here twice; first in line 2`, ""},
		{"a site twice but for case", "sites:\n  a: {url: a}\n  A: {url: b}\n", `line 3: the site "A" is here twice but for case; first in line 2`, ""},
		{"a key twice", site("    user: b\n    user: c\n"), `line 5: "user" is here twice; first in line 4`, ""},
		{"an unknown key", site("    prodution: true\n"), `line 4: a site does not know the key "prodution"`, "Did you mean production?"},
		{"an unknown key in another case", site("    readonly: true\n"), `line 4: a site does not know the key "readonly"`, "Did you mean readOnly?"},
		{"an unknown key of the file", "curent: a\n", `line 1: the file does not know the key "curent"`, "Did you mean current?"},
		{"a key of a site in the file", "proxy: none\n", `line 1: the file does not know the key "proxy"`, "It belongs below a site."},
		{"an unknown key of the sign-in", site("    signIn: {vault: x}\n"), `line 4: signIn does not know the key "vault"`, "Known keys: file, environment, command."},
		{"a password", site("    password: " + secret + "\n"), `line 4: "password" has no place here: the keyring keeps secrets`, "Remove the line; then sign in: {command:login}"},
		{"a token", "token: " + secret + "\n", `line 1: "token" has no place here: the keyring keeps secrets`, "Remove the line; then sign in: {command:login}"},
		{"a key with a secret in it", site("    \"x\\u202e" + strings.Repeat("y", 90) + "\": 1\n"), `line 4: a site does not know the key "x` + strings.Repeat("y", 38) + `…"`,
			"Known keys: url, production, readOnly, user, signIn, clientId, authHeader, ca, clientCert, clientKey, proxy, insecure, nodes, alarms, hook, poll, maxAge."},
		{"a list", "- a\n", "line 1: the file needs keys with values here", ""},
		{"a word", "hello\n", "line 1: the file needs keys with values here", ""},
		{"sites as a list", "sites: [a]\n", "line 1: sites needs keys with values here", ""},
		{"a site as a word", "sites:\n  a: https://a\n", "line 2: a site needs keys with values here", ""},
		{"a key that is a list", "? [a]\n: b\n", "line 1: a key must be a word", ""},
		{"a number", site("    user: 17\n"), "line 4: user is a text; put its value in quotes", ""},
		{"a list in place of a text", site("    user: [a]\n"), "line 4: user is a text, not a list", ""},
		{"a mapping in place of a text", site("    user: {a: b}\n"), "line 4: user is a text, not keys with values", ""},
		{"nothing", site("    user:\n"), "line 4: user has no value", ""},
		{"blanks", site("    user: \"  \"\n"), "line 4: user has no value", ""},
		{"several lines", site("    hook: |\n      a\n      b\n"), "line 4: hook has a hidden character or more than one line", ""},
		{"a hidden character in a value", site("    hook: \"a\\u202eb\"\n"), "line 4: hook has a hidden character or more than one line", ""},
		{"yes", site("    production: yes\n"), "line 4: production is true or false", ""},
		{"a loop of aliases", "sites: &a\n  b: *a\n", "line 1: " + noAnchors, ""},
		{"a bomb of aliases", site("    user: &a [x, x]\n    hook: [*a, *a, *a]\n"), "line 4: " + noAnchors, ""},
		{"an alias of nothing", site("    user: *" + secret + "\n"), "line 4: " + noAnchors, ""},
		{"a merge", "sites:\n  a: {url: a}\n  <<: {b: {url: b}}\n", `line 3: this cannot be the name of a site: "<<"`, nameAdvice},
		{"a tag", site("    user: !!binary aGk=\n"), "line 4: tags (!) are not used here", ""},
		{"two documents", "sites:\n---\nsites:\n", "line 2: a second YAML document begins here", "Keep one."},
		{"two documents, one broken", "sites:\n---\n\"", "line 3: the file ends in the middle of what begins here", ""},
		{"not UTF-8", "# ok\nsites: # caf\xe9\n", "line 2: this is not UTF-8 text", "Save the file as UTF-8."},
		{"UTF-16", "\xff\xfes\x00i\x00", "line 1: this is not UTF-8 text", "Save the file as UTF-8."},
		{"NUL", "sites:\x00\n", "line 1: here is a hidden character, U+0000", "Remove it."},
		{"a control character", "sites:\n# \x1b[2J\n", "line 2: here is a hidden character, U+001B", "Remove it."},
		{"another direction", "sites:\n  a\u202e: {url: a}\n", "line 2: here is a hidden character, U+202E", "Remove it."},
		{"a line break that editors do not count", "sites: # a\u2028x\n", "line 1: here is a hidden character, U+2028", "Remove it."},
		{"a mark in the middle", "sites:\n\ufeff  a: {url: a}\n", "line 2: here is a hidden character, U+FEFF", "Remove it."},
		{"a name with a space", "sites:\n  a b: {url: a}\n", `line 2: this cannot be the name of a site: "a b"`, nameAdvice},
		{"a name of other letters", "sites:\n  рrod: {url: a}\n", `line 2: this cannot be the name of a site: "рrod"`, nameAdvice},
		{"a name that begins with a dash", "sites:\n  -a: {url: a}\n", `line 2: this cannot be the name of a site: "-a"`, nameAdvice},
		{"no name", "sites:\n  \"\": {url: a}\n", "line 2: a site needs a name", nameAdvice},
		{"a long name", "sites:\n  " + strings.Repeat("a", 61) + ": {url: a}\n", "line 2: the name of a site has more than 60 characters", nameAdvice},
		{"an address with a password", "sites:\n  a:\n    url: https://me:" + secret + "@a\n", "line 3: url: an address must not contain a user name or password; sign in instead", ""},
		{"an address of another kind", "sites:\n  a:\n    url: ftp://a\n", "line 3: url: an address begins with https://, not ftp://; with http:// only on this machine", ""},
		{"an address without TLS", "sites:\n  a:\n    url: http://a\n", "line 3: http sends the token unencrypted", "Use https://, or allow it: insecure: true in the file, or --insecure where you add the site."},
		{"a header", site("    authHeader: Bearer " + secret + "\n"), "line 4: authHeader is Authorization or X-Esri-Authorization", ""},
		{"a proxy with a password", site("    proxy: http://me:" + secret + "@proxy\n"), "line 4: proxy holds a password, and no secret belongs here", "Give it in HTTPS_PROXY instead."},
		{"a proxy of another kind", site("    proxy: ftp://proxy\n"), "line 4: proxy is none, or an address such as http://HOST:3128, https:// or socks5://", ""},
		{"a proxy without a scheme", site("    proxy: proxy:3128\n"), "line 4: proxy is none, or an address such as http://HOST:3128, https:// or socks5://", ""},
		{"a proxy with a path", site("    proxy: http://proxy/x\n"), "line 4: proxy ends after its host and port", ""},
		{"a home of another", site("    ca: ~root/ca.pem\n"), "line 4: ca: write the whole path in place of ~ and a name", ""},
		{"a certificate without its key", site("    clientCert: c.pem\n"), "line 4: clientCert needs clientKey", ""},
		{"a key without its certificate", site("    clientKey: c.pem\n"), "line 4: clientKey needs clientCert", ""},
		{"a sign-in of no kind", site("    signIn: " + secret + "\n"), "line 4: signIn is keyring or ask, or one of: {file: PATH}, {environment: NAME}, {command: TEXT}", ""},
		{"a sign-in of two kinds", site("    signIn: {file: a, command: b}\n"), "line 4: signIn needs exactly one of: file, environment, command", ""},
		{"a sign-in without a command", site("    signIn: {command: \"\"}\n"), "line 4: command has no value", ""},
		{"a variable that is none", site("    signIn: {environment: eyJ." + secret + "}\n"), "line 4: environment is the name of a variable: letters, digits and _", ""},
		{"nodes without a command", site("    nodes: {command: }\n"), "line 4: command has no value", ""},
		{"alarms as a word", site("    alarms: bell\n"), "line 4: alarms is a list: [bell, notify], or [] for none", ""},
		{"another alarm", site("    alarms: [bell, siren]\n"), "line 4: an alarm is bell or notify", ""},
		{"another pace", site("    poll: fast\n"), "line 4: poll is slow or normal", ""},
		{"a negative pace", site("    poll: -1\n"), "line 4: poll is slow or normal", ""},
		{"a pace that is no age", site("    maxAge: nightly\n"), "line 4: maxAge takes a span of time such as 24h or 7d", ""},
		{"too large", strings.Repeat("# a comment of many\n", 1<<20/20+1), "the file is larger than 1 MiB", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			path := written(t, test.content)
			f, err := Read(path)
			e, ok := errors.AsType[*Error](err)
			if !ok || f != nil {
				t.Fatalf("%v, %v", f, err)
			}
			if got := strings.TrimPrefix(e.Error(), path+": "); got != test.want || e.Advice != test.advice {
				t.Errorf("got  %s\nwant %s\n%s", got, test.want, e.Advice)
			}
			if strings.Contains(e.Error()+e.Advice, secret) {
				t.Error("a value is shown")
			}
			if content(t, path) != test.content {
				t.Error("the file was changed")
			}
		})
	}
}

func TestAFileThatOthersMayChangeIsRefused(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		change func(path string) error
		want   string
		advice string
	}{
		{"readable by others", func(path string) error { return os.Chmod(path, 0o644) }, "PATH: others on this machine may read or change the file", "Make it private: chmod 600 PATH"},
		{"writable by the group", func(path string) error { return os.Chmod(path, 0o620) }, "PATH: others on this machine may read or change the file", "Make it private: chmod 600 PATH"},
		{"in a folder of all", func(path string) error { return os.Chmod(filepath.Dir(path), 0o777) }, "PATH: others on this machine may change the folder of the file", "Keep them out: chmod go-w FOLDER"},
		{"a link", func(path string) error {
			if err := os.Rename(path, path+".real"); err != nil {
				return err
			}
			return os.Symlink(path+".real", path)
		}, "PATH: the file is a symbolic link, which is not followed", "Link its folder instead, or name the file itself with --config."},
		{"a pipe", func(path string) error {
			if err := os.Remove(path); err != nil {
				return err
			}
			return syscall.Mkfifo(path, 0o600)
		}, "PATH: this is not a regular file", ""},
		{"a folder", func(path string) error {
			if err := os.Remove(path); err != nil {
				return err
			}
			return os.Mkdir(path, 0o700)
		}, "PATH: this is not a regular file", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			path := written(t, everyKey)
			if err := test.change(path); err != nil {
				t.Fatal(err)
			}
			for name, do := range map[string]func() error{
				"read": func() error { _, err := Read(path); return err },
				"add":  func() error { return Add(path, north) },
			} {
				err := do()
				e, ok := errors.AsType[*Error](err)
				if !ok {
					t.Fatalf("%s: %v", name, err)
				}
				masked := strings.NewReplacer(path, "PATH", filepath.Dir(path), "FOLDER")
				if masked.Replace(e.Error()) != test.want || masked.Replace(e.Advice) != test.advice {
					t.Errorf("%s: %s\n%s", name, e, e.Advice)
				}
			}
		})
	}
}

func TestAFileOfAnotherUserIsRefused(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root can give a file away")
	}
	for _, test := range []struct {
		name string
		of   func(path string) string
		want string
	}{
		{"file", func(path string) string { return path }, "the file belongs to another user"},
		{"folder", filepath.Dir, "the folder of the file belongs to another user"},
	} {
		path := written(t, everyKey)
		if err := os.Chown(test.of(path), 4711, 4711); err != nil {
			t.Fatal(err)
		}
		if _, err := Read(path); !errors.Is(err, ErrNotPrivate) || !strings.HasSuffix(err.Error(), test.want) {
			t.Errorf("%s: %v", test.name, err)
		}
	}
}

// People who keep their settings in a repository link the folder.
func TestTheFolderMayBeALink(t *testing.T) {
	t.Parallel()
	path := written(t, everyKey)
	link := filepath.Join(t.TempDir(), "geodeck")
	if err := os.Symlink(filepath.Dir(path), link); err != nil {
		t.Fatal(err)
	}
	if err := Add(filepath.Join(link, "config.yaml"), north); err != nil {
		t.Fatal(err)
	}
	if f, err := Read(path); err != nil || len(f.Sites()) != 3 {
		t.Errorf("%v, %v", f, err)
	}
}

func TestManySitesAreReadQuickly(t *testing.T) {
	t.Parallel()
	var many strings.Builder
	many.WriteString("sites:\n")
	for i := range 500 {
		fmt.Fprintf(&many, "  site-%d:\n    url: https://gis%d.example.org/context/admin\n    production: true\n    signIn: {command: \"vault read %d\"}\n", i, i, i)
	}
	path := written(t, many.String())
	begun := time.Now()
	f, err := Read(path)
	if err != nil || len(f.Sites()) != 500 {
		t.Fatal(err)
	}
	if took := time.Since(begun); took > time.Second {
		t.Errorf("500 sites took %s", took)
	}
	if err := Remove(path, "site-250"); err != nil {
		t.Fatal(err)
	}
	if err := Add(path, north); err != nil {
		t.Fatal(err)
	}
}

// What makes parsers slow: no time grows with the square of the size.
func TestAHostileFileIsRefusedQuickly(t *testing.T) {
	t.Parallel()
	const size = maxSize / 16
	for _, unit := range []string{"[", "{a: ", "- ", "? ", "a: b\n", "#\n", "'", "\"\\", "|\n", "a:\n ", "&a ", "*a ", "!a ", "- a\n", "\n\n", "a", "---\n", "a: {", "%a\n", "x:"} {
		path := written(t, strings.Repeat(unit, size/len(unit)))
		begun := time.Now()
		_, err := Read(path)
		if took := time.Since(begun); took > 2*time.Second {
			t.Errorf("%q took %s: %v", unit, took, err)
		}
	}
}
