package simulator

import (
	"fmt"
	"html"
	"io"
)

const page = `<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><title>%[1]s · geodeck simulator</title></head>
<body>
<p><strong>This is a simulator, not a real site.</strong> Nothing here touches a platform.</p>
<h1>%[1]s</h1>
<p><code>%[2]s</code> · the same as JSON: add <code>f=json</code> or <code>f=pjson</code></p>
<pre>%[3]s</pre>
</body>
</html>
`

// writePage writes what an answer holds as a page.
func writePage(w io.Writer, title, path string, body []byte) error {
	_, err := fmt.Fprintf(w, page, html.EscapeString(title), html.EscapeString(path), html.EscapeString(string(body)))
	return err
}
