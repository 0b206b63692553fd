package adminapi

import (
	"bytes"
	"fmt"
	"io"
	"mime/multipart"
	"net/textproto"
	"net/url"
	"path"
	"strings"
)

// checkParts refuses parts that would not arrive as they are meant.
func checkParts(parts []Part) *Error {
	if len(parts) == 0 {
		return &Error{Kind: KindInvalid, Message: "there is nothing to send"}
	}
	for _, part := range parts {
		switch {
		case part.Name == "" || hasControl(part.Name):
			return &Error{Kind: KindInvalid, Message: "the name of a part is empty or holds control characters"}
		case part.Name == "f" || part.Name == "token":
			return &Error{Kind: KindInvalid, Message: "the part " + part.Name + " is added by this client"}
		case hasControl(part.FileName):
			return &Error{Kind: KindInvalid, Message: "the name of a file holds control characters or broken UTF-8"}
		}
	}
	return nil
}

// multipartBody puts parts together without copying their content.
func multipartBody(parts []Part) (contentType string, body io.Reader, size int64) {
	var head bytes.Buffer
	var pieces []io.Reader
	piece := func(b []byte) {
		pieces = append(pieces, bytes.NewReader(b))
		size += int64(len(b))
	}
	// Writing to a buffer does not fail.
	w := multipart.NewWriter(&head)
	for _, part := range parts {
		_, _ = w.CreatePart(part.header())
		piece(bytes.Clone(head.Bytes()))
		head.Reset()
		piece(part.Content)
	}
	_ = w.Close()
	piece(head.Bytes())
	return w.FormDataContentType(), io.MultiReader(pieces...), size
}

// header is what a browser's form sends before a part. An empty file has a file
// name too, an empty one: without it the part would be a plain field.
func (p Part) header() textproto.MIMEHeader {
	disposition := "form-data; name=" + quoted(p.Name)
	h := textproto.MIMEHeader{}
	if p.File {
		disposition += "; filename=" + quoted(p.FileName)
		h.Set("Content-Type", p.contentType())
	}
	h.Set("Content-Disposition", disposition)
	return h
}

func (p Part) contentType() string {
	if strings.EqualFold(path.Ext(p.FileName), ".json") {
		return "application/json"
	}
	return "application/octet-stream"
}

// quoted escapes a name as browsers do.
func quoted(name string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, "%22", "\r", "%0D", "\n", "%0A").Replace(name) + `"`
}

// maskedParts describes parts for an observer: plain fields by their value, files
// by name and size.
func maskedParts(parts []Part) url.Values {
	fields := url.Values{}
	for _, part := range parts {
		text := string(part.Content)
		switch {
		case part.File:
			text = strings.TrimRight("file "+part.FileName, " ") + fmt.Sprintf(", %d bytes", len(part.Content))
		case part.Secret:
			text = Secret(part.Content).String()
		}
		fields.Add(part.Name, text)
	}
	return fields
}

// secretParts returns the content that is shown nowhere.
func secretParts(parts []Part) [][]byte {
	var contents [][]byte
	for _, part := range parts {
		if part.Secret && len(part.Content) > 0 {
			contents = append(contents, part.Content)
		}
	}
	return contents
}
