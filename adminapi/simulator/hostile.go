package simulator

import "strings"

// hostileTails attack a terminal: they erase it, write its clipboard and title, move
// the cursor, turn the text around.
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

// hostile adds the n-th attack to a text.
func hostile(text string, n int) string {
	return text + " " + hostileTails[n%len(hostileTails)]
}

// hostileMessageTails are further attacks, for messages of an upgrade.
var hostileMessageTails = []string{
	"\xff\xfe broken \xc3\x28 UTF-8 \xf0\x9f",
	"\x1b]8;;https://evil.example\x1b\\link\x1b]8;;\x1b\\ \x1bP$q q\x1b\\ \x1b_apc\x1b\\",
	"\x1b[?1049h\x1b[?1000h\x1b[6n\x1b[c\x1b[>q modes and questions",
	"emoji 👩🏽‍🚒🏳️‍🌈🇩🇪 and a\u0300\u0301\u0302\u0303\u0304\u0305\u0306\u0307 marks",
	"\u2066isolated\u2069 \u200e\u200f\u061c marks \ufeff\u00ad\u2028\u2029 breaks",
	"\x00\x01\x08\x08\x08\x0b\x0c\x7f controls",
	strings.Repeat("\n", 500) + "many lines",
	strings.Repeat("a huge line ", 20_000),
	strings.Repeat("\u202e", 1000) + strings.Repeat("x\u0301", 1000),
	`{"stores":{"a":{"status":"` + "\x1b[2J" + `","fromVersion":[],"toVersion":{}}},"deep":` + strings.Repeat("[", 2000) + strings.Repeat("]", 2000) + `}`,
}

// hostileMessage adds an attack to the n-th message of an upgrade.
func hostileMessage(text string, n int) string {
	if n %= len(hostileTails) + len(hostileMessageTails); n >= len(hostileTails) {
		return text + " " + hostileMessageTails[n-len(hostileTails)]
	}
	return hostile(text, n)
}
