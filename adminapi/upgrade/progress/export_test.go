package progress

// Catalogue is every code that is known.
var Catalogue = catalogue

// IsStep reports whether a code begins or ends a step.
func IsStep(c Code) bool { return c.Kind == Started && isStep(c) }
