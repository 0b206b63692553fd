package adminapi

import (
	"errors"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Unknown holds the members of a JSON object that this package has no field
// for, exactly as the server wrote them.
type Unknown = jsontext.Value

// tolerant reads what the platform really sends: a build as a string or a
// number, expires as a number or a string, jobid or jobID, arrays that are
// missing or null, duplicate names, broken UTF-8. None of these is a reason to
// show an administrator nothing.
var tolerant = json.JoinOptions(
	jsontext.AllowDuplicateNames(true),
	jsontext.AllowInvalidUTF8(true),
	json.MatchCaseInsensitiveNames(true),
	json.WithUnmarshalers(json.JoinUnmarshalers(
		json.UnmarshalFromFunc(readText),
		json.UnmarshalFromFunc(readMillis),
		json.UnmarshalFromFunc(readInt),
		json.UnmarshalFromFunc(readBool),
		json.UnmarshalFromFunc(readTexts),
		json.UnmarshalFromFunc(readList[SuiteResult]),
		json.UnmarshalFromFunc(readList[TestResult]),
		json.UnmarshalFromFunc(readList[ReportSummary]),
		json.UnmarshalFromFunc(readList[Suite]),
		json.UnmarshalFromFunc(readList[SuiteTest]),
		json.UnmarshalFromFunc(readList[ServiceRef]),
		json.UnmarshalFromFunc(readList[UpgradeMessage]),
		json.UnmarshalFromFunc(readList[Container]),
		json.UnmarshalFromFunc(readList[UserInput]),
		json.UnmarshalFromFunc(readList[BackupStore]),
		json.UnmarshalFromFunc(readList[Backup]),
	)),
)

// decode reads one JSON value into v with the tolerance described above.
func decode(body []byte, v any) error { return json.Unmarshal(body, v, tolerant) }

// readText accepts any value for a text: a string as its content, null as
// nothing, everything else as the JSON it was written in.
func readText(dec *jsontext.Decoder, s *string) error {
	switch dec.PeekKind() {
	case jsontext.KindString:
		token, err := dec.ReadToken()
		if err != nil {
			return err
		}
		*s = token.String()
		return nil
	case jsontext.KindNull:
		*s = ""
		return dec.SkipValue()
	}
	value, err := dec.ReadValue()
	*s = string(value)
	return err
}

func readMillis(dec *jsontext.Decoder, m *Millis) error {
	n, err := readNumber(dec)
	*m = Millis(n)
	return err
}

func readInt(dec *jsontext.Decoder, i *int) error {
	n, err := readNumber(dec)
	*i = int(n)
	return err
}

// readNumber accepts a number or a string that holds one; anything else counts
// as not given.
func readNumber(dec *jsontext.Decoder) (int64, error) {
	var text string
	if err := readText(dec, &text); err != nil {
		return 0, err
	}
	text = strings.TrimSpace(text)
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return n, nil
	}
	// 1.6991485e12 and 12.0 are numbers too; what does not fit into 64 bits is not given.
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || f != f || f >= 1<<63 || f < -1<<63 {
		return 0, nil
	}
	return int64(f), nil
}

// readBool accepts true, "true" and "TRUE"; whatever else is false.
func readBool(dec *jsontext.Decoder, b *bool) error {
	var text string
	err := readText(dec, &text)
	*b = strings.EqualFold(strings.TrimSpace(text), "true")
	return err
}

// readTexts accepts a single value where a list of texts is expected.
func readTexts(dec *jsontext.Decoder, texts *[]string) error {
	switch dec.PeekKind() {
	case jsontext.KindBeginArray:
		return errors.ErrUnsupported // the library reads lists
	case jsontext.KindNull:
		*texts = nil
		return dec.SkipValue()
	}
	var text string
	if err := readText(dec, &text); err != nil {
		return err
	}
	*texts = []string{text}
	return nil
}

// readList accepts a single object where a list is expected; what is neither
// counts as an empty list.
func readList[T any](dec *jsontext.Decoder, list *[]T) error {
	switch dec.PeekKind() {
	case jsontext.KindBeginArray:
		return errors.ErrUnsupported // the library reads lists
	case jsontext.KindBeginObject:
		*list = make([]T, 1)
		return json.UnmarshalDecode(dec, &(*list)[0])
	}
	*list = nil
	return dec.SkipValue()
}

// unlessWritten returns what is missing; null is written.
func unlessWritten(v jsontext.Value, what string) string {
	if len(v) == 0 {
		return what
	}
	return ""
}

// readElements reads a list; null is one without elements.
func readElements[T any](list jsontext.Value, into *[]T) *Error {
	if err := decode(list, into); err != nil {
		return notJSON("the answer holds something else than a list", err)
	}
	return nil
}
