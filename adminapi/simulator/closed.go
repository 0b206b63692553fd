package simulator

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// ClosedPort takes a port of this machine that refuses every connection until release is
// called: a site that is down. A port that is merely free may be another site's the next
// moment.
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
