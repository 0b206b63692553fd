package adminapi

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

const (
	bodyLimit  = 64 << 20 // bytes of an answer, unpacked
	errorLimit = 1 << 20  // bytes of an error
)

var errTooLarge = errors.New("the answer is larger than this program reads")

// read takes in the body to its end and closes it, so that the connection can be
// used again. On an error what has come so far is dropped: half an answer is none.
// What was seen before is left out of the body.
func (a *answer) read(ctx context.Context, room bodies, clock *deadline, resp *http.Response, seen *seenPart) error {
	a.status, a.refused = resp.StatusCode, isRefusal(resp.StatusCode)
	if seen != nil {
		seen.skipped = false // nothing yet of this answer
	}
	if resp.Body == nil {
		a.whole = true
		return nil
	}
	defer resp.Body.Close()
	limit := int64(bodyLimit)
	if a.status >= 300 {
		limit = errorLimit
	}
	if resp.ContentLength > limit {
		return errTooLarge
	}
	all := &io.LimitedReader{R: resp.Body, N: limit + 1} // what is left out counts as well
	in, length := io.Reader(all), resp.ContentLength
	if seen != nil && a.status < 300 {
		length = -1 // of what is left of it
		var err error
		if in, err = seen.open(all); err != nil {
			return err
		}
	}
	body, err := room.read(ctx, clock, in, length, limit+1)
	if err == nil && all.N == 0 {
		err = errTooLarge
	}
	if err != nil {
		return err
	}
	a.body = bytes.TrimSpace(bytes.TrimPrefix(body, []byte("\xef\xbb\xbf")))
	a.whole = resp.ContentLength >= 0 || len(resp.TransferEncoding) > 0 || resp.ProtoMajor >= 2 || resp.Uncompressed
	return nil
}

// judge returns the error that an answer holds, in whatever form.
func (a *answer) judge(k call, resp *http.Response) *Error {
	if a.status >= 300 && a.status < 400 {
		return redirected(resp)
	}
	if f, found := findFault(a.body, a.status); found {
		a.refused = f.refuses(a.status)
		return a.fault(f)
	}
	if bytes.HasPrefix(a.body, []byte("<")) {
		return a.webPage()
	}
	if a.status < 200 || a.status >= 400 {
		return a.statusOnly()
	}
	if len(a.body) > 0 && k.repair != nil && !jsontext.Value(a.body).IsValid(tolerant) {
		a.body = k.repair(a.body)
	}
	if len(a.body) > 0 && a.body[0] != '{' && !(k.list && a.body[0] == '[') {
		return notJSON("the answer is not the JSON object that this operation gives", nil)
	}
	return nil
}

// fault makes an error of what the answer says, which is shortened: its words are
// read from the answer with every secret masked, or a part of one could be left.
func (a *answer) fault(f fault) *Error {
	e := f.err(a.status)
	clean, _ := findFault(a.secrets.json(a.body), a.status)
	e.MessageCode, e.Message, e.Details = clean.messageCode, clean.message, clean.details
	return e
}

func notJSON(sentence string, cause error) *Error {
	return &Error{Kind: KindNotJSON, Message: sentence, Err: cause}
}

// redirected names where the site points to, without what could be secret in
// it: the place is never visited.
func redirected(resp *http.Response) *Error {
	target := "another place"
	if u, err := resp.Location(); err == nil && u.Host != "" {
		clean := url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path, RawPath: u.RawPath}
		target = clean.String()
	}
	return notJSON("the site redirects to "+target+", which is not followed; if that is the right address, use it", nil)
}

var titlePattern = regexp.MustCompile(`(?is)<title[^>]{0,200}>\s*([^<]{1,200})`)

// webPage says what to do about a page where JSON was asked for.
func (a *answer) webPage() *Error {
	page := "a web page"
	head := a.secrets.text(string(a.body[:min(len(a.body), 64<<10)]))
	if m := titlePattern.FindStringSubmatch(head); m != nil {
		if title := strings.TrimSpace(html.UnescapeString(m[1])); title != "" {
			page = fmt.Sprintf("a web page (%q)", title)
		}
	}
	e := notJSON("the answer is "+page+", not the API's: the address may be wrong, or a proxy or a login page is in between", nil)
	if kindOfCode(a.status) == KindSignIn {
		e.Kind = KindSignIn
	}
	return e
}

// statusOnly makes an error of an HTTP status whose body the platform's shapes
// do not explain.
func (a *answer) statusOnly() *Error {
	text := http.StatusText(a.status)
	switch a.status {
	case 498:
		text = "the token is not valid"
	case 499:
		text = "a token is required"
	}
	if len(a.body) > 0 && a.body[0] != '{' && a.body[0] != '[' {
		said := a.secrets.text(string(a.body))
		text = strings.TrimSpace(text + ": " + strings.ToValidUTF8(said[:min(len(said), 500)], ""))
	}
	return &Error{Kind: kindOfCode(a.status), Message: text, Explicit: a.status >= 400 && !isGateway(a.status)}
}
