package upgrade

// MaxLicence is the size of the largest licence that is taken, in bytes. Real ones
// have some kilobytes.
const MaxLicence = 10 << 20

// CheckFile checks a file before it is used for a setting: its extension, size
// (bytes, as the file system says; content may be shorter when it is too large and
// was not read), and that a .json file is one JSON value. The error says what to
// do and never shows content.
func CheckFile(name string, size int64, content []byte, f Field) error { panic("contract only") }

// LicenceField is the field that a licence file of the old style is checked by.
func LicenceField() Field { panic("contract only") }
