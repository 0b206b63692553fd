package sites

import (
	"bufio"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// model is what a file means.
type model struct {
	names   []string
	current string
}

// do makes one random edit of the file and of the model, which says whether it is refused.
func (m *model) do(random *rand.Rand, path string) (err, want error) {
	name := string(rune('a' + random.IntN(8)))
	if len(m.names) > 0 && random.IntN(2) == 0 {
		name = m.names[random.IntN(len(m.names))]
	}
	at := slices.Index(m.names, name)
	edit := random.IntN(3)
	switch {
	case edit == 0 && at >= 0:
		return Add(path, Site{Name: name, URL: name}), ErrSiteExists
	case edit == 0:
		if m.names = append(m.names, name); len(m.names) == 1 && m.current == "" {
			m.current = name
		}
		return Add(path, Site{Name: name, URL: name, Production: random.IntN(2) == 0}), nil
	case at < 0 && edit == 1:
		return Remove(path, name), ErrNoSuchSite
	case at < 0:
		return Use(path, name), ErrNoSuchSite
	case edit == 1:
		m.names = slices.Delete(m.names, at, at+1)
		if m.current == name {
			m.current = ""
		}
		return Remove(path, name), nil
	}
	m.current = name
	return Use(path, name), nil
}

func TestAnySequenceOfEditsMeansWhatItSays(t *testing.T) {
	t.Parallel()
	for seed, start := range []string{"", "# mine\ncurrent: # none\nsites:\n  # of here\n", "sites: {}\r\n# end", "sites:\n  z: {url: z}\n\n  # y\n  y:\n      url: y\n\n# end\ncurrent: z\n"} {
		random := rand.New(rand.NewPCG(uint64(seed), 16))
		path := written(t, start)
		f, err := Read(path)
		if err != nil {
			t.Fatal(err)
		}
		m := model{f.Names(), f.Current()}
		for step := range 60 {
			if err, want := m.do(random, path); !errors.Is(err, want) {
				t.Fatalf("start %d, step %d: %v, not %v\n%s", seed, step, err, want, content(t, path))
			}
			now := content(t, path)
			f, err := Read(path)
			if err != nil || !slices.Equal(f.Names(), m.names) || f.Current() != m.current {
				t.Fatalf("start %d, step %d: %v, not %v: %v\n%s", seed, step, f, m, err, now)
			}
			if strings.Count(now, "#") != strings.Count(start, "#") {
				t.Fatalf("start %d, step %d: a comment is lost\n%s", seed, step, now)
			}
		}
	}
}

func TestProgramsThatEditAtOnceAllSurvive(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "geodeck", "config.yaml")
	const programs, each = 4, 8
	var all sync.WaitGroup
	for p := range programs {
		all.Go(func() {
			for i := range each {
				name := fmt.Sprintf("site-%d-%d", p, i)
				if err := Add(path, Site{Name: name, URL: name}); err != nil {
					t.Error(err)
				}
				if err := Use(path, name); err != nil {
					t.Error(err)
				}
				for range 20 { // others edit meanwhile
					if f, err := Read(path); err != nil || !slices.Contains(f.Names(), name) {
						t.Error("it is gone", err)
					}
				}
			}
		})
	}
	all.Wait()
	f, err := Read(path)
	if err != nil || len(f.Sites()) != programs*each {
		t.Errorf("%d sites, %v", len(f.Sites()), err)
	}
}

// envEditor makes a program of this test: one that edits the file until it is killed.
const envEditor = "GEODECK_TEST_EDITOR"

func TestMain(m *testing.M) {
	path := os.Getenv(envEditor)
	if path == "" {
		os.Exit(m.Run())
	}
	for i := 0; ; i++ {
		name := fmt.Sprintf("site-%d", i)
		for _, err := range []error{Add(path, Site{Name: name, URL: name}), Use(path, name), Remove(path, name)} {
			if err != nil {
				fmt.Println(err)
				os.Exit(1)
			}
			fmt.Println("edited")
		}
	}
}

func TestAProgramThatIsKilledLeavesTheOldFileOrTheNew(t *testing.T) {
	t.Parallel()
	const before = "# mine\nsites:\n  a:\n    url: a\n"
	path := written(t, before)
	for kill := range 8 {
		editor := exec.Command(os.Args[0])
		editor.Env = append(os.Environ(), envEditor+"="+path)
		out, err := editor.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := editor.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		for range 2 + kill {
			if !lines.Scan() || lines.Text() != "edited" {
				t.Fatal(lines.Text())
			}
		}
		_ = editor.Process.Kill()
		_ = editor.Wait()
		f, err := Read(path)
		if err != nil || f.Names()[0] != "a" || !strings.HasPrefix(content(t, path), "# mine\n") {
			t.Fatalf("%v\n%s", err, content(t, path))
		}
		for _, name := range f.Names()[1:] { // the next begins anew
			if err := Remove(path, name); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := Use(path, "a"); err != nil { // which removes what was left
		t.Fatal(err)
	}
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(entries) != 2 {
		t.Errorf("%v, %v", entries, err)
	}
}
