package simulator

import (
	"html/template"
	"io"
)

var page = template.Must(template.New("page").Parse(`<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><title>{{.Title}} · geodeck simulator</title></head>
<body>
<p><strong>This is a simulator, not a real site.</strong> Nothing here touches a platform.</p>
<h1>{{.Title}}</h1>
<p><code>{{.Path}}</code> · the same as JSON: add <code>f=json</code> or <code>f=pjson</code></p>
<pre>{{.Body}}</pre>
</body>
</html>
`))

// writePage writes what an answer holds as a page; the template escapes it.
func writePage(w io.Writer, title, path string, body []byte) error {
	return page.Execute(w, struct{ Title, Path, Body string }{title, path, string(body)})
}
