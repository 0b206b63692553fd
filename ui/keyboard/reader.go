// Package keyboard reads whole keys from a terminal, however the line in between cuts
// and joins the bytes of them.
//
// Bubble Tea takes each read for whole keys. It makes esc and text of an arrow whose bytes
// come in two reads, one key with alt of esc and a letter that come in one, and keys of a
// paste that the terminal does not mark. So a [Reader] stands before it, and a [Decoder]
// behind it.
//
// Esc is always a key of its own: no key is alt and a letter, since both are the same
// bytes. Keys with alt that have a sequence, such as alt+up, stay.
//
// What the terminal answers is no key, however late it comes and wherever the line cuts it.
// What it says of its background becomes a message; see [Reader.QueryBackground].
package keyboard

import (
	"bytes"
	"errors"
	"io"
	"os"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// What is waited for, and how long. Only an esc, and what may be an esc and another key, is
// kept from the program in the meantime.
const (
	escapeWait   = 50 * time.Millisecond  // for the rest of the sequence that an esc may begin
	sequenceWait = 250 * time.Millisecond // for the rest where two bytes of one are there, or an answer is expected
	questionWait = 30 * time.Millisecond  // for another key where a question is open
	questionMost = 90 * time.Millisecond  // for all of them: a held key acts meanwhile
	pasteWait    = 5 * time.Millisecond   // for another byte of a paste
	// The start of a sequence, a character or an answer that nobody expects is forgotten so
	// long after it came. Until then keys are taken for its end.
	restLimit = time.Second
	// An open paste ends with silence: its end may be lost. A few keys do not break it.
	pasteLimit = 2 * time.Second
	// So long after an unmarked paste keys belong to it.
	pasteTail = 250 * time.Millisecond
)

// maxTogether is how many keys, each other than the one before, a slow line may gather. More
// in one read are a paste that the terminal does not mark. A held key is one.
const maxTogether = 32

// maxKeys is how many bytes of a read may be keys while a paste goes on: they do not renew it.
const maxKeys = 8

// Reader is the file of a terminal that is read in whole keys. It embeds the file, so that
// Bubble Tea finds the modes of the terminal behind it.
type Reader struct {
	*os.File
	source io.Reader
	more   func(time.Duration) bool // reports whether a read would not block, at the latest then
	now    func() time.Time
	failed func(value any) // called on the stack of a panic
	asking atomic.Bool
	query  atomic.Pointer[query] // nil once it is answered

	raw    []byte
	rest   []byte    // of raw: the start of a piece, for the next read
	restAt time.Time // when it, or the answer that goes on, began
	pieces []piece   // of the last read
	out    []byte

	state
	pastedAt time.Time // when the last of the open paste came
	tornAt   time.Time // when an esc came alone: the rest of its sequence may follow
	floodAt  time.Time // when the last of an unmarked paste came; few keys are none
}

// NewReader returns the reader of a terminal. Where it panics it calls failed, and ends.
func NewReader(file *os.File, failed func(value any)) *Reader {
	r := NewReaderOf(file, func(wait time.Duration) bool { return readable(file, wait) }, time.Now)
	r.File, r.failed = file, failed
	return r
}

// NewReaderOf returns the reader of what need not be a file; more reports whether a read of it
// would not block, at the latest after the time that it gets.
func NewReaderOf(source io.Reader, more func(time.Duration) bool, now func() time.Time) *Reader {
	return &Reader{source: source, more: more, now: now}
}

// readable reports whether a read would not block, at the latest after wait.
func readable(file *os.File, wait time.Duration) bool {
	poll := []unix.PollFd{{Fd: int32(file.Fd()), Events: unix.POLLIN}}
	for limit := time.Now().Add(wait); ; {
		n, err := unix.Poll(poll, int(max(0, time.Until(limit)).Milliseconds()))
		if !errors.Is(err, unix.EINTR) {
			return err == nil && n > 0
		}
	}
}

// Keys is the terminal itself, for a program that it is lent to.
func (r *Reader) Keys() *os.File { return r.File }

// SetAsking says whether a question is open. Then a key is kept until it is sure that it
// comes alone.
func (r *Reader) SetAsking(asking bool) { r.asking.Store(asking) }

// room is what the encoding may add to what was read: marks, and frames around text.
const room = 2*len(pasteStart) + 2*len(pasteEnd) + 8

// Read reads whole keys, encoded for the [Decoder]. It returns nothing, and no error, where
// no key is whole yet. Bubble Tea waits for more where its buffer is full: it never is.
func (r *Reader) Read(p []byte) (n int, err error) {
	defer func() { // Bubble Tea's own loop would not recover
		if value := recover(); value != nil {
			r.failed(value)
			n, err = 0, io.EOF
		}
	}()
	if len(p) < 4*maxSequence {
		return 0, io.ErrShortBuffer
	}
	limit := len(p) - room - 1
	soft := limit - maxSequence // what is beyond is for the end of the last sequence
	if len(r.raw) < limit {
		r.raw = append(r.raw, make([]byte, limit-len(r.raw))...)
	}
	held := copy(r.raw, r.rest)
	r.rest = r.raw[:held]
	fresh, err := r.source.Read(r.raw[held:soft])
	if fresh <= 0 {
		return 0, err
	}
	now := r.now()
	began := now
	b := r.resume(held, fresh, now)
	before := len(r.pieces)
	for {
		s := r.state
		pieces, rest, tail := s.split(r.pieces[:before], b)
		wait := r.wait(pieces, rest, tail, fresh, now.Sub(began))
		if wait > 0 {
			upTo := soft
			if tail == unsure {
				upTo = limit
			}
			more := r.more(wait)
			if more && upTo > len(b) {
				if n, _ := r.source.Read(r.raw[len(b):upTo]); n > 0 { // else the next read says why
					fresh, b, now = fresh+n, r.raw[:len(b)+n], r.now()
					continue
				}
				more = false
			}
			if tail == unsure && !more {
				pieces, rest, s.answering = append(pieces, typed(rest)...), nil, false
				if len(pieces) > 0 && pieces[len(pieces)-1].kind == escape {
					r.tornAt = r.now()
				}
			}
		}
		if r.pasting && fresh == 1 && b[len(b)-1] == interrupt { // alone: the end of the paste is lost
			s, rest = state{}, nil
			pieces = append(pieces[:before], piece{kind: pasted, bytes: b[:len(b)-1]}, piece{kind: special, bytes: b[len(b)-1:]})
		}
		if s.pasting && (fresh > maxKeys || !r.pasting) {
			r.pastedAt = now
		}
		if held == 0 && !r.answering || len(pieces) > before {
			r.restAt = now
		}
		r.state, r.pieces, r.rest = s, pieces, rest
		r.out = r.encode(r.out[:0], now)
		return copy(p, r.out), nil
	}
}

// resume joins what was held back and what has come, as long as they may belong together,
// and returns both.
func (r *Reader) resume(held, fresh int, now time.Time) []byte {
	r.pieces = r.pieces[:0]
	b := r.raw[:held+fresh]
	switch {
	case r.pasting && now.Sub(r.pastedAt) > pasteLimit && !bytes.Contains(b, []byte(pasteEnd)):
		r.pasting = false
		r.pieces = append(r.pieces, piece{kind: pasted})
		b = r.raw[:copy(r.raw, b[held:])]
	case !r.pasting && now.Sub(r.restAt) > restLimit && !r.Expects():
		r.answering = false
		b = r.raw[:copy(r.raw, b[held:])]
	}
	if now.Sub(r.tornAt) <= sequenceWait && len(b) > 1 && b[0] != 'O' {
		whole := append([]byte{esc}, b...)
		switch n, kind := next(whole); kind {
		case special, ignored: // the key was taken for an esc
			b = r.raw[:copy(r.raw, whole[max(n, 1):])]
		case opening, closing, answer, begun:
			b = r.raw[:copy(r.raw, whole)]
		}
	}
	r.tornAt = time.Time{}
	return b
}

// wait returns how long to wait for more, zero where nothing needs it.
func (r *Reader) wait(pieces []piece, rest []byte, tail kind, fresh int, waited time.Duration) time.Duration {
	switch {
	case tail == unsure && len(rest) == 1 && !r.Expects():
		return escapeWait
	case tail == unsure:
		return sequenceWait
	case r.pasting && fresh == 1:
		return pasteWait
	case r.asking.Load() && len(pieces) > 0 && pieces[len(pieces)-1].kind == text:
		return max(0, min(questionWait, questionMost-waited))
	}
	return 0
}
