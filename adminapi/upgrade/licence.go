package upgrade

import (
	"bytes"
	"cmp"
	"path/filepath"
	"strings"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/finding"
	"geodeck/adminapi/internal/jsonx"
	"geodeck/adminapi/plain"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// GivenFile is a file that answers a setting, as far as it was checked. Its content is not kept.
type GivenFile struct {
	Path    string
	Size    int64 // in bytes
	Err     error // what is wrong with it; nil for nothing
	Licence Licence
}

// Words name the file, with its size and what it says of itself: "lic.json (19 bytes), for 12.0".
func (g GivenFile) Words() string {
	return plain.Line(filepath.Base(g.Path)) + " (" + plain.Bytes(g.Size) + ")" + g.Licence.Words()
}

// Licence is what a licence file says of itself. Unknown fields are zero: which members the file has
// is not published, only what the site returns of it, with "MyEsri" around it
// (https://developers.arcgis.com/rest/enterprise-administration/enterprise/validate-license).
type Licence struct {
	Version string
	Expires adminapi.Millis // when the first part of it ends
}

// Words say what is known of it, to follow what it is: ", for 12.0, until 2027-03-01".
func (l Licence) Words() (words string) {
	if l.Version != "" {
		words = ", for " + short(l.Version)
	}
	if l.Expires > 0 {
		words += ", until " + l.Expires.Time().UTC().Format(time.DateOnly)
	}
	return words
}

// ReadLicence returns what a licence file says of itself. A text that is no licence says nothing.
func ReadLicence(content []byte) (l Licence) {
	var file struct {
		Version jsontext.Value
		MyEsri  struct{ Version jsontext.Value }
	}
	if json.Unmarshal(content, &file, jsonx.AnyCase) != nil {
		return l
	}
	l.Version = strings.Trim(cmp.Or(string(file.MyEsri.Version), string(file.Version)), `"`)
	if _, ok := adminapi.ParseVersion(l.Version); !ok {
		l.Version = ""
	}
	decoder := jsontext.NewDecoder(bytes.NewReader(content))
	for {
		token, err := decoder.ReadToken()
		if err != nil {
			return l
		}
		if token.Kind() != '"' || !namesEnd[strings.ToLower(token.String())] {
			continue
		}
		if kind, length := decoder.StackIndex(decoder.StackDepth()); kind != '{' || length%2 == 0 { // a value
			continue
		}
		if token, err = decoder.ReadToken(); err != nil {
			return l
		}
		if ends := endOf(token); ends > 0 && (l.Expires == 0 || ends < l.Expires) {
			l.Expires = ends
		}
	}
}

// namesEnd are names of members that say when a licence ends, in lower case.
var namesEnd = map[string]bool{"expiration": true, "expirationdate": true, "expires": true, "enddate": true}

// endOf reads a moment: milliseconds, or a date; 0 for neither, and for one that never comes.
func endOf(token jsontext.Token) adminapi.Millis {
	switch token.Kind() {
	case '0':
		at, _ := token.Int()
		return adminapi.Millis(max(at, 0))
	case '"':
		for _, layout := range []string{time.RFC3339, time.DateOnly} {
			if at, err := time.Parse(layout, token.String()); err == nil {
				return adminapi.Millis(at.UnixMilli())
			}
		}
	}
	return 0
}

// GivenLicence is about a licence file that is sound. Only the site can check it, so what the file says
// of itself blocks nothing.
func (f Facts) GivenLicence(l Licence) finding.Finding {
	const other = "Choose the licence for this version."
	target, _ := adminapi.ParseVersion(f.Target.Version)
	version, known := adminapi.ParseVersion(l.Version)
	switch left := time.Duration(l.Expires-f.Now) * time.Millisecond; {
	case known && (version[0] != target[0] || version[1] != target[1]):
		return f.finds("licence does not fit", other, "The licence is for %s, not for %s.", short(l.Version), displayName(f.Target))
	case l.Expires > 0 && left <= 0:
		return f.finds("licence does not fit", "Choose one that is valid.", "The licence expired on %s.", l.Expires.Time().UTC().Format(time.DateOnly))
	}
	return ok("Licence given%s. The site checks it when the upgrade starts.", l.Words())
}
