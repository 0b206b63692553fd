package journal_test

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/journal"
)

func TestNobodyElseCanReadAJournalWhateverTheUmask(t *testing.T) {
	for _, umask := range []int{0o000, 0o022, 0o277} {
		folder := place(t)
		if err := os.MkdirAll(filepath.Dir(folder), 0o700); err != nil { // not ours to make usable
			t.Fatal(err)
		}
		before := syscall.Umask(umask)
		j, err := journal.Open(folder, site)
		if err == nil {
			err = j.BeforeWrite(write(1, nil))
		}
		if err == nil {
			_, err = j.SaveDraft("k", "key", 1)
		}
		syscall.Umask(before)
		if err != nil {
			t.Fatalf("umask %03o: %v", umask, err)
		}
		wantPrivate(t, folder, 6)
	}
}

func TestRightsOfOthersAreRemoved(t *testing.T) {
	t.Parallel()
	folder := place(t)
	j := open(t, folder)
	begin(t, j, write(1, nil))
	for path, mode := range map[string]fs.FileMode{j.Folder(): 0o777, logOf(j): 0o666} {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
	}
	begin(t, open(t, folder), write(2, nil))
	wantPrivate(t, folder, 3)
}

// saved is why a draft could not be saved.
func saved(j *journal.Journal) error {
	_, err := j.SaveDraft("k", "key", 1)
	return err
}

func wantPrivate(t *testing.T, folder string, atLeast int) {
	t.Helper()
	seen := 0
	err := filepath.WalkDir(folder, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		seen++
		want := fs.FileMode(0o600)
		if entry.IsDir() {
			want = 0o700
		}
		if info.Mode().Perm() != want {
			t.Errorf("%s has mode %03o", name, info.Mode().Perm())
		}
		return nil
	})
	if err != nil || seen < atLeast {
		t.Errorf("saw %d files, %v", seen, err)
	}
}

