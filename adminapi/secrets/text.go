package secrets

import (
	"regexp"
	"strings"
	"sync"

	"geodeck/adminapi/pattern"
)

// ByName masks what stands under the name of a secret. The zero value is ready for use.
type ByName struct {
	// Found are the secrets that were masked, so that they can be masked wherever else they stand.
	Found []Secret
	// Kept says that the texts are kept ones of a site. These are sentences, which speak of secrets
	// and count what passed: "The token: renewed", "pass=12", "exit code=3". In them a name counts
	// before = and in quotes alone, and pass and code do not.
	Kept bool
}

// What follows the name of a secret, or another sign of one. Each pattern has one group, the secret.
// All are bounded where they can fail: a hostile text has many signs.
const (
	blanks = `\s{0,9}`
	quote  = `(?:\\{0,9}["']|%22|%27)?`
	colon  = quote + blanks + `(?::|%3A)` + blanks + quote
	scheme = `(?:(?:basic|bearer)\s+)?`
)

var (
	pair     = pattern.New(`(?i)^(?:=|%3D)` + scheme + `([^\s&;"'<>]+)`)
	keptPair = pattern.New(`(?i)^(?:=|%3D)` + scheme + `([^\s&"'<>]+)`)

	// Members of what is no JSON as a whole; of JSON in a text of JSON, with backslashes.
	quoted       = pattern.New(`^\\{0,9}"` + blanks + `:` + blanks + `"((?:[^"\\]|\\.)+)`)
	escaped      = pattern.New(`^\\{1,9}"` + blanks + `:` + blanks + `\\{1,9}"([^"\\]+)`)
	singleQuoted = pattern.New(`^'` + blanks + `:` + blanks + `'([^'\\]+)`)
	member       = pattern.New(`(?i)^` + colon + scheme + `([^\s&;"'<>,{}\[\]\\]+)`)
	basic        = pattern.New(`(?i)^` + colon + `basic\s+([^\s"',;]+)`)

	// Sentences have the word bearer, too: a token is longer than their words.
	bearer      = pattern.New(`^\s+([\w.~+/=-]{16,})`)
	keptBearer  = pattern.New(`^\s+([^\s"',;]+)`)
	urlPassword = pattern.New(`^[^\s/?#"'<>@:]*:([^\s/?#"'<>]+)@`)
	privateKey  = pattern.New(`(?is)^[a-z ]{0,20}private key-----(.+?)(?:-----|$)`)

	wordEnd    = pattern.New(`(?i)(?:^|\W|%26|%3F)$`) // the escapes are of & and ?
	restOfName = pattern.New(`^[\w.-]*`)
)

// sign says that a secret may follow.
type sign struct {
	texts      string // in lower case, with | between them
	isName     bool   // or a part of one, behind which the secret stands
	isWord     bool   // by itself
	open, kept patterns
}

type patterns []func() *regexp.Regexp

var (
	inQuotes  = patterns{quoted, escaped, singleQuoted}
	named     = append(inQuotes[:3:3], pair, member)
	keptNamed = append(inQuotes[:3:3], keptPair)
	inURL     = patterns{urlPassword}
	inPEM     = patterns{privateKey}
	signs     = []sign{
		{words, true, false, named, keptNamed},
		{short, false, true, named, keptNamed},
		{"pass", false, true, patterns{pair, member}, nil},
		{"code", false, true, patterns{pair}, nil},
		{"authorization", false, true, patterns{member}, patterns{basic}},
		{"bearer", false, true, patterns{bearer}, patterns{keptBearer}},
		{"://", false, false, inURL, inURL},
		{"-----begin ", false, false, inPEM, inPEM},
	}
)

// signsByLetter are the signs, each with one text, by the first letter of that.
var signsByLetter = sync.OnceValue(func() *[256][]*sign {
	var by [256][]*sign
	for _, all := range signs {
		for text := range strings.SplitSeq(all.texts, "|") {
			one := all
			one.texts = text
			by[text[0]] = append(by[text[0]], &one)
		}
	}
	return &by
})

// Text returns a text with a mask in place of each secret that follows a name, or stands where URLs
// and headers have them. A text that is JSON as a whole is masked as [ByName.JSON] does.
func (n *ByName) Text(text string) string {
	if inner, isJSON := wholeJSON(text); isJSON && !n.Kept {
		var nested ByName
		if masked, ok := nested.JSON([]byte(inner), false); ok {
			if n.Found = append(n.Found, nested.Found...); string(masked) != inner {
				return string(masked)
			}
			return text
		}
	}
	if strings.Contains(text, "ſ") || strings.Contains(text, "\u212a") { // which look like s and k
		plain := strings.NewReplacer("ſ", "s", "\u212a", "k").Replace(text)
		if masked := n.Text(plain); masked != plain {
			return masked
		}
		return text
	}
	var out strings.Builder
	end := 0 // of what is in out
	by := signsByLetter()
	for at := 0; at+1 < len(text); at++ {
		for _, s := range by[text[at]|' '] {
			if text[at+1]|' ' != s.texts[1] {
				continue
			}
			if from, to := n.after(s, text, at); from < to {
				out.WriteString(text[end:from] + n.hide(text[from:to], Mask))
				end, at = to, to-1
				break
			}
		}
	}
	return out.String() + text[end:]
}

