# The words that people try first. .ci/run is what a change has to pass.
GO ?= go
FUZZTIME ?= 1m
FRAMES ?= 10000
SEEDS ?= 10000
FROM ?= 1
MINUTES ?= 30
SOAK ?= 8

.PHONY: help run test race ci bench bench-terminal fuzz sweep monkey soak paint-check golden pages pictures texts mutants drill changes lint program release release-check

help: ## these words
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST)

run: ## the dashboard on a simulated platform
	$(GO) run . demo

test: ## all tests
	$(GO) test ./...

race: ## all tests with the race detector, which needs a C compiler
	$(GO) test -race ./...

ci: ## what a change has to pass; the race detector needs a C compiler
	.ci/run

bench: ## every benchmark, once each
	$(GO) test -run=XXX -bench=. -benchtime=1x ./...

bench-terminal: program ## what a terminal gets from the program, eight minutes; PAGE=docs/performance.md keeps it, OTHER='less FILE' measures that
	$(GO) test -count=1 -timeout=30m -v -run='$(if $(OTHER),^TestAnotherProgram$$,^TestMeasures$$)' ./ui/uitest/bench -other='$(OTHER)' \
		-program='$(CURDIR)/dist/geodeck' -page='$(if $(PAGE),$(CURDIR)/$(PAGE))'

# What widens the coverage is made smaller in 100 tries: without the limit that takes nearly all of FUZZTIME.
fuzz: ## every fuzz target for FUZZTIME, one after the other, up to the first failure
	@log=$$(mktemp); trap 'rm -f "$$log"' EXIT; for pkg in $$($(GO) list ./...); do \
		for target in $$($(GO) test -list '^Fuzz' $$pkg | grep '^Fuzz'); do \
			echo "+ $$(date +%T) $$pkg $$target"; \
			$(GO) test -run=XXX -fuzz="^$$target$$" -fuzztime=$(FUZZTIME) -fuzzminimizetime=100x $$pkg >"$$log" 2>&1 && tail -n 3 "$$log" | head -n 1 && continue; \
			cat "$$log"; run=$$(sed -n 's/.*-run=\(Fuzz.*\)/\1/p' "$$log" | head -n 1); \
			echo "$$(date +%T) failed; to repeat it: $(GO) test $$pkg -run='^$${run:-$$target}$$'"; exit 1; \
		done; \
	done; echo "$$(date +%T) no failures"

sweep: ## SEEDS bad days from seed FROM on, on all cores: ten thousand take minutes
	$(GO) test ./ui/uitest/sweep -run '^TestSweep$$' -count=1 -timeout 3h -v -seeds $(SEEDS) -from $(FROM)

monkey: program ## types at random at the program while a site misbehaves, MINUTES=30; SEED=n repeats it, LIFE=n from there
	nice $(GO) test -count=1 -timeout=24h -v -run='^TestTheProgramSurvivesAMonkey$$' ./ui/uitest/monkey \
		-program='$(CURDIR)/dist/geodeck' -minutes=$(MINUTES) $(if $(SEED),-seed=$(SEED)) $(if $(LIFE),-life=$(LIFE))

soak: program ## watches an upgrade of eight hours in SOAK=8 minutes: memory, threads, descriptors and output stay flat
	$(GO) test -count=1 -timeout=24h -v -run='^TestALongNightIsFlat$$' ./ui/uitest/bench -program='$(CURDIR)/dist/geodeck' -minutes=$(SOAK)

paint-check: ## FRAMES random frames in each of tmux, pyte and xterm that is installed
	NODE_PATH="$${NODE_PATH:-$$(npm root --global 2>/dev/null)}" \
		$(GO) test ./ui/paint -run '^TestTerminals$$' -count=1 -v -timeout 1h -terminals all -frames $(FRAMES)

golden: ## writes golden screens anew; read the difference before you commit
	$(GO) test ./ui/... -update
	$(GO) test . -run Journey -update

pages: ## writes docs/keys.md, docs/commands.md, docs/json, docs/config.schema.json and ui/views/keys.txt anew, from the program
	$(GO) test . -run Page -rewrite

pictures: ## makes docs/pictures anew, from the program; look at them before you commit
	$(GO) test . -run '^TestPictures$$' -rewrite

texts: ## every text that users may read, with its place; LONG=1 for those with too long a sentence
	@$(GO) run ./ui/uitest/texts $(if $(LONG),-long)

mutants: ## takes each guard of the program out: tests have to fail; ONLY=text for some, JOBS=2 at a time
	@$(GO) run ./ui/uitest/mutants $(if $(ONLY),-only '$(ONLY)') $(if $(JOBS),-jobs $(JOBS))

drill: ## plants each fault: the sweep has DAYS=500 three times, then the tests; ONLY=text for some, SUITE=1 tests too, DAYS=0 tests alone, PAGE=1 keeps the table
	@$(GO) run ./ui/uitest/mutants -drill $(if $(ONLY),-only '$(ONLY)') $(if $(JOBS),-jobs $(JOBS)) \
		$(if $(DAYS),-days $(DAYS)) $(if $(SUITE),-suite) $(if $(PAGE),-page)

changes: ## what SEEDS=300 bad days tell otherwise than with the program of BASE=HEAD; read it before you commit
	@$(GO) run ./ui/uitest/changes -base '$(or $(BASE),HEAD)' -seeds $(if $(filter file,$(origin SEEDS)),300,$(SEEDS)) -from $(FROM)

lint: ## format, vet, staticcheck, modules
	gofmt -l .
	$(GO) vet ./...
	$(GO) tool staticcheck ./...
	$(GO) mod tidy -diff

program: ## the stripped program in dist/
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags='-s -w' -o dist/geodeck .

release: ## the packages of VERSION=1.0.0 in dist/1.0.0; docs/releasing.md has all steps
	.ci/release '$(VERSION)'

release-check: ## whether VERSION, made twice, is the same to the byte, and is installed, upgraded and removed; twenty minutes
	.ci/release-check '$(or $(VERSION),0.1.0)'
