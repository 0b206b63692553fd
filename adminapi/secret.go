package adminapi

import "fmt"

// masked stands wherever a secret would have been printed.
const masked = "[secret]"

// Secret is a token or a password. It prints as a mask with every verb and in
// JSON, so that it cannot reach a log, an error or a file by accident.
type Secret string

// Reveal returns the secret itself: for the wire only.
func (s Secret) Reveal() string { return string(s) }

// String returns a mask, and nothing for an empty secret.
func (s Secret) String() string {
	if s == "" {
		return ""
	}
	return masked
}

// Format writes the mask whatever the verb.
func (s Secret) Format(f fmt.State, _ rune) { fmt.Fprint(f, s.String()) }

// MarshalText writes the mask.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// MarshalJSON writes the mask as a JSON string.
func (s Secret) MarshalJSON() ([]byte, error) { return []byte(`"` + s.String() + `"`), nil }
