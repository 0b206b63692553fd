package memdisk_test

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"geodeck/adminapi/journal"
	"geodeck/adminapi/journal/memdisk"
)

// user does the same things to one of two file systems, and says what came of each.
type user struct {
	journal.Files
	folder string
	open   [5]journal.File
}

// said are an error's number and the kind of its type, in words that both file systems have.
func said(err error) string {
	errno := syscall.Errno(0)
	path, link := (*fs.PathError)(nil), (*os.LinkError)(nil)
	switch {
	case err == nil:
		return "done"
	case errors.As(err, &path) && errors.As(err, &errno):
		return "path " + errno.Error()
	case errors.As(err, &link) && errors.As(err, &errno):
		return "link " + errno.Error()
	case errors.Is(err, fs.ErrClosed):
		return "closed"
	case path != nil:
		return path.Err.Error()
	}
	return err.Error()
}

func described(info fs.FileInfo, err error) string {
	if err != nil {
		return said(err)
	}
	if info.IsDir() {
		return info.Mode().String()
	}
	return fmt.Sprint(info.Mode(), info.Size())
}

func chosen[T any](r *rand.Rand, of ...T) T { return of[r.IntN(len(of))] }

// step does one thing, and returns what was done and what came of it.
func (u *user) step(r *rand.Rand) (did, got string) {
	path := func() (string, string) {
		name := chosen(r, "a", "b", "c", "d", "d/a", "d/b", "d/e", "d/e/a", "a/x", "none/x", "d/../b", "d/", strings.Repeat("n", 300))
		return name, u.folder + "/" + name
	}
	slot := r.IntN(len(u.open))
	if f := u.open[slot]; f != nil {
		switch act := r.IntN(12); act {
		case 0:
			into := make([]byte, r.IntN(9))
			n, err := f.Read(into)
			return fmt.Sprint("read ", slot, len(into)), fmt.Sprintf("%q %s", into[:n], said(err))
		case 1:
			into, at := make([]byte, 1+r.IntN(9)), int64(r.IntN(14)-1)
			n, err := f.ReadAt(into, at)
			return fmt.Sprint("read ", slot, len(into), at), fmt.Sprintf("%q %s", into[:n], said(err))
		case 2, 3:
			data := strings.Repeat(chosen(r, "x", "y", "z"), r.IntN(6))
			n, err := f.Write([]byte(data))
			return fmt.Sprint("write ", slot, data), fmt.Sprint(n, said(err))
		case 4:
			data, at := strings.Repeat(chosen(r, "u", "v"), 1+r.IntN(6)), int64(r.IntN(14)-1)
			n, err := f.WriteAt([]byte(data), at)
			return fmt.Sprint("write ", slot, data, at), fmt.Sprint(n, said(err))
		case 5:
			at, whence := int64(r.IntN(12)-4), chosen(r, io.SeekStart, io.SeekCurrent, io.SeekEnd)
			if info, err := f.Stat(); err == nil && info.IsDir() {
				return "", ""
			}
			n, err := f.Seek(at, whence)
			return fmt.Sprint("seek ", slot, at, whence), fmt.Sprint(n, said(err))
		case 6:
			size := int64(r.IntN(12) - 1)
			return fmt.Sprint("truncate ", slot, size), said(f.Truncate(size))
		case 7:
			return fmt.Sprint("stat ", slot), described(f.Stat())
		case 8:
			if info, err := f.Stat(); err != nil || info.IsDir() {
				return "", ""
			}
			mode := chosen[fs.FileMode](r, 0o600, 0o640, 0o666)
			return fmt.Sprint("chmod ", slot, mode), said(f.Chmod(mode))
		case 9, 10:
			how := chosen(r, unix.LOCK_EX, unix.LOCK_SH, unix.LOCK_UN)
			return fmt.Sprint("lock ", slot, how), said(f.Lock(how))
		default:
			err := f.Close()
			if r.IntN(4) > 0 { // else it is used although it is closed
				u.open[slot] = nil
			}
			return fmt.Sprint("close ", slot), said(err)
		}
	}
	name, at := path()
	switch r.IntN(16) {
	case 0:
		return "lstat " + name, described(u.Lstat(at))
	case 1, 2:
		return "mkdir " + name, said(u.Mkdir(at, 0o700))
	case 3:
		return "mkdirall " + name, said(u.MkdirAll(at, 0o700))
	case 4:
		entries, err := u.ReadDir(at)
		return "readdir " + name, fmt.Sprint(entries, said(err))
	case 5:
		mode := fs.FileMode(0o600)
		if info, err := u.Lstat(at); err == nil && info.IsDir() {
			mode = 0o700
		}
		mode |= chosen[fs.FileMode](r, 0, 0o40)
		return fmt.Sprint("chmod ", name, mode), said(u.Chmod(at, mode))
	case 6, 7:
		other, to := path()
		return "rename " + name + " " + other, said(u.Rename(strings.TrimSuffix(at, "/"), strings.TrimSuffix(to, "/")))
	case 8, 9:
		return "remove " + name, said(u.Remove(at))
	case 10:
		f, err := u.CreateTemp(filepath.Dir(at), chosen(r, "t-*.x", ".t", "a/t"))
		if err != nil {
			return "createtemp " + name, said(err)
		}
		u.open[slot] = f
		kind, _ := filepath.Match("t-[0-9]*.x", filepath.Base(f.Name()))
		renamed := u.Rename(f.Name(), u.folder+"/b")
		if renamed != nil {
			_ = u.Remove(f.Name())
		}
		return "createtemp " + name, fmt.Sprint(kind, said(renamed))
	case 11:
		one, err := u.Lstat(at)
		other, to := path()
		two, also := u.Lstat(to)
		return "same " + name + " " + other, fmt.Sprint(err == nil && also == nil && u.SameFile(one, two), err == nil && u.Owned(one))
	default:
		flags := chosen(r, os.O_RDONLY, os.O_RDWR, os.O_RDWR, os.O_WRONLY) | chosen(r, 0, os.O_CREATE, os.O_CREATE, os.O_CREATE|os.O_EXCL) | chosen(r, 0, 0, os.O_TRUNC, os.O_APPEND)
		f, err := u.Open(at, flags, 0o600)
		if err == nil {
			u.open[slot] = f
		}
		return fmt.Sprintf("open %s %x in %d", name, flags, slot), said(err)
	}
}

