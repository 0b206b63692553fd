package adminapi_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"
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

func TestAnswersBeyondTheLimitAreNotReadToTheirEnd(t *testing.T) {
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
			_, err := client.JobIDs(t.Context())
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
	_, outcome, err := serve(t, endless(http.StatusBadRequest)).client(t).StartHealthRun(t.Context(), aRun)
	wantKind(t, err, adminapi.KindTooLarge)
	check(t, "outcome", outcome, adminapi.OutcomeRefused, nil)
}

func TestALargeAnswerWithinTheLimitIsRead(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("x", 20<<20)
	c := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, `{"serviceName":"a","description":"%s"}`, text)
	}).client(t)
	definition, err := c.ServiceDefinition(t.Context(), adminapi.ServiceRef{Folder: "my folder", Name: "a", Type: "MapServer"})
	if err != nil || len(definition) < len(text) {
		t.Errorf("%d bytes, %v", len(definition), err)
	}
}

func TestASlowAnswerEndsWithTheDeadline(t *testing.T) {
	t.Parallel()
	s := rawServe(t, func(x exchange) bool {
		io.WriteString(x, "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{")
		<-x.done
		return false
	})
	c := newClient(t, s.base(), func(c *adminapi.Config) { c.Timeout = 50 * time.Millisecond })
	_, err := c.JobIDs(t.Context())
	wantKind(t, err, adminapi.KindUnreachable)
}
