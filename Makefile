# gate: build, try, test. `make help` lists the targets.
SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo unknown)
# The commit that "gate init" pins; none where something is not committed.
COMMIT ?= $(shell git diff --quiet HEAD 2>/dev/null && git rev-parse HEAD)
FUZZTIME ?= 10s
BENCH ?= .
PKG ?= ./...

# Pinned, so that everybody sees the same complaints. Built from source: no
# download but Go modules.
GOLANGCI := bin/tools/golangci-lint-v2.15.0
ACTIONLINT := bin/tools/actionlint-v1.7.12
ACT := bin/tools/act-v0.2.89
# What gate is compared with; shellcheck and bandit come from Debian.
GOSEC := bin/tools/gosec-v2.22.10
GITLEAKS := bin/tools/gitleaks-v8.30.1

# The race detector needs cgo and a C compiler; without them tests run without it.
RACE = $(shell [ "$$(go env CGO_ENABLED)" = 1 ] && command -v "$$(go env CC)" >/dev/null && echo -race)

# Packages that start goroutines, and what is made to be used by several. Under the race
# detector what computes takes ten times as long, so all other packages run without it.
# tools/arch holds this list. Those that wait for containers longest begin first.
# What the detector has to see is goroutines that share memory, not what containers do:
#   sandbox          all of it: its goroutines are about streams and signals of real containers
#   gate/judge       all of it, for the same reason with a real server
#   gate/execute     the layer on made-up containers, and two tests on real ones (racedOnContainers)
#   gate/static      what uses one scanner side by side; not the rules, which have no goroutines
#   sandbox/images   the bookkeeping; not the installers, each a process of its own
#   gate/hook/hookrun, gate/agent/workrun, sandbox/supervisor, sandbox/internal/canary
#                    all but what takes many files or megabytes through one goroutine
CONCURRENT := $(addprefix github.com/aigate/gate/,sandbox gate/judge gate/execute sandbox/supervisor sandbox/netsim \
	gate gate/agent/workrun gate/cache gate/deps gate/engine gate/execute/plan gate/exit gate/hook/hookrun \
	gate/lab/eval gate/lab/hostwatch gate/lsp gate/lsp/rpc gate/mcp gate/static gate/static/match \
	gate/static/rule gate/suppress sandbox/egress sandbox/images sandbox/images/relay sandbox/internal/canary sandbox/tools tools/testreport)
# These of them leave tests to the run without it (testenv.WithoutRace), so they run both ways.
BOTH := $(addprefix github.com/aigate/gate/,gate/execute gate/static sandbox/images gate/hook/hookrun gate/agent/workrun \
	sandbox/supervisor sandbox/internal/canary)
# The longest begin first.
LONGEST := $(addprefix github.com/aigate/gate/,cmd/gate gate/execute sandbox/images gate/static tools/action)
PACKAGES = $(shell go list $(PKG))
RACED = $(filter $(PACKAGES),$(CONCURRENT))
UNRACED = $(filter $(PACKAGES),$(LONGEST)) $(filter-out $(LONGEST) $(filter-out $(BOTH),$(CONCURRENT)),$(PACKAGES))

# A fifth of what the tests of the rules took was collecting their garbage: memory is cheaper.
GOGC ?= 400

# On the host's network, because an engine may have no other (tools/engine).
IMAGES := go run ./sandbox/images/build -network host >/dev/null

.PHONY: help
help: ## list the targets
	@sed -n 's/^\([a-z-]*\):[^#]*## /\1\t/p' $(MAKEFILE_LIST) | while IFS=$$'\t' read -r name what; do printf '  make %-12s %s\n' "$$name" "$$what"; done

.PHONY: build
build: ## bin/gate: one static binary
	CGO_ENABLED=0 go build -buildvcs=false -trimpath -ldflags '-s -w -X github.com/aigate/gate/gate/buildinfo.version=$(VERSION) -X github.com/aigate/gate/gate/buildinfo.commit=$(COMMIT)' -o bin/gate ./cmd/gate

