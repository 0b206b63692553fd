package journal

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"io/fs"
	"os"
	"slices"
	"time"

	"github.com/go-json-experiment/json"

	"geodeck/adminapi"
	"geodeck/adminapi/internal/jsonx"
	"geodeck/adminapi/secrets"
)

// ReadTranscript returns the summary of a transcript and its lines in order. A last line that a
// crash has cut off is left out; other lines that cannot be read are left out and counted. A
// message that two writers have written comes once.
func (j *Journal) ReadTranscript(id string) (TranscriptSummary, []TranscriptLine, error) {
	f, err := j.openTranscriptFile(id)
	if err != nil {
		return TranscriptSummary{}, nil, err
	}
	defer f.Close()
	head, err := readHead(f.Name(), f)
	if errors.Is(err, io.EOF) {
		err = noTranscript(err, id) // nothing was written
	}
	if err != nil {
		return TranscriptSummary{}, nil, err
	}
	return head.read(id, f)
}

// read is ReadTranscript of what follows a head.
func (h transcriptHead) read(id string, f File) (TranscriptSummary, []TranscriptLine, error) {
	r := transcriptReader{tally: newTally()}
	if err := r.lines(f); err != nil {
		return TranscriptSummary{}, nil, explain(f.Name(), err)
	}
	summary := h.summary(id, r.soFar)
	summary.Damaged = r.damaged
	return summary, r.result, nil
}

// transcriptReader collects the lines of a transcript.
type transcriptReader struct {
	tally
	result  []TranscriptLine
	damaged int
}

// lines reads up to the last whole line of now: what follows may be replaced at any time.
func (r *transcriptReader) lines(f File) error {
	_, end, err := lastLine(f)
	if err == nil {
		_, err = r.expectIn(io.NewSectionReader(f, 0, end))
	}
	if err != nil {
		return err
	}
	return linesIn(io.NewSectionReader(f, 0, end), func(number int, text []byte) bool {
		if number == 1 {
			return true // the head
		}
		line, ok := readStored(text)
		if !ok {
			r.damaged++
			return true
		}
		r.take(&line)
		r.result = append(r.result, line.line())
		return true
	})
}

// line returns a stored line as callers see it.
func (kept storedLine) line() TranscriptLine {
	line := kept.TranscriptLine
	line.Ahead, _ = time.ParseDuration(kept.Ahead) // zero where it is damaged
	if len(kept.Messages) > 0 {
		line.Messages = make([]TranscriptMessage, 0, len(kept.Messages))
	}
	for _, m := range kept.Messages {
		line.Messages = append(line.Messages, TranscriptMessage{UpgradeMessage: m.Message, Nth: max(1, m.Nth), Among: m.Among})
	}
	return line
}

// readHead reads the first line of a transcript. The error is io.EOF where it is not whole.
func readHead(path string, f File) (transcriptHead, error) {
	var head transcriptHead
	line, err := readLine(bufio.NewReader(io.NewSectionReader(f, 0, maxLine)), nil)
	switch {
	case errors.Is(err, io.EOF):
		// What is short may be the beginning of a first line. Any other file must not be overwritten.
		if info, err := f.Stat(); err == nil && info.Size() < maxLine {
			return head, io.EOF
		}
	case err != nil:
		return head, explain(path, err)
	}
	err = json.Unmarshal(line, &head, jsonx.AsWritten)
	switch {
	case head.Format > transcriptFormat:
		return head, failed(nil, "the transcript was written by a newer version of this program: %s", path)
	case err != nil || head.Format < 1 || head.Opened.IsZero():
		return head, failed(err, "the transcript is damaged: %s", path)
	}
	return head, nil
}

// Transcripts returns all transcripts, newest run first. Damaged files are left out; the error
// names the first of them.
func (j *Journal) Transcripts() ([]TranscriptSummary, error) {
	if err := j.isOpen(); err != nil {
		return nil, err
	}
	return j.transcripts()
}

func (j *Journal) transcripts() ([]TranscriptSummary, error) {
	folder := j.transcriptFolder()
	entries, err := j.disk.ReadDir(folder)
	if absent(err) {
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
		summary, err := j.disk.summaryOf(j.TranscriptPath(id), id)
		switch {
		case err == nil:
			all = append(all, summary)
		case first == nil && !errors.Is(err, io.EOF): // nothing was written
			first = err
		}
	}
	return newestFirst(all), first
}