// after returns the place of the secret that follows a sign, if that stands at a place.
func (n *ByName) after(s *sign, text string, at int) (from, to int) {
	end := at + len(s.texts)
	if end > len(text) || !strings.EqualFold(text[at:end], s.texts) || s.isWord && !wordEnd().MatchString(text[max(0, at-3):at]) {
		return 0, 0
	}
	ends, patterns := []int{end}, s.open
	if s.isName {
		near := text[end:min(len(text), end+maxName)]
		if at > 0 && strings.HasPrefix(text[at-1:], Mask) { // what follows a mask is no part of a name
			near = near[:min(len(near), len(`]"`))]
		}
		ends[0] += len(restOfName().FindString(near))
		if quote := strings.IndexAny(near, `"'=:%`); quote >= 0 {
			ends = append(ends, end+len(strings.TrimRight(near[:quote], `\`)))
		}
	}
	if n.Kept {
		patterns = s.kept
	}
	for i, end := range ends {
		if i > 0 {
			patterns = inQuotes
		}
		for _, p := range patterns {
			if m := p().FindStringSubmatchIndex(text[end:]); m != nil {
				return end + m[2], end + m[3]
			}
		}
	}
	return 0, 0
}

func (n *ByName) hide(secret, mask string) string {
	n.Found = append(n.Found, Secret(secret))
	return mask
}

// wholeJSON returns the object or array that a text may be, without what surrounds it.
func wholeJSON(text string) (inner string, is bool) {
	inner = strings.Trim(text, " \t\r\n\ufeff")
	return inner, strings.HasPrefix(inner, "{") || strings.HasPrefix(inner, "[")
}

const (
	// hidden stands in place of a secret in a command line.
	hidden        = "…"
	minSecretWord = 4 // bytes; masking every "a" of a sentence would reveal more than it hides

	// separator joins the words of a command line while secrets are searched for: words may hold
	// blanks.
	separator = "\x00"
	// publicVariable names files, and is shown.
	publicVariable = "KUBECONFIG="

	flag      = `(?:--?[\w.-]*(?i:` + words + `|bearer|auth|header)[\w.-]*|--user|-[uHp])`
	part      = `(?:"[^"\x00]*"|'[^'\x00]*'|[^\s\x00]+)`
	shellWord = part + `(?:\\["']` + part + `?)*` // such as 'it'\''s secret'
)

// inCommands match secrets of a command line: the value of a flag (of kubectl, oc, curl, ssh and the
// like, also inside the script of a shell), of a variable for env, in an address, or what looks like
// a header or a token.
var inCommands = patterns{
	pattern.New(`(?:^|\x00)` + flag + `[=\x00]([^\x00]+)`),
	pattern.New(`\s["']?` + flag + `(?:=|\s+)(` + shellWord + `)`),
	pattern.New(`(?:^|[\s\x00])-[uHp]([^\s\x00-][^\x00]*)`),
	pattern.New(`(?:^|\x00)[A-Z_][A-Z0-9_]*=([^\x00]+)`),
	pattern.New(`[\s;&(][A-Z_][A-Z0-9_]*=(` + shellWord + `)`),
	pattern.New(`\b(?i:bearer|basic)\s+([^\s\x00"']+)`),
	pattern.New(`://([^/@\s\x00]+)@`),
	pattern.New(`(?:^|[^\w])(eyJ[\w-]{8}[\w.-]*)`),
}

// CommandLine joins the words of a command line, with what looks like a secret hidden.
func CommandLine(words []string) string {
	return strings.ReplaceAll(hideInCommand(strings.Join(words, separator)), separator, " ")
}

func hideInCommand(text string) string {
	for _, place := range inCommands {
		var out strings.Builder
		end := 0 // of what is in out
		for _, at := range place().FindAllStringSubmatchIndex(text, -1) {
			if !strings.HasSuffix(text[:at[2]], publicVariable) {
				out.WriteString(text[end:at[2]] + hidden)
				end = at[3]
			}
		}
		text = out.String() + text[end:]
	}
	return text
}

// CommandWords are the words of a command line of this program with what looks like a secret hidden, in the
// values of settings (PATH=VALUE), too.
func CommandWords(words []string) []string {
	shown := strings.Split(hideInCommand(strings.Join(words, separator)), separator)
	for i, word := range shown {
		if name, _, is := strings.Cut(word, "="); is && (IsName(name) || IsName(name[strings.LastIndexAny(name, ".]")+1:])) {
			word = name + "=" + Mask
		}
		at := len(word) // of JSON, where names may stand beside their secrets
		for _, begins := range []string{"=[", "={"} {
			if i := strings.Index(word, begins); i >= 0 {
				at = min(at, i+1)
			}
		}
		shown[i] = (&ByName{}).Text(word[:at]) + (&ByName{}).Text(word[at:])
	}
	return shown
}

// CommandOutput hides the hidden words of a command line in the output of its program: programs
// repeat what they do not understand.
func CommandOutput(words []string, text string) string {
	shown := CommandLine(words)
	quoteOrBlank := func(r rune) bool { return strings.ContainsRune(" \t\n\"'", r) }
	for _, word := range words {
		_, value, _ := strings.Cut(word, "=")
		for _, part := range append([]string{value, word}, strings.FieldsFunc(word, quoteOrBlank)...) {
			if len(part) >= minSecretWord && !strings.Contains(shown, part) {
				text = strings.ReplaceAll(text, part, hidden)
			}
		}
	}
	return hideInCommand(text)
}
