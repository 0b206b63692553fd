package simulator

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// extend adds patches to the chain of the site's release.
func (u *upgrades) extend(site version, more int) {
	at := slices.IndexFunc(u.catalogue, func(o *update) bool { return o.Version == site.release() })
	if more == 0 || at < 0 {
		return
	}
	release := u.catalogue[at]
	for at+1 < len(u.catalogue) && u.catalogue[at+1].Version == release.Version {
		at++
	}
	last, list := u.catalogue[at], make([]*update, more)
	for i := range list {
		list[i] = last.next(release)
		last = list[i]
	}
	u.catalogue = slices.Insert(u.catalogue, at+1, list...)
}

// next is a patch on top of another one, five builds and a day later.
func (u *update) next(release *update) *update {
	released := time.UnixMilli(u.Released).UTC().AddDate(0, 0, 1)
	number, required := u.Build.number+5, false
	p := &update{
		ID: fmt.Sprintf("pat_%s_%d", released.Format("02012006"), number), Name: fmt.Sprintf("%s update %d", release.Version, number),
		Type: typePatch, Version: release.Version, PreviousVersion: release.Version, Build: build{number, true},
		PreviousBuild: build{u.Build.number, true}, ReleaseBuild: build{release.Build.number, true}, Mandatory: &required,
		URL: fmt.Sprintf("https://releases.example.org/%s/%d", release.Version, number), Released: released.UnixMilli(),
	}
	// Few containers: a manifest of thousands of patches is long enough.
	tag := p.full().String()
	for _, c := range release.Containers[:4] {
		name, _, _ := strings.Cut(c.Image, ":")
		p.Containers = append(p.Containers, container{c.Name, name + ":" + tag, c.Checksum})
	}
	return p
}