// newestFirst sorts runs by when they began. Where that is not known, a run goes behind those
// whose transcript was opened later.
func newestFirst(all []TranscriptSummary) []TranscriptSummary {
	slices.SortStableFunc(all, func(a, b TranscriptSummary) int {
		return cmp.Or(b.Opened.Compare(a.Opened), cmp.Compare(b.ID, a.ID))
	})
	sorted := slices.DeleteFunc(slices.Clone(all), func(s TranscriptSummary) bool { return s.Began.IsZero() })
	slices.SortStableFunc(sorted, func(a, b TranscriptSummary) int { return cmp.Compare(b.Began, a.Began) })
	for _, s := range slices.Backward(all) {
		if !s.Began.IsZero() {
			continue
		}
		at := slices.IndexFunc(sorted, func(other TranscriptSummary) bool { return other.Opened.Before(s.Opened) })
		if at < 0 {
			at = len(sorted)
		}
		sorted = slices.Insert(sorted, at, s)
	}
	return sorted
}

// unidentifiedID returns the id for a run of which nothing is known. The lock must be held.
func (j *Journal) unidentifiedID(now time.Time) string {
	all, _ := j.transcripts() // damaged ones cannot be continued
	if len(all) > 0 && all[0].unidentified() && !all[0].Ended {
		return all[0].ID
	}
	return fileName(readableTime(now), fmt.Sprintf("%d\n%d", now.UnixNano(), len(all)))
}

// summaryOf reads a transcript's head and the end of its last line.
func (d disk) summaryOf(path, id string) (TranscriptSummary, error) {
	f, err := d.openPrivate(path, os.O_RDONLY)
	if err != nil {
		return TranscriptSummary{}, err
	}
	defer f.Close()
	head, err := readHead(path, f)
	if err != nil {
		return TranscriptSummary{}, err
	}
	if total, ok := lastSoFar(f); ok {
		return head.summary(id, total), nil
	}
	summary, _, err := head.read(id, f)
	return summary, err
}

// lastSoFar finds the totals in the last whole line, false where that is damaged.
// Quotes in texts are escaped, so the last member of that name is the real one.
func lastSoFar(f File) (total totals, ok bool) {
	line, _, err := lastLine(f)
	at := bytes.LastIndex(line, []byte(soFarMember))
	if err != nil || at < 0 || !bytes.HasSuffix(line, []byte("}")) {
		return total, false
	}
	err = json.Unmarshal(line[at+len(soFarMember):len(line)-1], &total, jsonx.AsWritten)
	return total, err == nil && !total.Last.IsZero()
}

// fileState is what a writer knows of its file, so that a line costs the same however long the
// file is.
type fileState struct {
	file fs.FileInfo // nil before the first read
	end  int64       // of the last whole line
	tally
}

// catchUp reads what others have written since the last read; everything where the file was
// replaced or is shorter, or where it may hold copies of a masked message that comes now or that
// others have written. The lock must be held.
func (k *fileState) catchUp(d disk, path string, f File, coming []storedMessage) (err error) {
	defer func() {
		if err != nil {
			k.file = nil // read it again
		}
	}()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if k.file == nil || !d.SameFile(k.file, info) || info.Size() < k.end || k.expect(coming) {
		*k = fileState{tally: newTally()}
		k.expect(coming)
		_, err := readHead(path, f)
		if errors.Is(err, io.EOF) {
			return failed(err, "the transcript is damaged: %s", path)
		}
		if err != nil {
			return err
		}
	}
	k.file = info
	if info.Size() == k.end {
		return nil
	}
	_, end, err := lastLine(f)
	if err == nil && !d.noSync {
		err = f.Sync() // what is known is not written again: its writer may have been killed before
	}
	if err != nil {
		return err
	}
	late, err := k.expectIn(io.NewSectionReader(f, k.end, end-k.end))
	if late {
		*k = fileState{tally: newTally()}
		return k.catchUp(d, path, f, coming)
	}
	if err != nil {
		return err
	}
	err = linesIn(io.NewSectionReader(f, k.end, end-k.end), func(_ int, text []byte) bool {
		if line, ok := readStored(text); ok {
			k.take(&line)
		}
		return true
	})
	k.end = end
	return err
}

