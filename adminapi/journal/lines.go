package journal

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"geodeck/adminapi/pattern"
	"geodeck/adminapi/secrets"
)

// maxLine bounds what is written or read as one line, in bytes.
const maxLine = 16 << 20

// appendLine appends the line that compose returns for the last line (nil in an empty file),
// and returns when it is on disk. A line that a crash has cut off is removed first: the call
// that wrote it never returned. The lock must be held.
func (d disk) appendLine(path string, compose func(last []byte) ([]byte, error)) error {
	f, err := d.openPrivate(path, os.O_RDWR|os.O_CREATE)
	if err != nil {
		return err
	}
	defer f.Close()
	last, end, err := lastLine(f)
	if err != nil {
		return explain(path, err)
	}
	line, err := compose(last)
	if err != nil {
		return err
	}
	if len(line) >= maxLine {
		return fmt.Errorf("the record is too long to save: %d bytes", len(line))
	}
	if end == 0 { // first: the next line does not know whether the name of the file was synced
		if err := d.syncFolder(filepath.Dir(path)); err != nil {
			return err
		}
	}
	return explain(path, d.writeFrom(f, end, writing(append(line, '\n'))))
}

// writeFrom replaces everything behind end by what write writes, and returns when it is on
// disk. After a failure the file ends at end.
func (d disk) writeFrom(f File, end int64, write func(io.Writer) error) error {
	err := f.Truncate(end)
	if err == nil {
		err = write(io.NewOffsetWriter(f, end))
	}
	if err == nil && !d.noSync {
		err = f.Sync()
	}
	if err != nil {
		_ = f.Truncate(end) // if this fails too, a cut line is left
	}
	return err
}

// lastOf returns the last whole line of a file, nil where there is none.
func (d disk) lastOf(path string) ([]byte, error) {
	f, err := d.openPrivate(path, os.O_RDONLY)
	if absent(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	line, _, err := lastLine(f)
	return line, explain(path, err)
}

// lastLine returns the last whole line and its end.
func lastLine(f File) (line []byte, end int64, err error) {
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, 0, err
	}
	for back := int64(8 << 10); ; back *= 4 {
		from := max(0, size-back)
		tail := make([]byte, size-from)
		if _, err := f.ReadAt(tail, from); err != nil {
			return nil, 0, err
		}
		whole := bytes.LastIndexByte(tail, '\n')
		start := bytes.LastIndexByte(tail[:max(0, whole)], '\n')
		switch {
		case whole >= 0 && (start >= 0 || from == 0):
			return tail[start+1 : whole], from + int64(whole) + 1, nil
		case from == 0:
			return nil, 0, nil
		case back > 4*maxLine:
			return nil, 0, failed(nil, "the end of the file is damaged: %s", f.Name())
		}
	}
}

// eachLine calls visit with every whole line and its number from 1, until visit returns
// false. The line is valid during the call; one that is too long comes as nil. A file that
// does not exist has no lines.
func (d disk) eachLine(path string, visit func(number int, line []byte) bool) error {
	f, err := d.openPrivate(path, os.O_RDONLY)
	if absent(err) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	return explain(path, linesIn(f, visit))
}

// linesIn is eachLine of an open file.
func linesIn(from io.Reader, visit func(number int, line []byte) bool) error {
	in := bufio.NewReaderSize(from, 16<<10)
	var room []byte
	for number := 1; ; number++ {
		line, err := readLine(in, room)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if !visit(number, line) {
			return nil
		}
		room = line
	}
}

// readLine returns the next whole line without its end, in room where it fits; io.EOF where
// there is none, also where a part of one is left.
func readLine(in *bufio.Reader, room []byte) ([]byte, error) {
	line := room[:0]
	tooLong := false
	for {
		part, err := in.ReadSlice('\n')
		if tooLong = tooLong || len(line)+len(part) > maxLine; !tooLong {
			line = append(line, part...)
		}
		switch {
		case err == bufio.ErrBufferFull:
		case err != nil:
			return nil, err
		case tooLong:
			return nil, nil
		default:
			return line[:len(line)-1], nil
		}
	}
}

const (
	maxValue      = 200 // bytes of a field that is stored as it is
	minSecret     = 4   // bytes; masking every "a" of a sentence would reveal more than it hides
	minHiddenText = 24  // bytes of a text in a hidden value that is masked in an error
)

// Values of these are stored as their checksum, whatever their length. Values of secrets are too
// easy to guess for that.
var hiddenNames = pattern.New(`(?i)settings|licen[cs]e|definition|certificate|manifest|^service(json)?$`)

// maskText masks what looks like a secret in any text.
func maskText(text string) string {
	return strings.ToValidUTF8((&secrets.ByName{Kept: true}).Text(text), "\uFFFD")
}

// storable returns fields as the log may hold them.
func storable(fields url.Values) url.Values {
	if len(fields) == 0 {
		return nil
	}
	kept := make(url.Values, len(fields))
	for name, values := range fields {
		shown := strings.ToValidUTF8(name, "\uFFFD")
		for _, value := range values {
			kept[shown] = append(kept[shown], storableValue(name, value))
		}
	}
	return kept
}

func storableValue(name, value string) string {
	switch {
	case value == "":
		return ""
	case secrets.IsName(name):
		return secrets.Mask
	case isHidden(name, value):
		return fmt.Sprintf("sha256:%s (%d bytes)", hashOf([]byte(value)), len(value))
	}
	return maskText(value)
}

// isHidden reports whether a value is stored as its checksum. Of a file there is a description only,
// see [adminapi.Write]: the checksum of that would be taken for the file's.
func isHidden(name, value string) bool {
	return len(value) > maxValue || hiddenNames().MatchString(name) && !fileDescription().MatchString(value)
}

var fileDescription = pattern.New(`^file( .*)?, \d+ bytes$`)

// secretsIn collects what an error must not repeat: hidden values, and the texts in them that
// are secrets by name or by length.
func secretsIn(fields url.Values) []string {
	var found []string
	for name, values := range fields {
		for _, value := range values {
			switch {
			case secrets.IsName(name):
				found = append(found, value)
			case isHidden(name, value):
				found = append(found, value)
				var document any
				if json.Unmarshal([]byte(value), &document) == nil {
					found = collect(found, "", document)
				}
			}
		}
	}
	found = slices.DeleteFunc(found, func(s string) bool { return len(s) < minSecret })
	slices.SortFunc(found, func(a, b string) int { return len(b) - len(a) })
	return found
}

// collect adds the secret texts of a JSON value.
func collect(found []string, name string, value any) []string {
	switch v := value.(type) {
	case map[string]any:
		for member, inner := range v {
			found = collect(found, member, inner)
		}
	case []any:
		for _, inner := range v {
			found = collect(found, name, inner)
		}
	case string:
		if len(v) >= minHiddenText || secrets.IsName(name) || hiddenNames().MatchString(name) {
			found = append(found, v)
		}
	}
	return found
}

// without masks the given secrets, the longest first, and what looks like one.
func without(found []string, text string) string {
	for _, secret := range found {
		text = strings.ReplaceAll(text, secret, secrets.Mask)
	}
	return maskText(text)
}
