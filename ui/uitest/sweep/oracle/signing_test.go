package oracle_test

import (
	"io/fs"
	"strings"

	"geodeck/ui/uitest/sweep/oracle"
)

const (
	twoSites = "# mine\r\nsites:\r\n  gis:\r\n    url: https://gis.example.org/x/admin # town\r\n    production: true\r\n  # next\r\n  old: {url: https://old.example.org/x/admin}\r\n"
	withUser = "    production: true\r\n    user: ada\r\n"
	listed   = `{"items":[{"name":"gis","url":"https://gis.example.org/x/admin","current":false,"production":true,"readOnly":false,"locked":true,"signIn":"ask"},` +
		`{"name":"old","url":"https://old.example.org/x/admin","current":false,"production":false,"readOnly":false,"locked":false,"signIn":"ask"}]}`
	issued  = `{"token":"tttttttttttt","expires":1000000000000}`
	inRing  = `{"user":"admin","password":"pppppppp","token":"tttttttttttt","expires":1000000000000}`
	toldSo  = "Signed in as admin.\nKept in the system's keyring. The token ends at 2001-09-09 01:46 +0000. It is renewed by itself.\n"
	ofOther = "http://127.0.0.1:7444/geodeck"
)

// edited judges a command that gives the first site a user. is replaces some of what the file is then.
func edited(code int, is ...string) func(*day) {
	return func(d *day) {
		text := strings.NewReplacer(is...).Replace(strings.Replace(twoSites, "    production: true\r\n", withUser, 1))
		d.Configures(oracle.Configuring{Do: "edit", Name: "gis", Set: map[string]string{"user": "ada"}, Before: twoSites, Is: text, Durable: text, Code: code,
			Beside: map[string]fs.FileMode{"/home/ada/config.yaml": 0o600}})
	}
}

// ofConfig judges another command on such a file.
func ofConfig(c oracle.Configuring) func(*day) {
	return func(d *day) {
		c.Before = twoSites
		d.Configures(c)
	}
}

// loggedIn judges a login, after which the keyring holds something.
func loggedIn(code int, held, out string, others ...string) func(*day) {
	return func(d *day) {
		after := map[string]string{"http://127.0.0.1:7443/geodeck": held, ofOther: strings.Join(append(others, "x"), "")}
		d.Signs(oracle.Signing{Do: "login", Address: "127.0.0.1:7443", User: "admin", Password: "pppppppp", Right: true, Kind: "keyring", Before: map[string]string{ofOther: "x"}, After: after,
			Issued: []string{issued}, Asked: 1, Out: out, Code: code, Calm: true})
	}
}

// presents judges a request.
func presents(token, password string) func(*day) {
	return func(d *day) {
		d.Presents(oracle.Presented{Site: "city", Token: token, Pass: password, Issue: map[string]string{"t": "city", "u": "harbour"}, Takes: map[string]bool{"p": true}})
	}
}

// printsToken judges a command that writes a token to a file.
func printsToken(code int, mode uint32, file string) func(*day) {
	return func(d *day) {
		d.Signs(oracle.Signing{Do: "token", Address: "127.0.0.1:7443", User: "admin", Password: "pppppppp", Right: code == 0, Issued: []string{issued}, Asked: 1, File: file, Mode: mode, Code: code})
	}
}

var signingDays = []ruleDay{
	{"config.yaml has the change that was wanted, or none", edited(0), edited(0, "production: true\r\n", "production: false\r\n")},
	{"config.yaml has the change that was wanted, or none", edited(0), edited(1)},
	{"config.yaml has the change that was wanted, or none", ofConfig(oracle.Configuring{Do: "use", Name: "nosuch", Is: twoSites, Code: 2}), ofConfig(oracle.Configuring{Do: "use", Name: "old", Is: twoSites, Code: 2})},
	{"config.yaml has the change that was wanted, or none", ofConfig(oracle.Configuring{Do: "use", Name: "old", Is: twoSites, Code: 1, Hurt: true}),
		ofConfig(oracle.Configuring{Do: "use", Name: "old", Is: twoSites[:30], Code: 1, Hurt: true})},
	{"all else in config.yaml stays byte for byte", edited(0), edited(0, "  # next\r\n", "")},
	{"all else in config.yaml stays byte for byte", edited(0), edited(0, "ada\r\n", "ada\n")},
	{"all else in config.yaml stays byte for byte", edited(0), edited(0, " # town", "")},
	{"config.yaml is private, whole and on disk", edited(0), ofConfig(oracle.Configuring{Do: "use", Name: "old", Is: "current: old\r\n" + twoSites, Durable: twoSites})},
	{"config.yaml is private, whole and on disk", edited(0), ofConfig(oracle.Configuring{Do: "list", Is: twoSites, Durable: twoSites, Out: listed, Form: "json", Beside: map[string]fs.FileMode{"/config.yaml": 0o644}})},
	{"sites are listed as config.yaml has them", ofConfig(oracle.Configuring{Do: "list", Is: twoSites, Durable: twoSites, Out: listed, Form: "json"}),
		ofConfig(oracle.Configuring{Do: "list", Is: twoSites, Durable: twoSites, Out: strings.Replace(listed, `"production":true`, `"production":false`, 1), Form: "json"})},
	{"the keyring has what was typed, and nothing else of it changes", loggedIn(0, inRing, toldSo), loggedIn(0, strings.Replace(inRing, "pppp", "qqqq", 1), toldSo)},
	{"the keyring has what was typed, and nothing else of it changes", loggedIn(0, inRing, toldSo), loggedIn(0, inRing, toldSo, "y")},
	{"how a sign-in ends is told as it is", loggedIn(0, inRing, toldSo), loggedIn(0, inRing, strings.Replace(toldSo, "01:46", "02:46", 1))},
	{"how a sign-in ends is told as it is", loggedIn(0, inRing, toldSo), loggedIn(3, "", "")},
	{"a token is printed or kept as the site gave it", printsToken(0, 0o600, "tttttttttttt\n"), printsToken(0, 0o644, "tttttttttttt\n")},
	{"a token is printed or kept as the site gave it", printsToken(0, 0o600, "tttttttttttt\n"), printsToken(3, 0o600, "tttttttttttt\n")},
	{"a sign-in reaches only its own site", presents("t", "p"), presents("u", "")},
	{"a sign-in reaches only its own site", presents("t", "p"), presents("", "q")},
}