func TestALinkInThePlaceOfAFileIsNotFollowed(t *testing.T) {
	t.Parallel()
	victim := filepath.Join(t.TempDir(), "victim")
	if err := os.WriteFile(victim, []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	plant := func(path string) {
		t.Helper()
		if err := os.RemoveAll(path); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(victim, path); err != nil {
			t.Fatal(err)
		}
	}
	j := open(t, place(t))
	draft := saveOne(t, j)
	plant(draft)
	wantSentence(t, saved(j), "symbolic link")
	_, _, err := load(j, "k", "key", new(int))
	wantSentence(t, err, "symbolic link")
	plant(filepath.Dir(draft))
	wantSentence(t, saved(j), "symbolic link")
	plant(logOf(j))
	wantSentence(t, j.BeforeWrite(write(1, nil)), "symbolic link")
	_, err = j.Actions(0)
	wantSentence(t, err, "symbolic link")
	plant(filepath.Join(j.Folder(), "lock"))
	wantSentence(t, j.BeforeWrite(write(1, nil)), "symbolic link")
	plant(j.Folder())
	_, err = journal.Open(filepath.Dir(j.Folder()), site)
	wantSentence(t, err, "symbolic link")
	if content, err := os.ReadFile(victim); err != nil || string(content) != "mine" {
		t.Errorf("the file behind the link: %q, %v", content, err)
	}
}

// What replaces a file has a new one behind its name: another name of the old one keeps what
// it has.
func TestAHardLinkInThePlaceOfAFileIsNotWrittenThrough(t *testing.T) {
	t.Parallel()
	victim := filepath.Join(t.TempDir(), "victim")
	plant := func(path string) {
		t.Helper()
		if err := os.WriteFile(victim, []byte("mine"), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		if err := os.Link(victim, path); err != nil {
			t.Fatal(err)
		}
	}
	j := open(t, place(t))
	draft := saveOne(t, j)
	backup := filepath.Join(j.Folder(), "backups")
	if _, err := j.SaveBackup(kind, key, []byte(`{"a":1}`), "me", "before an edit"); err != nil {
		t.Fatal(err)
	}
	planted := 0
	err := filepath.WalkDir(backup, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() && filepath.Ext(path) == ".json" { // the list of them is appended to, as the log is
			plant(path)
			planted++
		}
		return err
	})
	if err != nil || planted == 0 {
		t.Fatal(planted, err)
	}
	_, _ = j.SaveBackup(kind, key, []byte(`{"a":1}`), "me", "before an edit")
	if content, err := os.ReadFile(victim); err != nil || string(content) != "mine" {
		t.Errorf("a backup: %q, %v", content, err)
	}
	plant(draft)
	_, err = j.SaveDraft("k", "key", answers{"another text", 2})
	if content, e := os.ReadFile(victim); e != nil || string(content) != "mine" {
		t.Errorf("a draft: %q, %v, after %v", content, e, err)
	}
}

func TestAPipeInThePlaceOfTheLogDoesNotHang(t *testing.T) {
	t.Parallel()
	j := open(t, place(t))
	if err := syscall.Mkfifo(logOf(j), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := j.Actions(0) // opening a pipe to read waits for a writer
	wantSentence(t, err, "not a regular file")
	wantSentence(t, j.BeforeWrite(write(1, nil)), "not a regular file")
}

func TestFoldersThatCannotHoldAJournalAreRefusedInASentence(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file, link, shared, foreign := filepath.Join(dir, "file"), filepath.Join(dir, "link"), filepath.Join(dir, "shared"), filepath.Join(dir, "foreign")
	group := filepath.Join(dir, "group")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{shared, group, foreign} {
		if err := os.Mkdir(name, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(os.Chmod(shared, 0o777), os.Chmod(group, 0o770)); err != nil {
		t.Fatal(err)
	}
	refused := map[string]string{
		file: "the state folder is a file, not a folder: " + file, filepath.Join(file, "x"): "part of the path of the state folder is a file, not a folder: " + file + "/x",
		link: "the state folder is a symbolic link; links are not followed: " + link, shared: "others may write to the state folder", group: "others may write to the state folder", "": "no state folder is given",
		"/proc/geodeck": "the state folder cannot be created: /proc/geodeck",
	}
	if os.Geteuid() == 0 {
		if err := os.Chown(foreign, 65534, 65534); err != nil {
			t.Fatal(err)
		}
		refused[foreign] = "the state folder belongs to another user: " + foreign
	} else if err := os.Chmod(foreign, 0o500); err == nil {
		refused[foreign] = "you may not read or write"
	}
	for folder, words := range refused {
		_, err := journal.Open(folder, site)
		wantSentence(t, err, words)
	}
	for _, folder := range []string{file, link, shared, group} { // nor is what others may have put there read
		_, err := journal.OpenExisting(folder, site)
		wantSentence(t, err, refused[folder])
		_, err = journal.OpenAll(folder)
		wantSentence(t, err, refused[folder])
	}
}

// What is told of files of a journal holds wherever it is read.
func TestARelativeStateFolderIsNamedWhole(t *testing.T) {
	t.Chdir(t.TempDir())
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	if j := open(t, "state"); !strings.HasPrefix(j.Folder(), here+"/state/gis.example.org-ctx-") {
		t.Errorf("it is %s", j.Folder())
	}
}

func TestEverySiteHasAJournalOfItsOwn(t *testing.T) {
	t.Parallel()
	folder := place(t)
	at := func(site string) string {
		t.Helper()
		j, err := journal.Open(folder, site)
		if err != nil {
			t.Fatal(err)
		}
		return filepath.Base(j.Folder())
	}
	name := at(site)
	if !strings.HasPrefix(name, "gis.example.org-ctx-") {
		t.Errorf("nobody can read %q", name)
	}
	for _, same := range []string{"HTTPS://GIS.example.org:443/ctx/", " https://gis.example.org/ctx"} {
		if at(same) != name {
			t.Errorf("%q has another folder: %s", same, at(same))
		}
	}
	for _, other := range []string{"https://gis.example.org/CTX", "https://gis.example.org", "http://gis.example.org/ctx", "https://gis.example.org:8443/ctx", "https://gis.example.org/../.."} {
		if at(other) == name {
			t.Errorf("%q shares the folder", other)
		}
	}
	if got := at("https://user:" + canary + "@gis.example.org/ctx?token=" + canary); got != name {
		t.Errorf("a password is a part of the site: %s", got)
	}
	for _, none := range []string{"", "gis.example.org", "//gis.example.org/ctx", "https://", "\x00"} {
		_, err := journal.Open(folder, none)
		wantSentence(t, err, "https://host/context")
	}
}

func TestTheSiteOfAnAdministrativeRoot(t *testing.T) {
	t.Parallel()
	for base, want := range map[string]string{
		"https://gis.example.org/ctx/admin":          "https://gis.example.org/ctx",
		"https://gis.example.org/admin":              "https://gis.example.org",
		"https://GIS.example.org/a/admin/b/admin":    "https://gis.example.org/a/admin/b",
		"https://gis.example.org:8443/administrator": "https://gis.example.org:8443/administrator",
	} {
		u, err := url.Parse(base)
		if err != nil {
			t.Fatal(err)
		}
		if got := journal.SiteOf(u); got != want {
			t.Errorf("%s: got %s, want %s", base, got, want)
		}
	}
}

func TestTheDefaultFolderIsThatForState(t *testing.T) {
	t.Parallel()
	for want, env := range map[string]map[string]string{
		"/state/geodeck":                 {"XDG_STATE_HOME": "/state", "HOME": "/home/me"},
		"/home/me/.local/state/geodeck":  {"HOME": "/home/me"},
		"/home/you/.local/state/geodeck": {"XDG_STATE_HOME": "relative", "HOME": "/home/you"},
	} {
		if got, err := journal.DefaultFolder(func(name string) string { return env[name] }); err != nil || got != want {
			t.Errorf("got %s, %v, want %s", got, err, want)
		}
	}
	_, err := journal.DefaultFolder(func(string) string { return "" })
	wantSentence(t, err, "no place for the state folder")
}

func TestAThrowawayJournalLeavesNothing(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	j, err := journal.OpenThrowaway()
	if err != nil {
		t.Fatal(err)
	}
	begin(t, j, write(1, nil))
	for range 2 {
		if err := j.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if left, err := os.ReadDir(os.TempDir()); err != nil || len(left) != 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	wantSentence(t, j.BeforeWrite(write(2, nil)), "closed")
	_, err = j.Actions(0)
	wantSentence(t, err, "closed")
}

// A record that cannot be read, or that does not say whose it is, is not left out of the list of all.
func TestEveryRecordOfAStateFolderIsFound(t *testing.T) {
	t.Parallel()
	folder := place(t)
	made := func(site string) *journal.Journal {
		t.Helper()
		j, err := journal.Open(folder, site, journal.WithoutSync())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = j.Close() })
		return j
	}
	first := made(site)
	begin(t, first, write(1, nil))
	first.AfterWrite(write(1, nil), adminapi.OutcomeDone, nil)
	made("https://none.example.org") // nothing was sent there
	begin(t, made("https://nameless.example.org"), write(1, nil))
	nameless := logOf(made("https://nameless.example.org"))
	put(t, nameless, strings.Replace(contentOf(t, nameless), "https://nameless.example.org", "nowhere", 1))
	if err := os.Symlink("/etc/passwd", logOf(made("https://linked.example.org"))); err != nil {
		t.Fatal(err)
	}
	all, err := journal.OpenAll(folder)
	if err != nil || len(all) != 3 {
		t.Fatalf("%d are found, %v", len(all), err)
	}
	found := map[string]string{}
	for _, j := range all {
		records, err := j.Actions(0)
		said := fmt.Sprint(len(records))
		if err != nil {
			said = err.Error()
		}
		found[strings.SplitN(filepath.Base(j.Folder()), ".", 2)[0]+" "+j.Site()] = said
	}
	if found["gis "+site] != "1" || found["nameless "] != "1" || !strings.Contains(found["linked "], "symbolic link") {
		t.Errorf("%q", found)
	}
}

// A crash report is as private as the journals: in a folder of others it would not be.
func TestACrashReportIsNotLeftWhereOthersMayWrite(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	at := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		mode   fs.FileMode
		inside bool
	}{{0o700, true}, {0o777, false}} {
		if err := os.Chmod(folder, c.mode); err != nil {
			t.Fatal(err)
		}
		path, err := journal.SaveCrash(folder, at, []byte("it has crashed"))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = os.Remove(path) })
		info, err := os.Stat(path)
		if err != nil || info.Mode() != 0o600 || contentOf(t, path) != "it has crashed" || (filepath.Dir(path) == folder) != c.inside {
			t.Errorf("with mode %o it is at %s: %v, %v", c.mode, path, info, err)
		}
	}
}

// Some network file systems cannot make the names of a folder last, and say so in one of two ways.
func TestAFolderThatCannotBeSyncedIsUsed(t *testing.T) {
	t.Parallel()
	for _, errno := range []syscall.Errno{syscall.EINVAL, syscall.ENOTSUP} {
		j := open(t, place(t))
		journal.BetweenDisk(t, j, func(step, path string) error {
			if info, err := os.Stat(path); step == "sync" && err == nil && info.IsDir() {
				return &fs.PathError{Op: "sync", Path: path, Err: errno}
			}
			return nil
		})
		begin(t, j, write(1, nil))
		saveOne(t, j)
		wantIntact(t, j)
	}
}
