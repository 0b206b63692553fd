package secrets

import (
	"slices"
	"sync"
	"sync/atomic"
)

// Known keeps the secrets of one site: its present and earlier tokens, passwords, and the secret
// values that were sent to it; of each the checksums alone. It is safe for concurrent use.
type Known struct {
	base             uint64
	mu               sync.Mutex
	tokens, others   []known
	traced           []known // found in exchanges by their names
	current, tracing atomic.Pointer[matcher]
}

// known is a secret with what the site made of it.
type known struct {
	fingerprints
	sending        int  // requests under way that carry it
	taken, refused bool // by the site, ever; what it has issued, and what is a value of it, is taken
	typed          bool // for a sign-in
}

// Answer is what a site made of the secrets in a request: neither where it refused a privilege, or
// its answer never came.
type Answer struct{ Taken, Refused bool }

// How many secrets are kept, the newest of each. Earlier tokens count because a site may write
// about one that has expired.
const maxTokens, maxOthers = 32, 512

// minTraced is the length in bytes from which a secret that was found by its name is masked in
// later exchanges, too: short ones are words of other texts.
const minTraced = 12

// New returns a Known without secrets. base is a random number, on which its checksums depend.
func New(base uint64) *Known {
	k := &Known{base: base | 1}
	k.renew()
	return k
}

// Masker masks what is known when it is used.
func (k *Known) Masker() ByValue { return ByValue{of: []*atomic.Pointer[matcher]{&k.current}} }

// Add adds secrets that are certainly some of the site.
func (k *Known) Add(secrets ...Secret) {
	k.add(&k.others, maxOthers, known{taken: true}, secrets...)
}

// AddToken adds a token. One that the site has issued is never forgotten.
func (k *Known) AddToken(token Secret, issued bool) {
	k.add(&k.tokens, maxTokens, known{taken: issued}, token)
}

// SendToken notes that a request with a token is under way.
func (k *Known) SendToken(token Secret) { k.note(func(s *known) { s.sending++ }, token) }

// TokenSent notes what the site made of the token of a request. Once it takes one, those are
// forgotten that it has refused and never took. A site that is upgraded may refuse all tokens for
// a moment: that in use is kept.
func (k *Known) TokenSent(answer Answer, token, inUse Secret) {
	k.sent(answer, token)
	if answer.Taken {
		k.forget(&k.tokens, inUse)
	}
}

// SignIn notes that a sign-in is under way. Secrets that the site refuses, and never took, are
// masked until then: a mistyped password may be any word, which would be masked wherever it stands.
func (k *Known) SignIn(secrets ...Secret) {
	k.add(&k.others, maxOthers, known{typed: true}, secrets...)
	k.note(func(s *known) { s.sending++ }, secrets...)
}

// SignedIn notes what the site made of a sign-in.
func (k *Known) SignedIn(answer Answer, secrets ...Secret) {
	k.sent(answer, secrets...)
	k.forget(&k.others, "")
}

// Traced takes what was found in an exchange by its name, and masks it there; what is long, in
// every later exchange, too.
func (k *Known) Traced(found []Secret) ByValue {
	fresh := slices.DeleteFunc(slices.Clone(found), func(s Secret) bool {
		return len(s) < minTraced || k.tracing.Load().text(s.Reveal(), InKept) == Mask
	})
	k.add(&k.traced, maxOthers, known{taken: true}, fresh...)
	return ByValue{of: []*atomic.Pointer[matcher]{&k.tracing}}.And(Of(found...))
}

// doubtful reports whether a secret may be none of this site. It is masked in what belongs to
// requests, and nowhere else.
func (s known) doubtful() bool { return !s.taken && (s.refused || s.typed) }

func (s known) equal(other known) bool {
	return slices.Equal(s.runs, other.runs) && slices.Equal(s.words, other.words)
}

// add adds secrets, the newest last, all at once: what finds them is made anew each time. One that
// is there already keeps what is known of it.
func (k *Known) add(to *[]known, limit int, as known, secrets ...Secret) {
	var added []known
	seen := map[Secret]bool{}
	for _, secret := range slices.Backward(secrets) {
		if seen[secret] || len(added) == limit {
			continue
		}
		seen[secret] = true
		if as.fingerprints = fingerprintsOf(secret, k.base); len(as.runs)+len(as.words) > 0 {
			added = append(added, as)
		}
	}
	if len(added) == 0 {
		return
	}
	slices.Reverse(added)
	k.mu.Lock()
	defer k.mu.Unlock()
	*to = slices.DeleteFunc(*to, func(old known) bool {
		at := slices.IndexFunc(added, old.equal)
		if at >= 0 {
			old.taken = old.taken || as.taken
			added[at] = old
		}
		return at >= 0
	})
	*to = append(*to, added...)
	*to = (*to)[max(0, len(*to)-limit):]
	k.renew()
}

// renew makes what finds the secrets anew. The mutex is held.
func (k *Known) renew() {
	k.current.Store(newMatcher(k.base, k.tokens, k.others))
	k.tracing.Store(newMatcher(k.base, nil, k.traced))
}

func (k *Known) sent(answer Answer, secrets ...Secret) {
	k.note(func(s *known) {
		s.sending--
		s.taken = s.taken || answer.Taken
		s.refused = s.refused || answer.Refused
	}, secrets...)
}

// note changes what is known of each secret.
func (k *Known) note(change func(*known), secrets ...Secret) {
	k.mu.Lock()
	defer k.mu.Unlock()
	changed := false
	for _, secret := range secrets {
		noted := known{fingerprints: fingerprintsOf(secret, k.base)}
		for _, list := range [][]known{k.tokens, k.others} {
			if at := slices.IndexFunc(list, noted.equal); at >= 0 {
				before := list[at].doubtful()
				change(&list[at])
				changed = changed || list[at].doubtful() != before
			}
		}
	}
	if changed {
		k.renew()
	}
}

// forget drops the secrets that the site has refused and never taken, unless a request with them
// is under way or they are in use, here and in what was traced.
func (k *Known) forget(from *[]known, inUse Secret) {
	k.mu.Lock()
	defer k.mu.Unlock()
	used := known{fingerprints: fingerprintsOf(inUse, k.base)}
	var dropped []known
	*from = slices.DeleteFunc(*from, func(s known) bool {
		drops := s.refused && !s.taken && s.sending == 0 && !s.equal(used)
		if drops {
			dropped = append(dropped, s)
		}
		return drops
	})
	if len(dropped) > 0 {
		k.traced = slices.DeleteFunc(k.traced, func(s known) bool { return slices.ContainsFunc(dropped, s.equal) })
		k.renew()
	}
}
