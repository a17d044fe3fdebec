package main

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v2"
)

// variables are the names that the program reads.
func variables() map[string]bool {
	flags := flag.NewFlagSet("", flag.ContinueOnError)
	known := map[string]bool{}
	for _, v := range new(settings).define(flags) {
		known[variable(v.name)] = true
	}
	flags.VisitAll(func(f *flag.Flag) { known[variable(f.Name)] = true })
	return known
}

func readDeploy(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("deploy", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

var used = regexp.MustCompile(`\$\{([A-Z_]+)`)

func TestCompose(t *testing.T) {
	t.Parallel()
	var file struct {
		Services map[string]struct {
			Image           string
			Build           struct{ Context, Dockerfile string }
			Environment     map[string]string
			StopGracePeriod time.Duration `yaml:"stop_grace_period"`
			Deploy          struct{ Replicas int }
			DependsOn       any `yaml:"depends_on"`
			Volumes         []string
		}
		Volumes map[string]any
	}
	text := readDeploy(t, "compose.yaml")
	if err := yaml.Unmarshal([]byte(text), &file); err != nil {
		t.Fatal(err)
	}
	server, known := file.Services["server"], variables()
	for name := range server.Environment {
		if strings.HasPrefix(name, environment) && !known[name] {
			t.Errorf("the server does not read %s", name)
		}
	}
	for _, name := range []string{"POSTGRES_URL", "REDIS_URL", "BUCKET", "LINK_KEY", "API_TOKEN", "ROBOT_PATH"} {
		if server.Environment[environment+name] == "" {
			t.Errorf("%d replicas need %s%s", server.Deploy.Replicas, environment, name)
		}
	}
	seconds := func(name string) time.Duration {
		d, err := time.ParseDuration(server.Environment[environment+name])
		if err != nil {
			t.Error(err)
		}
		return d
	}
	if server.StopGracePeriod <= seconds("DRAIN")+seconds("DRAIN_DELAY") || server.Deploy.Replicas != 3 {
		t.Errorf("%d replicas with %v to stop in, want three and time to drain", server.Deploy.Replicas, server.StopGracePeriod)
	}
	if _, err := os.Stat(filepath.Join("deploy", server.Build.Context, server.Build.Dockerfile)); err != nil {
		t.Error(err)
	}
	for name, s := range file.Services {
		if s.Image == "" && name != "server" || strings.HasSuffix(s.Image, ":latest") || s.Image != "" && !strings.Contains(s.Image, ":") {
			t.Errorf("%s: the image %q has no version", name, s.Image)
		}
		for _, v := range s.Volumes {
			from, _, _ := strings.Cut(v, ":")
			if _, err := os.Stat(filepath.Join("deploy", from)); strings.HasPrefix(from, ".") && err != nil {
				t.Error(err)
			} else if _, ok := file.Volumes[from]; !strings.HasPrefix(from, ".") && !ok {
				t.Errorf("%s: there is no volume %s", name, from)
			}
		}
	}
	var asked, offered []string
	for _, m := range used.FindAllStringSubmatch(text, -1) {
		asked = append(asked, m[1])
	}
	for line := range strings.Lines(readDeploy(t, "env.example")) {
		if name, _, ok := strings.Cut(line, "="); ok && !strings.HasPrefix(line, "#") {
			offered = append(offered, name)
		}
	}
	slices.Sort(asked)
	slices.Sort(offered)
	if asked = slices.Compact(asked); !slices.Equal(asked, offered) {
		t.Errorf("compose.yaml asks for %v, and env.example has %v", asked, offered)
	}
}

func TestDockerfile(t *testing.T) {
	t.Parallel()
	text, known := readDeploy(t, "Dockerfile"), variables()
	if !strings.Contains(text, "go build ") || !strings.Contains(text, " ./examples/server\n") {
		t.Error("the Dockerfile does not build ./examples/server")
	}
	for _, m := range regexp.MustCompile(`WEBOFFICE_\w+`).FindAllString(text, -1) {
		if !known[m] {
			t.Errorf("the server does not read %s", m)
		}
	}
	for _, m := range regexp.MustCompile(`(?m)^COPY --from=(\w+) (\S+)`).FindAllStringSubmatch(text, -1) {
		if !strings.Contains(text, " AS "+m[1]+"\n") || !strings.Contains(text, "-o "+m[2]+" ") {
			t.Errorf("%s is made by no stage %s", m[2], m[1])
		}
	}
}

func TestUnit(t *testing.T) {
	t.Parallel()
	text, known := readDeploy(t, "weboffice-server.service"), variables()
	for _, m := range regexp.MustCompile(`(?m)^Environment=(\w+)=(\S+)`).FindAllStringSubmatch(text, -1) {
		if !known[m[1]] {
			t.Errorf("the server does not read %s", m[1])
		}
		if credential, ok := strings.CutPrefix(m[2], "%d/"); ok && !strings.Contains(text, "LoadCredential="+credential+":") {
			t.Errorf("%s is not loaded", m[2])
		}
	}
}

// The table of metrics in the documentation is complete, and has nothing else.
func TestMetricsAreDocumented(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/server.md")
	if err != nil {
		t.Skip(err) // The module was downloaded without the repository.
	}
	documented := regexp.MustCompile("(?m)^\\| `(weboffice_\\w+)`").FindAllStringSubmatch(string(page), -1)
	var names []string
	for _, m := range documented {
		names = append(names, m[1])
	}
	source, err := os.ReadFile("metrics.go")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"weboffice_jobs"}
	for _, m := range regexp.MustCompile(`(?:counter|histogram)\("(\w+)"`).FindAllStringSubmatch(string(source), -1) {
		want = append(want, "weboffice_"+m[1])
	}
	slices.Sort(names)
	slices.Sort(want)
	if !slices.Equal(names, want) {
		t.Errorf("documented: %v\nthere are: %v", names, want)
	}
}
