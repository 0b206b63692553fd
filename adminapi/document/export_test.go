package document

// Fields are all known fields.
func Fields() []Field { return fields() }

// Published are all published keys by their holder.
func Published() map[string]map[string]publishedKey { return published() }

// Words say what fits the key.
func (p publishedKey) Words() string { return p.words }
