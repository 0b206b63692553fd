// Package packages opens the packages of a release and compares them with each other and with the program in them.
// It needs nothing but Go: go test ./ui/uitest/packages -packages=FOLDER, as .ci/run and .ci/release-check call it.
package packages

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
)

var (
	packagesFlag = flag.String("packages", "", "check the packages in this folder, which .ci/release made")
	revisionFlag = flag.String("revision", "", "the revision that they have to be made of, without changes")
)

// Each has at most these bytes: what goes through a slow line, and what lies on a disk. Of the program the types of
// Kubernetes take 1.3 MiB, https of the simulated platform, without which some of its clients cannot be tried, 0.3, the
// system's keyring 0.3, and a YAML that knows its lines 0.2.
const (
	largestPackage = 13<<20 - 1
	largestProgram = 30 << 20
)

// named are version and platform of a file.
var named = regexp.MustCompile(`^geodeck-(.+)-((?:linux|darwin)-(?:amd64|arm64))\.(?:tar\.gz|deb|rpm|apk|cdx\.json)$`)

// place is where a Linux system has what stands in the tar.gz.
func place(name string) string {
	page, isPage := strings.CutPrefix(name, "man/")
	switch {
	case isPage:
		return "usr/share/man/man1/" + page
	case name == "geodeck":
		return "usr/bin/geodeck"
	case name == "completions/geodeck.bash":
		return "usr/share/bash-completion/completions/geodeck"
	case name == "completions/geodeck.zsh":
		return "usr/share/zsh/site-functions/_geodeck"
	case name == "completions/geodeck.fish":
		return "usr/share/fish/vendor_completions.d/geodeck.fish"
	}
	return "usr/share/doc/geodeck/" + name
}

// TestPackages is what users rely on when they install one: each package has the program of its platform, with pages,
// completions, licences and a bill of materials that are this program's, and runs nothing as it is installed.
func TestPackages(t *testing.T) {
	if *packagesFlag == "" {
		t.Skip("-packages names the folder; make release-check makes one and checks it")
	}
	folder := os.DirFS(*packagesFlag)
	files, err := fs.ReadDir(folder, ".")
	if err != nil {
		t.Fatal(err)
	}
	sums := map[string]string{}
	platforms := map[string]bool{}
	version := ""
	for _, file := range files {
		name := file.Name()
		if name == "SHA256SUMS" {
			continue
		}
		raw := read(t, folder, name)
		sum := sha256.Sum256(raw)
		sums[name] = hex.EncodeToString(sum[:])
		if len(raw) > largestPackage {
			t.Errorf("%s has %d bytes, more than %d", name, len(raw), largestPackage)
		}
		parts := named.FindStringSubmatch(name)
		if parts == nil {
			t.Errorf("%s is no package of ours", name)
			continue
		}
		version = parts[1]
		platforms[parts[2]] = true
	}
	t.Run("checksums", func(t *testing.T) { checkSums(t, string(read(t, folder, "SHA256SUMS")), sums) })
	for platform := range platforms {
		t.Run(platform, func(t *testing.T) { checkPlatform(t, folder, version, platform) })
	}
	if len(platforms) == 0 {
		t.Error("no package is there")
	}
}

func checkSums(t *testing.T, listed string, sums map[string]string) {
	got := map[string]string{}
	for line := range strings.Lines(listed) {
		sum, name, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "  ")
		got[name] = sum
	}
	if !maps.Equal(got, sums) {
		t.Errorf("SHA256SUMS has\n%v, want\n%v", got, sums)
	}
}

func checkPlatform(t *testing.T, folder fs.FS, version, platform string) {
	top := "geodeck-" + version + "-" + platform
	archive, err := unpack(top+".tar.gz", read(t, folder, top+".tar.gz"))
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]entry{}
	for name, e := range archive.entries {
		below, ok := strings.CutPrefix(name, top+"/")
		if !ok && name != top {
			t.Errorf("%s is beside the folder of the archive", name)
		}
		if ok && !e.mode.IsDir() {
			all[below] = e
		}
		checkEntry(t, "tar.gz", name, e, archive.entries[top])
	}
	for _, name := range []string{"geodeck", "NOTICES", "README.md", "CHANGELOG.md", "geodeck.cdx.json", "docs/README.md",
		"completions/geodeck.bash", "completions/geodeck.zsh", "completions/geodeck.fish", "man/geodeck.1.gz"} {
		if len(all[name].body) == 0 {
			t.Fatalf("the tar.gz has no %s", name)
		}
	}
	if bill := read(t, folder, top+".cdx.json"); !bytes.Equal(bill, all["geodeck.cdx.json"].body) {
		t.Error("the bill of materials beside the package is another one than that in it")
	}
	checkProgram(t, all, version, platform)
	if strings.HasPrefix(platform, "linux-") {
		for _, format := range []string{"deb", "rpm", "apk"} {
			t.Run(format, func(t *testing.T) {
				checkSystemPackage(t, folder, top+"."+format, all, archive.entries[top])
			})
		}
	}
}

