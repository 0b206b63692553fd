package signin

import (
	"net/url"
	"os"
	"path/filepath"
	"strings"
)

// busVariable names the session bus.
const busVariable = "DBUS_SESSION_BUS_ADDRESS"

// findBus returns [ErrNoKeyring] where the session has no bus. The library would start one
// where the environment names none, so that it is told which there is: a bus of its own has no
// keyring, and stays behind.
func findBus(env func(string) string) error {
	address := env(busVariable)
	if address == "" || address == "autolaunch:" {
		path := userBus(env)
		if path == "" {
			return ErrNoKeyring
		}
		if err := os.Setenv(busVariable, "unix:path="+url.PathEscape(path)); err != nil {
			return ErrNoKeyring
		}
		return nil
	}
	for one := range strings.SplitSeq(address, ";") {
		if mayAnswer(one) {
			return nil
		}
	}
	return ErrNoKeyring
}

// userBus returns the socket of the user's bus, empty where there is none.
func userBus(env func(string) string) string {
	folder := env("XDG_RUNTIME_DIR")
	if path := filepath.Join(folder, "bus"); filepath.IsAbs(folder) && isSocket(path) {
		return path
	}
	return ""
}

// mayAnswer reports whether a bus may be at an address: a socket that exists, or one that has
// no file.
func mayAnswer(address string) bool {
	transport, keys, _ := strings.Cut(address, ":")
	if transport != "unix" {
		return transport == "tcp" || transport == "nonce-tcp"
	}
	for key := range strings.SplitSeq(keys, ",") {
		name, value, _ := strings.Cut(key, "=")
		value, err := url.PathUnescape(value)
		switch {
		case err != nil:
		case name == "abstract":
			return true
		case name == "path" && isSocket(value):
			return true
		}
	}
	return false
}

func isSocket(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().Type() == os.ModeSocket
}