.PHONY: demo
demo: build ## scan fixtures/demo with the static rules, bring up what is missing, scan it through all layers
	@tools/demo.sh

.PHONY: test
test: parts ## all tests on the real parts: engine, runsc, images, Ollama; none is skipped
	@ollama=$$(go run ./tools/ollama up -addr 127.0.0.1:0); \
	export GATE_TEST_REQUIRE=1 GATE_TEST_OLLAMA="$$ollama" GATE_TEST_SAMPLE="$$(git rev-parse HEAD)" GOGC=$(GOGC); \
	go run ./tools/testreport -no-skips -again 6 -- $(RACE) -p=2 -timeout=60m $(RACED) -- -p=3 -timeout=60m $(UNRACED)

# What the tests run against. The images wait for the network, gVisor and the Ollama
# server for the compiler, so side by side they take little more than the longer.
.PHONY: parts part-images part-compiled
parts: $(ACT) $(ACTIONLINT)
	@go run ./tools/engine up
	@go run ./tools/editors up
	@$(MAKE) --no-print-directory -j2 part-images part-compiled
part-images:
	@$(IMAGES)
part-compiled:
	@go run ./tools/engine up -runsc
	@go run ./tools/ollama up -addr 127.0.0.1:0 >/dev/null

.PHONY: test-podman
test-podman: ## the sandbox's tests on Podman's interface, in a service of its own; says what Podman cannot do
	@host=$$(tools/podman.sh up); trap 'tools/podman.sh down' EXIT; \
	DOCKER_HOST="$$host" GATE_TEST_REQUIRE=1 go run ./tools/testreport -- -timeout=20m ./sandbox

.PHONY: test-llama
test-llama: parts ## the judge and the agent on a real server of llama.cpp, which it unpacks from Debian's packages
	@ollama=$$(go run ./tools/ollama up -addr 127.0.0.1:0); llama=$$(tools/llama.sh up); trap 'tools/llama.sh down' EXIT; \
	export GATE_TEST_REQUIRE=1 GATE_TEST_OLLAMA="$$ollama" GATE_TEST_LLAMA="$$llama"; \
	go run ./tools/testreport -no-skips -- -timeout=30m -run 'Llama|RealServerJudgesFiles$$|WholeSession' ./gate/judge ./gate/agent/workrun

.PHONY: test-short
test-short: ## the tests that need no engine and no model; says what it skipped
	@go run ./tools/testreport -- $(PKG)

# Tests that ask testenv.Thorough, Rounds or Sample; tools/arch holds this list.
THOROUGH := TestAReusedRunEqualsAFreshOne|TestInputsCostNoMoreThanTheirBound|TestFlowsAcrossTwoModulesAreFound|TestCombinationsOfTheSampleAreNotMissed|TestAHundredBenignProgramsAreQuiet|TestRemovedProtectionsHaveAVisibleEffect|TestAnAttackThatIsKilledAtAnyMomentLeavesNothing
.PHONY: test-nightly
test-nightly: parts ## the tests of which `make test` takes a sample, in full (20 minutes)
	@GATE_TEST_REQUIRE=1 GATE_TEST_THOROUGH=1 go run ./tools/testreport -no-skips -- -count=1 -timeout=60m -run='^($(THOROUGH))$$' ./cmd/gate ./gate/execute ./gate/static ./gate/lab/carriers

# Not in `make test`: npm brings 900 MB, and the agents are proprietary but for two.
.PHONY: test-agents
test-agents: ## run Claude Code, Codex, Gemini CLI and Copilot behind gate's hooks, without a model (6 minutes)
	@go run ./tools/agents

.PHONY: attack
attack: build parts ## attack this gate on both runtimes, write docs/attacks.md; fails for what is worse than the baseline
	@code=0; \
	bin/gate attack --runtime runc,runsc --timeout 10s --baseline fixtures/attacks-baseline.json --save docs/attacks.json || code=$$?; \
	if [ "$$code" -le 1 ]; then go test ./cmd/gate -run TestTheTableOfAttacksIsThatOfTheSavedResult -update >/dev/null; fi; \
	exit $$code

