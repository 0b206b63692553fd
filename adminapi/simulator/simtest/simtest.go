// Package simtest gives tests a simulated site with the real client in front of it, for
// packages below the screen, a site that is down, and programs to run. [Mangled] repeats a secret
// as a hostile site may, and [Left] finds what is left of one. Start at [SignIn]; tests of views
// use ui/uitest.
package simtest

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"geodeck/adminapi"
	"geodeck/adminapi/secrets"
	"geodeck/adminapi/simulator"
)

// SignIn starts a built-in scenario on a clock that moves by hand, and signs a user in.
// The site ends with the test.
func SignIn(t testing.TB, scenario, user string) (*adminapi.Client, *ManualClock) {
	t.Helper()
	s, ok := simulator.BuiltIn(scenario)
	if !ok {
		t.Fatalf("there is no scenario %s", scenario)
	}
	clock := NewManualClock(time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC))
	server, err := simulator.New(simulator.Options{Scenario: s, Clock: clock})
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start("127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	client, err := adminapi.New(adminapi.Config{Base: server.URL()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.CloseIdleConnections)
	for _, u := range server.Users() {
		if u.Username == user {
			if _, err := client.Session.SignIn(t.Context(), u.Username, secrets.Secret(u.Password), time.Hour); err != nil {
				t.Fatal(err)
			}
			return client, clock
		}
	}
	t.Fatalf("there is no user %s", user)
	return nil, nil
}

// ClosedPort takes a port of this machine that refuses every connection until release is
// called: a site that is down. A port that is merely free may be taken at any time.
func ClosedPort() (address string, release func(), err error) {
	socket, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0)
	if err != nil {
		return "", nil, fmt.Errorf("cannot take a port: %w", err)
	}
	release = func() { _ = unix.Close(socket) }
	err = unix.Bind(socket, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}})
	if err == nil {
		var taken unix.Sockaddr
		if taken, err = unix.Getsockname(socket); err == nil {
			return fmt.Sprintf("127.0.0.1:%d", taken.(*unix.SockaddrInet4).Port), release, nil
		}
	}
	release()
	return "", nil, fmt.Errorf("cannot take a port: %w", err)
}

// subst edits a file in its place on any system: sed has no flag for that everywhere.
const subst = `subst() { sed "$1" "$2" >"$2.new" && cat "$2.new" >"$2" && rm "$2.new"; }`

// Script writes a program of that name, whose lines the shell runs, into a folder that ends
// with the test. While it is written no other program is started: the new process would
// have the file open for a moment, and the system runs no file that is open for writing. In
// these lines "subst SCRIPT FILE" edits a file by sed.
func Script(t testing.TB, name, lines string) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), name)
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+subst+"\n"+lines+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}
