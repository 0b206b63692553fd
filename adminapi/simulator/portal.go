package simulator

import (
	"net/http"
	"slices"
	"strconv"
	"time"
)

func portalRoutes(w *world) []route {
	return []route{
		{method: http.MethodPost, path: sharingRoot + "/generateToken", name: "Generate token", handle: w.generateToken, public: true},
		{method: http.MethodGet, path: sharingRoot + "/community/self", name: "Self", handle: w.self},
	}
}

type tokenBody struct {
	Token   string `json:"token"`
	Expires int64  `json:"expires"`
	SSL     bool   `json:"ssl"`
}

func (w *world) generateToken(q *request) (answer, error) {
	name, err := q.required("username")
	if err != nil {
		return answer{}, err
	}
	password, err := q.required("password")
	if err != nil {
		return answer{}, err
	}
	tok, err := q.tokenBinding()
	if err != nil {
		return answer{}, err
	}
	minutes, err := q.positive("expiration", int(defaultTokenLife/time.Minute))
	if err != nil {
		return answer{}, err
	}
	tok.user = w.users.find(name)
	if tok.user == nil || tok.user.Password != password {
		return answer{}, invalid("Unable to generate token.", "Invalid username or password.")
	}
	life := time.Duration(min(minutes, int(maxTokenLife/time.Minute))) * time.Minute
	text, expires := w.tokens.issue(tok, w.wall(), life)
	return answer{body: tokenBody{Token: text, Expires: millis(expires), SSL: false}}, nil
}

// tokenBinding reads to which caller the token shall be bound.
func (q *request) tokenBinding() (token, error) {
	switch client := q.params.Get("client"); client {
	case "", "referer":
		referer, err := q.required("referer")
		return token{referer: referer}, err
	case "ip":
		ip, err := q.required("ip")
		return token{ip: ip}, err
	case "requestip":
		return token{ip: remoteIP(q.http)}, nil
	default:
		return token{}, invalid("a parameter has a value that is not allowed",
			"client is "+strconv.Quote(client)+"; allowed: referer, ip, requestip")
	}
}

type selfBody struct {
	Username   string   `json:"username"`
	FullName   string   `json:"fullName"`
	Role       string   `json:"role"`
	Privileges []string `json:"privileges"`
}

func (w *world) self(q *request) (answer, error) {
	words := []string{"portal:user:viewOrgItems"}
	for _, p := range q.user.Privileges {
		words = append(words, portalWords[p]...)
	}
	slices.Sort(words)
	return answer{body: selfBody{q.user.Username, q.user.fullName, q.user.role, words}}, nil
}
