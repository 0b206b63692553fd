package before

import "strconv"

func (r *itemReader) affinities(v *value) {
	if !r.expect(v, '{') {
		return
	}
	r.keep(v, Required.key(), Preferred.key())
	r.below(Required.key(), func() { r.item.Required = r.affinity(v.get(Required.key()), Required) })
	r.below(Preferred.key(), func() { r.item.Preferred = r.affinity(v.get(Preferred.key()), Preferred) })
	r.at = AtItem(r.at.Item)
}

func (r *itemReader) affinity(v *value, kind Kind) Affinity {
	if v.missing() {
		return Affinity{}
	}
	a := Affinity{Present: true}
	if kind == Preferred && v.is('[') {
		a.Shape = WeightedList
		a.Terms = r.terms(v, kind, r.weighted)
		return a
	}
	if r.expect(v, '{') {
		r.keep(v, keyTerms)
		r.below(keyTerms, func() { a.Terms = r.terms(v.get(keyTerms), kind, r.term) })
	}
	return a
}

func (r *itemReader) terms(v *value, kind Kind, read func(*value) Term) []Term {
	if !r.expect(v, '[') {
		return nil
	}
	terms := make([]Term, len(v.members))
	for i, m := range v.members {
		r.at = AtTerm(r.at.Item, kind, i)
		r.below(inBrackets(i), func() { terms[i] = read(m.value) })
	}
	r.at = AtItem(r.at.Item)
	return terms
}

func (r *itemReader) weighted(v *value) (t Term) {
	if !r.expect(v, '{') {
		return Term{}
	}
	r.keep(v, keyWeight, keyPreference)
	r.below(keyPreference, func() { t = r.term(v.get(keyPreference)) })
	if weight := v.get(keyWeight); !weight.missing() {
		r.below(keyWeight, func() {
			n, err := strconv.ParseInt(weight.text(), 10, 32)
			if r.expect(weight, '0') && err != nil {
				r.fault("a weight is a whole number from 1 to 100")
			}
			t.Weight = int(n)
		})
	}
	return t
}

func (r *itemReader) term(v *value) (t Term) {
	if !r.expect(v, '{') {
		return Term{}
	}
	r.keep(v, keyExpressions, keyFields)
	term := r.at
	for _, key := range []string{keyExpressions, keyFields} {
		list := v.get(key)
		r.below(key, func() {
			if !r.expect(list, '[') {
				return
			}
			for i, m := range list.members {
				r.at = AtLine(term.Item, term.Kind, term.Term, len(t.Lines))
				r.below(inBrackets(i), func() { t.Lines = append(t.Lines, r.line(m.value, key == keyFields)) })
			}
			r.at = term
		})
	}
	return t
}

func (r *itemReader) line(v *value, field bool) Line {
	l := Line{Field: field}
	if !v.is('{') {
		r.fault("an object should stand here, there is " + kindWords[v.kind])
		return l
	}
	r.keep(v, keyKey, keyOperator, keyValues)
	l.Key, l.Operator = r.textOf(v, keyKey), r.textOf(v, keyOperator)
	r.below(keyValues, func() { l.Values = r.values(v.get(keyValues)) })
	return l
}

func (r *itemReader) values(v *value) []string {
	if !r.expect(v, '[') {
		return nil
	}
	values := make([]string, len(v.members))
	for i, m := range v.members {
		if !m.value.is('"') {
			r.below(inBrackets(i), func() {
				r.fault("a text should stand here, there is " + kindWords[m.value.kind] + ": put it in double quotes")
			})
		}
		values[i] = m.value.text()
	}
	return values
}
