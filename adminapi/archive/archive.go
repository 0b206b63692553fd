// Package archive writes zips that end with the checksums of what they hold. See [Write].
package archive

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"time"
)

// File is a file of a zip.
type File struct {
	Name    string // one line, without a path
	Content []byte
}

// SumsName is the last file of every zip.
const SumsName = "SHA256SUMS"

// Write writes files as a zip, each with the same time. The last one is added: SHA256SUMS
// holds the checksum of each of the others, in the form that sha256sum -c reads.
func Write(w io.Writer, made time.Time, files []File) error {
	var sums bytes.Buffer
	for _, f := range files {
		fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256(f.Content), f.Name)
	}
	archive := zip.NewWriter(w)
	for _, f := range append(files[:len(files):len(files)], File{SumsName, sums.Bytes()}) {
		in, err := archive.CreateHeader(&zip.FileHeader{Name: f.Name, Method: zip.Deflate, Modified: made})
		if err != nil {
			return err
		}
		if _, err := in.Write(f.Content); err != nil {
			return err
		}
	}
	return archive.Close()
}
