package simulator

// hostileTails are what no text of a server may do to a terminal: erase it,
// write its clipboard and title, move the cursor, turn the text around.
var hostileTails = []string{
	"\x1b[2J\x1b[H owned",
	"\x1b]52;c;ZXZpbA==\x07 clipboard",
	"\x1b]0;title\x07 title",
	"\u202egnorw\u202c bidi",
	"line one\nline two\ttabbed\r overwritten",
	"\u009b31m c1 \u0085 nel",
	"<script>alert(1)</script> & \"quotes\"",
	"wide 日本語 combining e\u0301\u0301\u0301 zero\u200bwidth",
}

// hostile adds to a text the n-th of the things that a terminal must not obey.
func hostile(text string, n int) string {
	return text + " " + hostileTails[n%len(hostileTails)]
}
