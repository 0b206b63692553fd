package document

// Fields are all known fields.
func Fields() (all []Field) {
	for _, of := range fields {
		for _, f := range of.fields {
			all = append(all, fieldByPattern[f.Pattern])
		}
	}
	return all
}

// Published are all published keys by their holder.
func Published() map[string]map[string]PublishedKey { return published() }
