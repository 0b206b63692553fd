package simulator

import (
	"bytes"
	"encoding/json"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// output writes one answer in the format that was asked for.
type output struct {
	w   http.ResponseWriter
	q   *request
	now time.Time
}

func (o output) refuse(err error) {
	r := asRefusal(err)
	status := r.status
	if status == 0 {
		status = http.StatusOK
	}
	if len(r.allow) > 0 {
		o.w.Header().Set("Allow", strings.Join(r.allow, ", "))
	}
	o.send(status, "Error", r.body())
}

func (o output) write(r route, a answer) {
	switch {
	case a.file != nil:
		o.save(a.file)
	case a.redirect != "" && o.q.format == "html":
		o.head("")
		http.Redirect(o.w, o.q.http, a.redirect, http.StatusSeeOther)
	case r.htmlOnly:
		o.q.format = "html"
		o.send(http.StatusOK, r.name, a.body)
	case a.text != nil:
		o.sendText(r.name, a.text)
	case a.body == nil:
		o.head("")
		o.w.WriteHeader(http.StatusOK)
	default:
		o.send(http.StatusOK, r.name, a.body)
	}
}

func (o output) send(status int, title string, body any) {
	if pieces, ok := body.(written); ok && o.q.format == "json" {
		o.sendWritten(pieces)
		return
	}
	text, err := marshal(body, o.q.format != "json")
	if err != nil {
		status, text = http.StatusInternalServerError, []byte(`{"error":{"code":500,"message":"the answer cannot be written","details":[]}}`)
	}
	o.sendJSON(status, title, text)
}

// sendText sends JSON as it stands; only those who ask for it pretty, and
// pages, get it with white space.
func (o output) sendText(title string, text []byte) {
	var pretty bytes.Buffer
	if o.q.format != "json" && json.Indent(&pretty, text, "", "  ") == nil {
		text = pretty.Bytes()
	}
	o.sendJSON(http.StatusOK, title, text)
}

func (o output) sendJSON(status int, title string, text []byte) {
	if o.q.format == "html" {
		o.head("text/html; charset=utf-8")
		o.w.WriteHeader(status)
		_ = writePage(o.w, title, o.q.http.URL.Path, text)
		return
	}
	o.head("application/json;charset=UTF-8")
	o.w.Header().Set("Content-Length", strconv.Itoa(len(text)))
	o.w.WriteHeader(status)
	_, _ = o.w.Write(text)
}

func (o output) sendWritten(pieces written) {
	o.head("application/json;charset=UTF-8")
	o.w.Header().Set("Content-Length", strconv.Itoa(pieces.size()+1))
	for _, piece := range pieces {
		_, _ = o.w.Write(piece)
	}
	_, _ = io.WriteString(o.w, "\n")
}

func (o output) save(f *download) {
	o.head(f.contentType)
	o.w.Header().Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": f.name}))
	_, _ = o.w.Write(f.content)
}

// head sets what every answer carries; the date is the world's.
func (o output) head(contentType string) {
	h := o.w.Header()
	h.Set("Date", o.now.UTC().Format(http.TimeFormat))
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	if contentType != "" {
		h.Set("Content-Type", contentType)
	}
}

// marshal writes JSON without escaping for HTML: pages escape by themselves.
func marshal(body any, indent bool) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if indent {
		enc.SetIndent("", "  ")
	}
	err := enc.Encode(body)
	return b.Bytes(), err
}