// write appends a line with messages, as several where it is long. After a failure nothing has
// changed.
func (k *fileState) write(d disk, f File, line TranscriptLine, messages []storedMessage, of TranscriptRun) error {
	fresh := make([]storedMessage, 0, len(messages))
	for _, m := range messages {
		if k.add(line.Time, &m) {
			fresh = append(fresh, m)
		}
	}
	total, at := k.soFar, k.end
	total.Here, total.Record = total.Here || of.Here, cmp.Or(total.Record, of.Record)
	lines := split(line, fresh)
	if !lines[0].hasContent() {
		return nil
	}
	err := d.writeFrom(f, k.end, func(out io.Writer) error {
		for _, l := range lines {
			total.fold(l)
			total.add(l.Messages)
			l.SoFar = total
			if err := writeJSON(out, l); err != nil {
				return err
			}
		}
		var err error
		at, err = f.Seek(0, io.SeekEnd)
		return err
	})
	if err != nil {
		if slices.ContainsFunc(fresh, k.hasCopies) {
			k.file = nil // read it again
		} else {
			k.seen.drop(fresh)
		}
		return err
	}
	k.soFar, k.end = total, at
	return nil
}

// readStored decodes a line; false where it is damaged.
func readStored(text []byte) (storedLine, bool) {
	var line storedLine
	err := json.Unmarshal(text, &line, jsonx.AsWritten)
	return line, err == nil && !line.Time.IsZero()
}

// tally sums up the lines of a transcript.
type tally struct {
	seen   messageSet
	copies adminapi.MessageCopies
	latest adminapi.Millis // of the times of the messages
	soFar  totals
}

func newTally() tally { return tally{seen: newMessageSet()} }

// take adds a line, and removes the messages from it that came before.
func (t *tally) take(line *storedLine) {
	line.Messages = slices.DeleteFunc(line.Messages, func(m storedMessage) bool { return !t.add(line.Time, &m) })
	t.soFar.fold(*line)
	t.soFar.add(line.Messages)
}

// messageSet is a set of messages. It holds a 64-bit hash of each with a secret seed, not its
// text: no server can make two messages collide.
type messageSet struct {
	seed maphash.Seed
	keys map[uint64]struct{}
}

func newMessageSet() messageSet { return messageSet{maphash.MakeSeed(), map[uint64]struct{}{}} }

// key hashes what distinguishes messages.
func (s messageSet) key(m storedMessage) uint64 {
	return maphash.Comparable(s.seed, struct {
		code, nth int
		when      adminapi.Millis
		text      string
	}{m.Message.Code, max(1, m.Nth), m.Message.When, m.Message.Message})
}

// add reports whether a message is new.
func (s messageSet) add(m storedMessage) bool {
	before := len(s.keys)
	s.keys[s.key(m)] = struct{}{}
	return len(s.keys) > before
}

// drop removes messages.
func (s messageSet) drop(messages []storedMessage) {
	for _, m := range messages {
		delete(s.keys, s.key(m))
	}
}

// expect prepares for the copies of masked messages: two programs that write to a transcript need
// not know the same secrets. It reports whether what was taken already may hold some.
func (t *tally) expect(messages []storedMessage) (late bool) {
	for _, m := range messages {
		if t.copies.Expect(m.Message) {
			late = late || t.soFar.Messages > 0 && m.Message.When <= t.latest
		}
	}
	return late
}

// expectIn is expect of the messages in lines.
func (t *tally) expectIn(lines io.Reader) (late bool, err error) {
	err = linesIn(lines, func(_ int, text []byte) bool {
		if bytes.Contains(text, []byte(secrets.Mask)) {
			if line, ok := readStored(text); ok {
				late = t.expect(line.Messages) || late
			}
		}
		return true
	})
	return late, err
}

// add reports whether a message of a line is new: neither it nor a copy of it came before. A new
// one gets its number among its copies. What is written at one time comes from one writer, who
// has each message once.
func (t *tally) add(at time.Time, m *storedMessage) bool {
	t.latest = max(t.latest, m.Message.When)
	isNew := t.seen.add(*m)
	c, _ := t.copies.Of(m.Message)
	if c == nil {
		return isNew
	}
	n := max(c.See(at.UnixNano()), m.Nth, m.Among)
	if isNew = c.Reach(n) && isNew; isNew && n > 1 {
		m.Among = n
	}
	return isNew
}

// hasCopies reports whether a message that was added may have copies.
func (t *tally) hasCopies(m storedMessage) bool {
	c, _ := t.copies.Of(m.Message)
	return c != nil
}
