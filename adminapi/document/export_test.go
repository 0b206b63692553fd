package document

// Fields are all known fields.
func Fields() []Field { return fields }
