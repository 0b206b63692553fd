package packages

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strconv"
	"strings"
	"testing"
	"time"
)

// entry is a file or a folder in a package.
type entry struct {
	mode  fs.FileMode // with the bit of a folder
	mtime time.Time
	owner string // user and group, as the package names them
	body  []byte
}

// archived are the entries of a package by their path, without a slash at either end, and what it runs as it is
// installed or removed, by name.
type archived struct {
	entries map[string]entry
	scripts []string
}

// unpack reads a package by the end of its name. It needs none of the programs that make or install packages.
func unpack(name string, raw []byte) (archived, error) {
	switch {
	case strings.HasSuffix(name, ".tar.gz"):
		entries, err := unpackTar(raw)
		return archived{entries: entries}, err
	case strings.HasSuffix(name, ".deb"):
		return unpackDeb(raw)
	case strings.HasSuffix(name, ".rpm"):
		return unpackRPM(raw)
	case strings.HasSuffix(name, ".apk"):
		return unpackAPK(raw)
	}
	return archived{}, errors.New("no package of ours has such a name")
}

// unpackTar reads gzip around tar. What is appended to either goes on where the first ended, as that of an apk does.
func unpackTar(raw []byte) (map[string]entry, error) {
	plain, err := gzip.NewReader(bytes.NewReader(raw))
	if err != nil {
		return nil, err
	}
	entries := map[string]entry{}
	for r := tar.NewReader(plain); ; {
		header, err := r.Next()
		if errors.Is(err, io.EOF) {
			return entries, nil
		}
		if err != nil {
			return nil, err
		}
		body, err := io.ReadAll(r)
		if err != nil {
			return nil, err
		}
		name := strings.Trim(path.Clean("/"+header.Name), "/")
		if _, twice := entries[name]; twice {
			return nil, fmt.Errorf("%s is there twice", name)
		}
		if name != "" {
			owner := fmt.Sprintf("%d:%d %s:%s", header.Uid, header.Gid, header.Uname, header.Gname)
			entries[name] = entry{header.FileInfo().Mode(), header.ModTime, owner, body}
		}
	}
}

// unpackDeb reads an archive of ar: a version, what dpkg reads, and the files.
func unpackDeb(raw []byte) (archived, error) {
	members, rest := map[string][]byte{}, bytes.TrimPrefix(raw, []byte("!<arch>\n"))
	for len(rest) >= 60 {
		name, sized := strings.TrimRight(string(rest[:16]), " /"), strings.TrimSpace(string(rest[48:58]))
		size, err := strconv.Atoi(sized)
		if err != nil || 60+size > len(rest) {
			return archived{}, fmt.Errorf("%s has the size %s", name, sized)
		}
		members[name] = rest[60 : 60+size]
		rest = rest[min(len(rest), 60+size+size%2):]
	}
	control, err := unpackTar(members["control.tar.gz"])
	if err != nil {
		return archived{}, fmt.Errorf("control.tar.gz: %w", err)
	}
	var out archived
	for name := range control {
		if name != "control" && name != "md5sums" {
			out.scripts = append(out.scripts, name)
		}
	}
	out.entries, err = unpackTar(members["data.tar.gz"])
	return out, err
}

// unpackAPK reads what apk is told, whose names begin with a point, and the files.
func unpackAPK(raw []byte) (archived, error) {
	entries, err := unpackTar(raw)
	out := archived{entries: entries}
	for name := range entries {
		if strings.HasPrefix(name, ".") {
			delete(entries, name)
			if name != ".PKGINFO" {
				out.scripts = append(out.scripts, name)
			}
		}
	}
	return out, err
}

// unpackRPM reads a lead of 96 bytes, two headers, and cpio. A header is 16 bytes with the sizes of its index and of its
// texts, and these.
func unpackRPM(raw []byte) (archived, error) {
	var out archived
	var mtimes []byte // of the files in the order of cpio, which has none
	at := 96
	for header := range 2 {
		at += -at & 7 // only the first may end between eight bytes
		if len(raw) < at+16 || !bytes.HasPrefix(raw[at:], []byte{0x8e, 0xad, 0xe8, 1}) {
			return out, errors.New("a header is missing")
		}
		tags, texts := int(binary.BigEndian.Uint32(raw[at+8:])), int(binary.BigEndian.Uint32(raw[at+12:]))
		out.scripts = nil
		if tags+texts > len(raw) || len(raw) < at+16+16*tags+texts {
			return out, errors.New("a header ends too soon")
		}
		for i := range tags {
			tag := binary.BigEndian.Uint32(raw[at+16+16*i:])
			offset := int(binary.BigEndian.Uint32(raw[at+24+16*i:]))
			value := raw[at+16+16*tags+min(offset, texts):]
			switch {
			case header == 0: // of signatures, whose tags are others
			case tag == 1007:
				if !bytes.HasPrefix(value, []byte("localhost\x00")) {
					return out, errors.New("it names the machine that built it")
				}
			case tag == 1034:
				mtimes = value
			}
			// The tags of scripts, of those at triggers and of those at transactions.
			if tag >= 1023 && tag <= 1026 || tag >= 1065 && tag <= 1069 || tag >= 1151 && tag <= 1154 {
				out.scripts = append(out.scripts, fmt.Sprintf("tag %d", tag))
			}
		}
		at += 16 + 16*tags + texts
	}
	plain, err := gzip.NewReader(bytes.NewReader(raw[at:]))
	if err != nil {
		return out, err
	}
	payload, err := io.ReadAll(plain)
	if err != nil {
		return out, err
	}
	out.entries, err = unpackCPIO(payload, mtimes)
	return out, err
}

// unpackCPIO reads the form "newc": numbers of eight hexadecimal digits, name and body at four bytes each. The time of
// an entry is the next of mtimes.
func unpackCPIO(raw, mtimes []byte) (map[string]entry, error) {
	entries := map[string]entry{}
	for at := 0; at+110 <= len(raw); {
		var numbers [13]int
		for i := range numbers {
			n, err := strconv.ParseUint(string(raw[at+6+8*i:at+14+8*i]), 16, 32)
			if err != nil {
				return nil, err
			}
			numbers[i] = int(n)
		}
		mode, uid, gid, size, named := numbers[1], numbers[2], numbers[3], numbers[6], numbers[11]
		body := (at + 110 + named + 3) &^ 3
		if body+size > len(raw) || named == 0 {
			return nil, errors.New("cpio ends too soon")
		}
		name := string(raw[at+110 : at+110+named-1])
		if name == "TRAILER!!!" {
			return entries, nil
		}
		kept := fs.FileMode(mode & 0o777)
		if mode&0o170000 == 0o040000 {
			kept |= fs.ModeDir
		}
		if len(mtimes) < 4 {
			return nil, errors.New("the header has too few times")
		}
		mtime := int64(binary.BigEndian.Uint32(mtimes))
		mtimes = mtimes[4:]
		name = strings.Trim(path.Clean("/"+name), "/")
		entries[name] = entry{kept, time.Unix(mtime, 0), fmt.Sprintf("%d:%d", uid, gid), raw[body : body+size]}
		at = (body + size + 3) &^ 3
	}
	return nil, errors.New("cpio has no end")
}

func TestWhatIsNoPackageIsRefused(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"a.tar.gz", "a.deb", "a.rpm", "a.apk", "a.zip"} {
		for _, raw := range []string{"", "text", "!<arch>\n" + strings.Repeat("9", 60)} {
			if _, err := unpack(name, []byte(raw)); err == nil {
				t.Errorf("%s of %q has no error", name, raw)
			}
		}
	}
}
