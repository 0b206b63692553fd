package simulator

import (
	"fmt"
	"strconv"
	"strings"
)

// version is a site's version: up to three numbers and a build.
type version [4]int

// parseVersion reads 11.5.0.6745, or less of it.
func parseVersion(text string) (version, error) {
	var v version
	parts := strings.Split(text, ".")
	if len(parts) > len(v) {
		return v, fmt.Errorf("%q is not a version such as 11.5.0.6745", text)
	}
	for i, part := range parts {
		n, err := strconv.Atoi(part)
		if err != nil || n < 0 {
			return v, fmt.Errorf("%q is not a version such as 11.5.0.6745", text)
		}
		v[i] = n
	}
	return v, nil
}

func (v version) String() string { return fmt.Sprintf("%d.%d.%d.%d", v[0], v[1], v[2], v[3]) }

// short is the version as currentVersion shows it: 11.5, 10.9.1.
func (v version) short() string {
	if v[2] == 0 {
		return fmt.Sprintf("%d.%d", v[0], v[1])
	}
	return fmt.Sprintf("%d.%d.%d", v[0], v[1], v[2])
}

// olderThan compares without the build; other is one of our own literals.
func olderThan(v version, other string) bool {
	o, err := parseVersion(other)
	if err != nil {
		return false
	}
	for i := range 3 {
		if v[i] != o[i] {
			return v[i] < o[i]
		}
	}
	return false
}
