package sweep

import (
	"bytes"
	"errors"
	"fmt"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/simulator"
	"geodeck/ui/uitest"
	"geodeck/ui/uitest/sweep/oracle"
)

// imports is the play of an administrator who imports the version manifest of a file to a site without internet.
const imports = "import"

// importing is a day of it.
type importing struct {
	m      *machine
	intent *oracle.Intent
	folder string
	id     string // of an update that is in the file alone
	full   string // its version
	theirs string // a manifest of somebody else
	lost   bool   // the outcome of the one before is unknown
	again  bool   // and it may be sent again
}

// manifestName is the name of the file, by which a person says that it may be sent again.
const manifestName = "version_manifest.dat"

// playImport imports a manifest, and looks at what is offered before and after it.
func playImport(m *machine) {
	var now struct {
		Version             string
		Build, ReleaseBuild any // a number, or a text
	}
	m.asks(&now, "/system/upgrades/currentVersion", nil)
	var build int
	if _, _ = fmt.Sscan(fmt.Sprint(now.Build), &build); now.ReleaseBuild == nil {
		now.ReleaseBuild = now.Build // of a release
	}
	r := m.day.random("manifest")
	on := func(build, before int) string {
		return fmt.Sprintf(`{"id":"pat_0302%[1]d","name":"%[2]s update %[1]d","type":"patch","version":%[2]q,"previousVersion":%[2]q,"build":"%[1]d","previousBuild":"%[3]d","releaseBuild":%[4]q,"released":%[5]d}`,
			build, now.Version, before, fmt.Sprint(now.ReleaseBuild), 1770000000000+int64(build))
	}
	list := []string{on(build+4, build), on(build+7, build+4)}
	known := []string{fmt.Sprint("pat_0302", build+4), fmt.Sprint("pat_0302", build+7)}
	var offered struct{ Patches []map[string]any }
	if m.asks(&offered, "/system/upgrades/available", nil); len(offered.Patches) > 0 { // one that the site has, too, and not as it is in the file
		delete(offered.Patches[0], "newLicensesRequired")
		known = append(known, fmt.Sprint(offered.Patches[0]["id"]))
		list = append(list, strings.TrimSpace(string(asWritten(offered.Patches[0]))))
	}
	for _, i := range r.Perm(len(entries))[:r.IntN(len(entries))] {
		list = append(list, entries[i])
	}
	r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	d := &importing{m: m, id: fmt.Sprint("pat_0302", build+4), full: fmt.Sprint(now.Version, ".", build+4), theirs: signed(on(build+3, build))}
	var err error
	if d.folder, err = realFolder("import"); err != nil {
		m.day.fail("no folder: %v", err)
		return
	}
	defer os.RemoveAll(d.folder)
	text := signed(strings.Join(list, ","))
	file := d.file(manifestName, text)
	d.intent = &oracle.Intent{Manifest: text}
	m.importing = d
	k := &looks{m: m, r: r}
	if m.day.oracle.Listed = text; m.day.Face == commands {
		k.looksBy("upgrade", "plan", known[r.IntN(2)*(len(known)-1)], "--manifest-file", file)
	}
	m.day.oracle.Listed = ""
	try := d.byCommand
	if m.day.Face == dashboard {
		try = d.onScreen
	}
	m.insist(wish{name: imports, is: func(p *post) bool { return p.path == "/system/upgrades/importManifest" }, intent: d.intent, try: try,
		has: func() bool {
			return strings.Contains(m.site.ask("GET", "/system/upgrades/available", nil), `"`+d.id+`"`)
		}})
	if m.day.Face == commands {
		k.looksBy("upgrade", "available")
	}
}

// signed is a manifest as files have it.
func signed(versions string) string {
	return `{"versions":[` + versions + `],"signature":"c2lnbmVk"}` + "\n"
}

// file writes a file, and returns its path.
func (d *importing) file(name, text string) string {
	path := filepath.Join(d.folder, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		d.m.day.fail("a manifest cannot be written: %v", err)
	}
	return path
}

// noManifests are what is given in place of a manifest, by what it is.
var noManifests = []struct {
	name string
	make func(d *importing, path string) error
}{
	{"a file that is not there", func(*importing, string) error { return nil }},
	{"an empty file", func(_ *importing, path string) error { return os.WriteFile(path, nil, 0o600) }},
	{"a folder", func(_ *importing, path string) error { return os.Mkdir(path, 0o700) }},
	{"a pipe", func(_ *importing, path string) error { return syscall.Mkfifo(path, 0o600) }},
	{"a page", func(_ *importing, path string) error { return os.WriteFile(path, []byte("<html>{}</html>"), 0o600) }},
	{"JSON of something else", func(_ *importing, path string) error {
		return os.WriteFile(path, []byte(`{"userInputs":[],"signature":"x"}`), 0o600)
	}},
	{"a manifest that is cut off", func(d *importing, path string) error {
		return os.WriteFile(path, []byte(d.intent.Manifest[:len(d.intent.Manifest)-20]), 0o600)
	}},
	{"a file of 65 MiB", func(d *importing, path string) error {
		return errors.Join(os.WriteFile(path, []byte(d.intent.Manifest), 0o600), os.Truncate(path, 65<<20))
	}},
}