// 70 ms: most of it is the file system of the machine.
func TestADiskInMemoryDoesWhatTheFileSystemOfTheMachineDoes(t *testing.T) {
	t.Parallel()
	for seed := range uint64(2) {
		folder := t.TempDir()
		disk := memdisk.New(noon, folder)
		real, memory := &user{Files: journal.SystemFiles{}, folder: folder}, &user{Files: disk.Program(), folder: folder}
		one, two := rand.New(rand.NewPCG(seed, 1)), rand.New(rand.NewPCG(seed, 1))
		var history []string
		for range 500 {
			did, want := real.step(one)
			_, got := memory.step(two)
			history = append(history, did+": "+want)
			if got != want {
				t.Fatalf("seed %d: %s: got %s, want %s, after\n%s", seed, did, got, want, strings.Join(history[max(0, len(history)-25):], "\n"))
			}
		}
		for _, f := range real.open {
			if f != nil {
				_ = f.Close()
			}
		}
		compareTrees(t, disk, folder)
	}
}

// compareTrees compares what is on a disk with what is in a folder of the machine.
func compareTrees(t *testing.T, disk *memdisk.Disk, folder string) {
	t.Helper()
	files, modes := disk.Files(), disk.Modes()
	count := 0
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || path == folder {
			return err
		}
		count++
		info, err := entry.Info()
		if err != nil {
			return err
		}
		if modes[path] != info.Mode() {
			t.Errorf("%s has the mode %v, want %v", path, modes[path], info.Mode())
		}
		if entry.IsDir() {
			return nil
		}
		content, err := os.ReadFile(path)
		if string(files[path]) != string(content) {
			t.Errorf("%s holds %q, want %q", path, files[path], content)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for path := range modes {
		if strings.HasPrefix(path, folder+"/") {
			count--
		}
	}
	if count != 0 {
		t.Errorf("the machine has %d more", count)
	}
}
