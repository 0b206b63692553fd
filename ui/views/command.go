package views

// Command is one thing that a user can do. The same table feeds keys, footer,
// help, palette and README.
type Command struct {
	ID   string   // unique, such as "health.run"
	Keys []string // as Bubble Tea names them: "r", "ctrl+d", "enter"; may be empty
	Name string   // in the palette: "run health check"
	Hint string   // in the footer beside its key: "run"; empty keeps it out of the footer
	Help string   // one sentence for help and README
	// Group gathers commands in help, such as "Move" or "Reports".
	Group string
	// Argument names what the palette takes after the name, such as "file"; empty for none.
	Argument string
	// Choices completes the argument; may be nil.
	Choices func() []string
}

// Key names shown to people, where Bubble Tea's own are too technical.
var keyNames = map[string]string{
	"up": "↑", "down": "↓", "left": "←", "right": "→", " ": "space", "pgup": "pgup", "pgdown": "pgdn",
}

// KeyLabel returns a key as help shows it; ASCII keeps to plain words.
func KeyLabel(key string, ascii bool) string {
	name, ok := keyNames[key]
	if !ok || ascii && key != " " {
		return key
	}
	return name
}