// wrong makes something that is no manifest, and returns its path.
func (d *importing) wrong(program string) (path, name string) {
	one := pick(d.m.day.random(program+" no manifest"), noManifests)
	path = filepath.Join(d.folder, "wrong_manifest.dat")
	_ = os.RemoveAll(path)
	if err := one.make(d, path); err != nil {
		d.m.day.fail("%s cannot be made: %v", one.name, err)
	}
	d.m.day.meet("a manifest is " + one.name)
	return path, one.name
}

// refusedManifests are what no site takes: a manifest that is not signed, and one in the form of an answer.
var refusedManifests = []string{`{"versions":[{"id":"pat_1","type":"patch","version":"12.0.0","build":"7301"}]}`, `{"patches":[],"releases":[` + entries[5] + `],"signature":"x"}`}

// byCommand imports it unless the site offers what is in it; at times after something that is no manifest, a dry run, or a
// manifest that no site takes.
func (d *importing) byCommand(r *run) told {
	m, hand := d.m, d.m.day.random(r.name+" imports")
	text, ok := m.read("upgrade", "available", "-o", "json")
	switch {
	case !ok:
		return notSent("what is offered cannot be read")
	case strings.Contains(text, `"`+d.id+`"`):
		return told{outcome: adminapi.OutcomeDone, ended: true, text: "it is there"}
	}
	path := filepath.Join(d.folder, manifestName)
	if hand.IntN(3) == 0 {
		wrong, name := d.wrong(r.name)
		if p := d.runs(r, wrong, "", "with "+name); p.code != codeUsage && p.code != codeSignIn && !r.dead.Load() {
			m.day.fail("geodeck upgrade import-manifest of %s exits with %d: %.200s", name, p.code, p.err)
		}
	}
	if hand.IntN(4) == 0 {
		d.runs(r, path, d.intent.Manifest, "with --dry-run", "--dry-run")
	}
	if len(m.site.sent(r.writes)) == 0 && len(m.runs) < 4 && hand.IntN(5) == 0 {
		m.day.meet("a manifest is one that no site takes")
		own := d.intent.Manifest
		d.intent.Manifest = pick(hand, refusedManifests)
		defer func() { d.intent.Manifest = own }()
		return d.runs(r, d.file("unsigned.json", d.intent.Manifest), d.intent.Manifest, "").told()
	}
	var flags []string
	if d.again || d.lost && hand.IntN(2) == 0 {
		flags = []string{"--again", manifestName}
	}
	p := d.runs(r, path, d.intent.Manifest, "", flags...)
	m.notTooSoon(r, p.sendsAgain(), "/system/upgrades/importManifest")
	d.lost = p.code == codeUnknown
	d.again = d.lost && strings.Contains(p.err, "nothing was sent") && p.sendsAgain()
	return p.told()
}

// runs runs a command that imports a file, and has what it says judged. why is why it has to send nothing; empty where it may.
func (d *importing) runs(r *run, path, text, why string, flags ...string) printed {
	day, form := d.m.day, pick(d.m.day.random(r.name+why+" form"), []string{"json", "table"})
	p := r.changeUnless(why, append([]string{"upgrade", "import-manifest", path, "-o", form}, flags...)...)
	if !r.dead.Load() {
		day.oracle.Imports(oracle.Importing{Program: r.name, Form: form, Code: p.code, Out: p.out, Text: text, Dry: slices.Contains(flags, "--dry-run")})
	}
	return p
}

// importedEnds are what the screen says at the end of an import.
var importedEnds = []ending{
	{"Manifest imported: ", told{outcome: adminapi.OutcomeDone, ended: true}},
	{"The site refused to import", told{outcome: adminapi.OutcomeRefused}},
	{"It is not known whether the site accepted", told{}},
	{"Nothing was sent", told{outcome: adminapi.OutcomeNotSent}},
}

// Texts of the import on the screen.
const (
	importPrompt   = "A file downloaded elsewhere"
	importQuestion = "y import it"
	noManifest     = "Not a version manifest"
)

