package journal

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// longestLine is the most that is written or read as one line.
const longestLine = 16 << 20

// appendLine adds the line that compose makes, given the last one before it
// (nil in an empty file), and returns when it is on disk. A line that was cut
// off by a crash is removed first: the call that wrote it has never returned.
// What fails halfway is taken back. The lock must be held.
func appendLine(path string, compose func(last []byte) ([]byte, error)) error {
	f, err := openPrivate(path, os.O_RDWR|os.O_CREATE)
	if err != nil {
		return explain(path, err)
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
	if len(line) >= longestLine {
		return fmt.Errorf("the record is too long to be kept: %d bytes", len(line))
	}
	err = writeFrom(f, end, func(out io.Writer) error {
		_, err := out.Write(append(line, '\n'))
		return err
	})
	if err != nil {
		return explain(path, err)
	}
	if end == 0 {
		return syncFolder(filepath.Dir(path))
	}
	return nil
}

// writeFrom puts what write gives in place of all that follows end, and returns
// when it is on disk. What fails halfway is taken back.
func writeFrom(f *os.File, end int64, write func(io.Writer) error) error {
	err := f.Truncate(end)
	if err == nil {
		err = write(io.NewOffsetWriter(f, end))
	}
	if err == nil {
		err = disk.sync(f)
	}
	if err != nil {
		_ = f.Truncate(end) // if this fails too, what is left is a line cut off
	}
	return err
}

// lastLine returns the last whole line and where it ends.
func lastLine(f *os.File) (line []byte, end int64, err error) {
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
		case back > 4*longestLine:
			return nil, 0, failed(nil, "the end of the file is damaged: %s", f.Name())
		}
	}
}

// eachLine gives every whole line to visit, with its number from 1, until visit
// returns false. The line is gone afterwards; one that is too long comes as nil. A
// file that is not there has no lines.
func eachLine(path string, visit func(number int, line []byte) bool) error {
	f, err := openPrivate(path, os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return explain(path, err)
	}
	defer f.Close()
	return explain(path, linesIn(f, visit))
}

// linesIn is eachLine for what is open already.
func linesIn(from io.Reader, visit func(number int, line []byte) bool) error {
	in := bufio.NewReaderSize(from, 64<<10)
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

// readLine returns the next whole line without its end, in room where it fits;
// io.EOF where there is none, even if a part of one is left.
func readLine(in *bufio.Reader, room []byte) ([]byte, error) {
	line := room[:0]
	tooLong := false
	for {
		part, err := in.ReadSlice('\n')
		if tooLong = tooLong || len(line)+len(part) > longestLine; !tooLong {
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
