package journal

import "os"

// steps are what is done to the disk where the order decides what a crash leaves, and
// whose files are trusted there. Tests stand between them and the system.
type steps struct {
	sync   func(f *os.File) error // of a file, or of a folder and the names in it
	close  func(f *os.File) error // of a file that was written anew
	rename func(from, to string) error
	user   func() int // whose files these are
}

var disk = steps{sync: (*os.File).Sync, close: (*os.File).Close, rename: os.Rename, user: os.Geteuid}