// onScreen imports it in the dashboard, unless that lists what is in it.
func (d *importing) onScreen(r *run) told {
	s, err := r.entered()
	if err != nil {
		return notSent(errorText(err))
	}
	defer s.close()
	s.wait(5 * time.Second)
	s.clear()
	s.resize(sizes[1])
	s.press("view.upgrade")
	s.wait(20 * time.Second)
	if s.clear(); strings.Contains(s.read(), d.full) {
		return told{outcome: adminapi.OutcomeDone, ended: true, text: "it is listed"}
	}
	if strings.Contains(s.read(), "Reading what the site offers") {
		return notSent("what is offered cannot be read")
	}
	if d.m.day.random(r.name+" wrong file").IntN(3) == 0 {
		wrong, name := d.wrong(r.name)
		d.prompts(s, wrong)
		if saw := s.sees(20*time.Second, noManifest, importQuestion); saw == importQuestion {
			s.wrong("it is asked whether " + name + " is imported")
		}
		s.press("esc")
		s.wait(10 * time.Second)
	}
	said := d.sends(s)
	if said.outcome == adminapi.OutcomeDone && !s.until(40*time.Second, func(shown string) bool { return strings.Contains(shown, d.full) }) &&
		!s.dead() && d.m.day.calm() {
		s.wrong("the manifest is imported, and what it brings is not listed: " + d.full)
	}
	return said
}

// prompts gives a path to the question for the file.
func (d *importing) prompts(s *screen, path string) {
	s.press("upgrade.import")
	if s.sees(10*time.Second, importPrompt) != "" {
		s.wait(2 * time.Second)
		s.press("ctrl+u")
		s.send(uitest.Paste(path))
		s.press("enter")
	}
}

// sends confirms the import, and reads what becomes of it.
func (d *importing) sends(s *screen) told {
	path := filepath.Join(d.folder, manifestName)
	for range 8 {
		if s.run.keys.Yes == 0 && !strings.Contains(s.read(), importQuestion) {
			d.prompts(s, path)
		}
		saw := s.sees(4*time.Minute, append(textsOf(importedEnds, importQuestion, unknownTitle, signInTitle), "Unlock ", importPrompt, sessionExpired)...)
		if s.dead() {
			return told{}
		}
		if said, is := s.ended(importedEnds, "import", saw); is {
			return said
		}
		switch {
		case saw == importQuestion:
			s.wait(2 * time.Second)
			if holds := oracle.ManifestHolds(d.intent.Manifest); !strings.Contains(s.read(), holds) {
				s.wrong("the question does not say that the file holds " + holds)
			}
			s.yes(importQuestion)
			s.until(10*time.Second, func(shown string) bool { return !strings.Contains(shown, importQuestion) })
		case saw == unknownTitle && s.run.keys.Yes == 0:
			s.clear()
			return notSent("an earlier one is in the way")
		case !s.clear() && s.run.keys.Yes > 0:
			return told{text: "no end is seen"}
		case saw == importPrompt:
			s.press("esc")
		}
	}
	s.story("no end of an import")
	if s.run.keys.Yes == 0 {
		return notSent("it is not asked")
	}
	return told{text: "no end"}
}

// othersInstead is a site to which somebody else imports another manifest as ours is lost.
var othersInstead = oddity{"an import is lost, and somebody else imports another manifest", func(p *plan) {
	p.foreign = true
	p.turns = append(p.turns, &turn{name: "another imports another manifest as ours is lost", request: "POST /system/upgrades/importManifest", nth: 1, do: func(r *run) {
		r.machine.site.imports(r.machine.importing.theirs)
		panic(http.ErrAbortHandler)
	}})
}}

// lostImport is a site that an import never reaches.
var lostImport = oddity{"an import is lost", func(p *plan) {
	p.scenario.Faults = append(p.scenario.Faults, simulator.Fault{Path: "admin/system/upgrades/importManifest", Method: "POST", Times: 1, What: "close"})
}}

// othersImport are what a second administrator does meanwhile.
var othersImport = []happening{
	{name: "another imports the same manifest", at: "POST /system/upgrades/importManifest", do: func(m *machine, _ *run) { m.site.imports(m.importing.intent.Manifest) }},
	{name: "another imports another manifest", at: "GET /system/upgrades/available", do: func(m *machine, _ *run) {
		m.site.imports(m.importing.theirs)
		m.day.oracle.Undone(m.importing.intent)
	}},
}

// imports lets a second administrator import a manifest.
func (s *site) imports(text string) {
	s.ask("GET", "/", nil) // with a token that the site takes
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	_ = form.WriteField("f", "json")
	part, _ := form.CreateFormFile("manifestFile", "theirs.json")
	_, _ = part.Write([]byte(text))
	_ = form.Close()
	r := httptest.NewRequest("POST", "http://"+s.Addr().String()+"/geodeck/admin/system/upgrades/importManifest", &body)
	r.Header.Set("Content-Type", form.FormDataContentType())
	r.Header.Set("Authorization", "Bearer "+s.token.Value.Reveal())
	answered := httptest.NewRecorder()
	s.direct.ServeHTTP(answered, r)
	s.day.log("the second administrator imports a manifest: %.100s", answered.Body.String())
}