# Three minutes. A table with something wrong in it is written as well.
.PHONY: attack-agent
attack-agent: build parts ## attack the agent with a model that obeys, write docs/agent-attacks.md
	@code=0; \
	bin/gate attack --agent --format json >docs/agent-attacks.json || code=$$?; \
	go test ./gate/lab/agentattack -run TestTheTableOfThePageIsThatOfTheSavedResult -update >/dev/null; \
	exit $$code

.PHONY: lint
lint: $(GOLANGCI) $(ACTIONLINT) ## gofmt, vet, staticcheck, the bans of .golangci.yml, and plain words
	$(GOLANGCI) run
	$(ACTIONLINT)
	go run ./tools/words

.PHONY: release
release: ## dist/: the files of a release for each platform (VERSION=v1.2.3)
	tools/release.sh '$(VERSION)' dist

.PHONY: bench
bench: ## benchmarks: scan throughput, one sandbox run (BENCH=regexp, PKG=./...)
	go test -run '^$$' -bench '$(BENCH)' -benchmem $(PKG)

# SHAPE: 14b, 7b, 1.5b or small; HOST: an Ollama server with a GPU.
.PHONY: bench-judge
bench-judge: ## what reviews cost on a GPU, with a model of SHAPE whose weights are noise (HOST=URL)
	go run ./gate/lab/judgebench -shape '$(or $(SHAPE),14b)' -host '$(or $(HOST),http://127.0.0.1:11434)'

# RISKY: a corpus to measure besides the fixtures, or a folder of NAME.LANGUAGE.jsonl files;
# ABOUT: what the page says about it; FILES: the most benign files of each language (1000).
.PHONY: detection
detection: build $(GOSEC) $(GITLEAKS) ## docs/detection.md: gate beside other tools (RISKY=folder of malicious programs)
	@ABOUT='$(ABOUT)' FILES='$(FILES)' gate/lab/compare/run.sh '$(RISKY)'

.PHONY: fuzz
fuzz: ## each fuzz target for FUZZTIME (default 10s)
	@go list $(PKG) | while read -r pkg; do \
	  go test -list '^Fuzz' "$$pkg" | { grep '^Fuzz' || true; } | while read -r target; do \
	    echo "fuzz $$pkg $$target"; go test -run '^$$' -fuzz "^$$target$$" -fuzztime '$(FUZZTIME)' -fuzzminimizetime 10x "$$pkg"; \
	  done; \
	done

.PHONY: docs
docs: ## write the generated pages again
	go generate ./...

.PHONY: images
images: ## the images that code runs in
	@go run ./tools/engine up
	@$(IMAGES)

.PHONY: down
down: ## stop the engine and the Ollama server that were started from here
	@go run ./tools/ollama down
	@go run ./tools/engine down

.PHONY: clean
clean: ## remove everything that was built here
	rm -rf bin dist .cache

# $(call gotool,PACKAGE,FLAGS) builds a program at the version in the target's name.
define gotool
	@echo "building $(notdir $@) from source" >&2
	@mkdir -p $(dir $@)
	@into=$$(mktemp -d $(CURDIR)/$(dir $@)new.XXXXXX); trap 'rm -rf "$$into"' EXIT; \
	GOBIN="$$into" CGO_ENABLED=0 go install $(2) $(1)@v$(lastword $(subst -v, ,$@)); mv "$$into"/* $@
endef

$(GOLANGCI):
	$(call gotool,github.com/golangci/golangci-lint/v2/cmd/golangci-lint)

$(ACTIONLINT):
	$(call gotool,github.com/rhysd/actionlint/cmd/actionlint)

$(ACT):
	$(call gotool,github.com/nektos/act)

$(GOSEC):
	$(call gotool,github.com/securego/gosec/v2/cmd/gosec)

$(GITLEAKS):
	$(call gotool,github.com/zricethezav/gitleaks/v8,-tags gore2regex)
