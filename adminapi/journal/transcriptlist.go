package journal

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"geodeck/adminapi/internal/jsonx"

	"github.com/go-json-experiment/json"
)

// tellingTail is how much of the end of a file nearly always holds what its lines
// tell together, in bytes.
const tellingTail = 8 << 10

// Transcripts returns all transcripts, the newest run first. Damaged files are left
// out; the error names the first of them beside what could be read.
func (j *Journal) Transcripts() ([]TranscriptSummary, error) {
	if err := j.isOpen(); err != nil {
		return nil, err
	}
	return j.transcripts()
}

func (j *Journal) transcripts() ([]TranscriptSummary, error) {
	folder := j.transcriptFolder()
	entries, err := os.ReadDir(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, explain(folder, err)
	}
	var all []TranscriptSummary
	var first error
	for _, entry := range entries {
		id, ok := transcriptID(entry.Name())
		if !ok {
			continue
		}
		summary, err := summaryOf(j.TranscriptPath(id), id)
		switch {
		case err == nil:
			all = append(all, summary)
		case first == nil && !errors.Is(err, io.EOF): // nothing was ever kept in it
			first = err
		}
	}
	return newestFirst(all), first
}

// newestFirst orders runs by when they began. One of which nothing was told is put
// where its transcript was opened: behind those that were opened later.
func newestFirst(all []TranscriptSummary) []TranscriptSummary {
	slices.SortFunc(all, func(a, b TranscriptSummary) int {
		if order := b.Opened.Compare(a.Opened); order != 0 {
			return order
		}
		return strings.Compare(b.ID, a.ID)
	})
	var sorted, untold []TranscriptSummary
	for _, s := range all {
		if s.Began.IsZero() {
			untold = append(untold, s)
		} else {
			sorted = append(sorted, s)
		}
	}
	slices.SortStableFunc(sorted, func(a, b TranscriptSummary) int { return cmp.Compare(b.Began, a.Began) })
	for _, s := range slices.Backward(untold) {
		at := slices.IndexFunc(sorted, func(other TranscriptSummary) bool { return other.Opened.Before(s.Opened) })
		if at < 0 {
			at = len(sorted)
		}
		sorted = slices.Insert(sorted, at, s)
	}
	return sorted
}

// untoldID names the transcript of a run of which nothing is told. The lock must be
// held.
func (j *Journal) untoldID(now time.Time) string {
	all, _ := j.transcripts() // one that is damaged cannot be gone on with
	if len(all) > 0 && all[0].untold() && !all[0].Ended {
		return all[0].ID
	}
	return fileName(readableTime(now), fmt.Sprintf("%d\n%d", now.UnixNano(), len(all)))
}

// summaryOf reads a transcript's head and the end of its last line.
func summaryOf(path, id string) (TranscriptSummary, error) {
	f, err := openPrivate(path, os.O_RDONLY)
	if err != nil {
		return TranscriptSummary{}, explain(path, err)
	}
	defer f.Close()
	head, err := readHead(path, f)
	if err != nil {
		return TranscriptSummary{}, err
	}
	if told, ok := lastSoFar(f); ok {
		return head.summary(id, told), nil
	}
	r := reading{tally: newTally()}
	if err := r.lines(f); err != nil {
		return TranscriptSummary{}, explain(path, err)
	}
	return head.summary(id, r.soFar), nil
}

// lastSoFar finds what the last whole line tells of all of them, and false where it
// is long or damaged. Inside a text quotes are escaped, so that the last member of
// that name is the real one.
func lastSoFar(f *os.File) (told soFar, ok bool) {
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return told, false
	}
	tail := make([]byte, min(size, tellingTail))
	if _, err := f.ReadAt(tail, size-int64(len(tail))); err != nil {
		return told, false
	}
	line := tail[:max(0, bytes.LastIndexByte(tail, '\n'))]
	line = line[bytes.LastIndexByte(line, '\n')+1:]
	at := bytes.LastIndex(line, []byte(soFarMember))
	if at < 0 || !bytes.HasSuffix(line, []byte("}")) {
		return told, false
	}
	err = json.Unmarshal(line[at+len(soFarMember):len(line)-1], &told, jsonx.AsWritten)
	return told, err == nil && !told.Last.IsZero()
}
