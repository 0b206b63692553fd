package adminapi_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"geodeck/adminapi"
)

// bomb is 80 MiB of spaces, packed: one piece 80 times.
func bomb(t *testing.T) []byte {
	t.Helper()
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	if _, err := w.Write(bytes.Repeat([]byte(" "), 1<<20)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return bytes.Repeat(packed.Bytes(), 80)
}

// Endless, packed, announced, or in the headers.
func TestAnEndlessBodyAndAGzipBombAreNotReadToTheirEnd(t *testing.T) {
	packed := bomb(t)
	endless := func(status int) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
			for chunk := bytes.Repeat([]byte("x"), 1<<16); ; {
				if _, err := w.Write(chunk); err != nil {
					return
				}
			}
		}
	}
	cases := []struct {
		name    string
		handler http.HandlerFunc
	}{
		{"announced", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "1099511627776")
			_, _ = w.Write([]byte("{"))
		}},
		{"packed", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = w.Write(packed)
		}},
		{"headers", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("X-Large", strings.Repeat("x", 10<<20))
		}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s := serve(t, c.handler)
			client := s.client(t)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := client.Jobs.IDs(t.Context())
			wantKind(t, err, adminapi.KindTooLarge)
			runtime.ReadMemStats(&after)
			if grown := (after.TotalAlloc - before.TotalAlloc) >> 20; grown > 512 {
				t.Errorf("%d MiB were allocated", grown)
			}
			if len(s.clock.pauses) != 0 {
				t.Error("it was asked for again")
			}
		})
	}
	// An error has a smaller limit, and its status counts all the same.
	_, outcome, err := serve(t, endless(http.StatusBadRequest)).client(t).Health.Start(t.Context(), aRun)
	wantKind(t, err, adminapi.KindTooLarge)
	check(t, "outcome", outcome, adminapi.OutcomeRefused, nil)
}

func TestALargeAnswerWithinTheLimitIsRead(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("x", 20<<20)
	c := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, `{"serviceName":"a","description":"%s"}`, text)
	}).client(t)
	definition, err := c.Services.Definition(t.Context(), adminapi.ServiceRef{Folder: "my folder", Name: "a", Type: "MapServer"})
	if err != nil || len(definition) < len(text) {
		t.Errorf("%d bytes, %v", len(definition), err)
	}
}

// dripping is a line to a site that writes a beginning, and then a byte a minute.
func dripping(t *testing.T, beginning string) func(*adminapi.Config) {
	return func(c *adminapi.Config) {
		c.Dial = func(context.Context, string, string) (net.Conn, error) {
			here, there := net.Pipe()
			go func() {
				defer there.Close()
				r, err := http.ReadRequest(bufio.NewReader(there))
				if err == nil {
					_, err = io.Copy(io.Discard, r.Body)
				}
				for text := beginning; err == nil; text = "x" {
					_, err = io.WriteString(there, text)
					time.Sleep(time.Minute)
				}
			}()
			return here, nil
		}
		transport, err := adminapi.NewTransport(adminapi.TLS{})
		if err != nil {
			t.Fatal(err)
		}
		c.Base, c.Insecure, c.Transport = "http://site.invalid/admin", true, transport
	}
}

// Time is limited for the whole of an answer: what comes slowly is no progress.
func TestAnAnswerOfOneByteAMinuteEndsInTime(t *testing.T) {
	t.Parallel()
	const ok = "HTTP/1.1 200 OK\r\n"
	for name, c := range map[string]struct {
		beginning string
		most      time.Duration
	}{
		"in the headers":           {ok + "X-Slow: ", 30 * time.Second},
		"in the body":              {ok + "Content-Length: 1000\r\n\r\n{", 30 * time.Second},
		"in a body without an end": {ok + "\r\n{", 30 * time.Second},
		"in a packed body":         {ok + "Content-Encoding: gzip\r\n\r\n\x1f\x8b\b", 30 * time.Second},
		"in a large body":          {ok + "\r\n{" + strings.Repeat(" ", 2<<20), time.Minute}, // the wait for memory counts anew
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				client, began := newClient(t, "", dripping(t, c.beginning)), time.Now()
				_, err := client.Jobs.IDs(t.Context())
				wantKind(t, err, adminapi.KindUnreachable)
				if took := time.Since(began); took > c.most {
					t.Errorf("a read ended after %v", took)
				}
				began = time.Now()
				outcome, err := client.Health.Delete(t.Context(), "a")
				wantKind(t, err, adminapi.KindUnreachable)
				if took := time.Since(began); took > c.most || outcome != adminapi.OutcomeUnknown {
					t.Errorf("a write ended as %v after %v", outcome, took)
				}
				client.CloseIdleConnections()
				time.Sleep(2 * time.Minute) // for the site to see it
			})
		})
	}
}