// checkEntry: nothing belongs to who built it, nobody but root may change it, and nothing has another time than the
// revision.
func checkEntry(t *testing.T, format, name string, e, top entry) {
	want := fs.FileMode(0o644)
	switch {
	case e.mode.IsDir():
		want = fs.ModeDir | 0o755
	case name[strings.LastIndex(name, "/")+1:] == "geodeck" && !strings.Contains(name, "completion"):
		want = 0o755
	}
	if e.mode != want {
		t.Errorf("%s: %s has the mode %v, want %v", format, name, e.mode, want)
	}
	if !e.mtime.Equal(top.mtime) {
		t.Errorf("%s: %s has the time %v, want that of the revision, %v", format, name, e.mtime, top.mtime)
	}
	if !strings.HasPrefix(e.owner, "0:0") {
		t.Errorf("%s: %s belongs to %s", format, name, e.owner)
	}
}

// checkSystemPackage: the files are those of the tar.gz, in the places of the system, and no others.
func checkSystemPackage(t *testing.T, folder fs.FS, name string, all map[string]entry, top entry) {
	format := name[strings.LastIndex(name, ".")+1:]
	got, err := unpack(name, read(t, folder, name))
	if err != nil {
		t.Fatal(err)
	}
	if len(got.scripts) != 0 {
		t.Errorf("it runs %v", got.scripts)
	}
	want := map[string]bool{}
	for from, e := range all {
		want[place(from)] = true
		if !bytes.Equal(got.entries[place(from)].body, e.body) {
			t.Errorf("%s is not what the tar.gz has as %s", place(from), from)
		}
	}
	for at, e := range got.entries {
		if !e.mode.IsDir() && !want[at] {
			t.Errorf("%s is not in the tar.gz", at)
		}
		if e.mode.IsDir() && format == "rpm" && !strings.HasPrefix(at, "usr/share/doc/geodeck") {
			t.Errorf("the package would own the folder %s of the system", at)
		}
		checkEntry(t, format, at, e, top)
	}
}

// checkProgram compares the program with what stands beside it. What only the program itself can say is compared on
// its own platform.
func checkProgram(t *testing.T, all map[string]entry, version, platform string) {
	raw := all["geodeck"].body
	if len(raw) > largestProgram {
		t.Errorf("the program has %d bytes, more than %d", len(raw), largestProgram)
	}
	info, err := buildinfo.Read(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	settings := map[string]string{}
	for _, setting := range info.Settings {
		settings[setting.Key] = setting.Value
	}
	got := settings["GOOS"] + "-" + settings["GOARCH"]
	if got != platform || settings["CGO_ENABLED"] != "0" || settings["-trimpath"] != "true" {
		t.Errorf("the program was built with %v", settings)
	}
	if *revisionFlag != "" && (settings["vcs.revision"] != *revisionFlag || settings["vcs.modified"] != "false") {
		t.Errorf("the program is of %s, changed: %s", settings["vcs.revision"], settings["vcs.modified"])
	}
	for i, module := range info.Deps {
		linked := cmp.Or(module.Replace, module)
		info.Deps[i] = linked
		if !strings.Contains(string(all["NOTICES"].body), "\n======== "+linked.Path+"@"+linked.Version+": ") {
			t.Errorf("NOTICES lacks the licence of %s %s", linked.Path, linked.Version)
		}
	}
	checkBill(t, all["geodeck.cdx.json"].body, info, version)
	if platform == runtime.GOOS+"-"+runtime.GOARCH {
		checkRun(t, all, version, settings)
	}
}

// checkBill: each module that is linked stands in it once, and so does the standard library.
func checkBill(t *testing.T, raw []byte, info *debug.BuildInfo, version string) {
	type component struct {
		Type, Name, Version, PURL string
		Ref                       string `json:"bom-ref"`
		Properties                []struct{ Name, Value string }
	}
	var bill struct {
		Format      string `json:"bomFormat"`
		SpecVersion string
		Version     int
		Metadata    struct{ Component component }
		Components  []component
	}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&bill); err != nil {
		t.Fatal(err)
	}
	if bill.Format != "CycloneDX" || bill.SpecVersion != "1.6" || bill.Version != 1 {
		t.Errorf("the bill is of %s %s, version %d", bill.Format, bill.SpecVersion, bill.Version)
	}
	if c := bill.Metadata.Component; c.Type != "application" || c.Name != "geodeck" || c.Version != version {
		t.Errorf("the bill is of %v", c)
	}
	want := []string{"std " + strings.TrimPrefix(strings.Fields(info.GoVersion)[0], "go") + " "}
	for _, module := range info.Deps {
		want = append(want, module.Path+" "+module.Version+" "+module.Sum)
	}
	var got []string
	for _, c := range bill.Components {
		sum := ""
		for _, property := range c.Properties {
			if property.Name == "go:sum" {
				sum = property.Value
			}
		}
		got = append(got, c.Name+" "+c.Version+" "+sum)
		purl := "pkg:golang/" + c.Name + "@" + strings.ReplaceAll(c.Version, "+", "%2B")
		if c.Type != "library" || c.PURL != purl || c.Ref != purl {
			t.Errorf("the bill has %v", c)
		}
	}
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Errorf("the bill does not have what the program has:\n%s", diff)
	}
}

// checkRun runs the program of the package: its version, and that all that stands beside it is what it writes today.
func checkRun(t *testing.T, all map[string]entry, version string, settings map[string]string) {
	home := t.TempDir()
	program := filepath.Join(home, "geodeck")
	if err := os.WriteFile(program, all["geodeck"].body, 0o755); err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) string {
		cmd := exec.Command(program, args...)
		cmd.Env = []string{"HOME=" + home, "PATH=/nowhere"}
		var said bytes.Buffer
		cmd.Stderr = &said
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("geodeck %s: %v\n%s", strings.Join(args, " "), err, said.String())
		}
		return string(out)
	}
	want := "geodeck " + version + " "
	if revision := settings["vcs.revision"]; revision != "" {
		want += revision[:8] + " " + settings["vcs.time"] + " "
	}
	got := run("version")
	if !strings.HasPrefix(got, want) || !strings.HasSuffix(got, " "+runtime.GOOS+"/"+runtime.GOARCH+"\n") {
		t.Errorf("geodeck version prints %q, want %q and Go and platform", got, want)
	}
	if run("version", "--sbom") != string(all["geodeck.cdx.json"].body) {
		t.Error("geodeck version --sbom prints another bill of materials than that of the package")
	}
	for _, shell := range []string{"bash", "zsh", "fish"} {
		if run("completion", shell) != string(all["completions/geodeck."+shell].body) {
			t.Errorf("geodeck completion %s prints another file than that of the package", shell)
		}
	}
	pages := filepath.Join(home, "man")
	run("man", pages)
	var missing []string
	for name, e := range all {
		if below, ok := strings.CutPrefix(name, "man/"); ok {
			page, err := os.ReadFile(filepath.Join(pages, strings.TrimSuffix(below, ".gz")))
			if err != nil || string(page) != unzipped(t, e.body) {
				missing = append(missing, below)
			}
			os.Remove(filepath.Join(pages, strings.TrimSuffix(below, ".gz")))
		}
	}
	left, _ := os.ReadDir(pages)
	if len(missing)+len(left) != 0 {
		t.Errorf("the program writes other man pages: %v, and %v, which the package lacks", missing, left)
	}
}

func read(t *testing.T, folder fs.FS, name string) []byte {
	t.Helper()
	raw, err := fs.ReadFile(folder, name)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func unzipped(t *testing.T, raw []byte) string {
	r, err := gzip.NewReader(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	if !r.ModTime.IsZero() || r.Name != "" {
		t.Errorf("a man page has the time %v and the name %q", r.ModTime, r.Name)
	}
	page, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(page)
}

func (e entry) String() string { return fmt.Sprintf("%v %d bytes", e.mode, len(e.body)) }
