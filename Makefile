# The two commands of a newcomer: make ask Q="...", and make test.
.PHONY: help ask serve install test suite test-laptop test-long test-lambda test-infra test-engines lint format openapi hashes package bench animation doctor plan deploy destroy clean
.DEFAULT_GOAL := help

PYTHON ?= python3
LAMBDA_PYTHON ?= python3.13
ARCHITECTURE ?= arm64
VENV := .venv
BIN := $(VENV)/bin
PYTEST := $(BIN)/pytest -n 3 --dist worksteal

# The question goes to the program through the environment, unexpanded: quotes, backticks, dollar
# signs and line breaks in it mean nothing to make or to the shell.
export SELFRAG_Q := $(value Q)
export SELFRAG_DOCS := $(value DOCS)
export SELFRAG_COLLECTION := $(value COLLECTION)
export SELFRAG_POLICY := $(value POLICY)
export SELFRAG_FILTERS := $(value FILTERS)
export SELFRAG_PREVIOUS := $(value PREVIOUS)
# npm would tell of its own releases after an installation.
export npm_config_update_notifier := false
unexport Q DOCS COLLECTION POLICY FILTERS PREVIOUS

# uv installs in a tenth of pip's time; pip installs where uv cannot: $(call install,environment,packages).
define install
@$(BIN)/uv --directory / pip install --quiet --system-certs --build-constraints "$(CURDIR)/constraints.txt" \
  --python "$(CURDIR)/$(1)" $(2) > $(1)/install.txt 2>&1 || \
  $(1)/bin/pip install --quiet --retries 2 $(2) > $(1)/install.txt 2>&1 || { \
  echo "The packages could not be installed: is there a network? $(1)/install.txt says more." >&2; exit 1; }
endef
COMMAND := --constraint "$(CURDIR)/constraints.txt" --editable "$(CURDIR)[agents,aws]"
DEPLOY := $(COMMAND) --group "$(CURDIR)/pyproject.toml:deploy"
DEV := --constraint "$(CURDIR)/constraints.txt" --editable "$(CURDIR)[agents,aws,sites]" --group "$(CURDIR)/pyproject.toml:dev"

help: ## Show what can be made
	@grep -hE '^[a-z-]+:.*##' Makefile | sed 's/:.*## /\t/'

ask: $(VENV)/.ask ## Answer a question: make ask Q="..." [DOCS=dir | COLLECTION=name] [JSON=1] [POLICY='{...}'] [FILTERS='{...}'] [PREVIOUS=id] [VERDICTS=1]
	$(if $(value Q),,$(error Name the question: make ask Q="How many days of leave do I get?"))@$(BIN)/selfrag ask $(if $(JSON),--json) $(if $(VERDICTS),--verdicts) $(if $(value DOCS),--docs "$$SELFRAG_DOCS") \
	  $(if $(value COLLECTION),--collection "$$SELFRAG_COLLECTION") \
	  --policy "$$SELFRAG_POLICY" --filters "$$SELFRAG_FILTERS" --previous "$$SELFRAG_PREVIOUS" -- "$$SELFRAG_Q"

serve: $(VENV)/.ask ## Serve the HTTP API and its page on this machine: make serve [DOCS=dir] [COLLECTION=name] [PORT=n]
	@$(BIN)/selfrag serve $(if $(value DOCS),--docs "$$SELFRAG_DOCS") \
	  $(if $(value COLLECTION),--collection "$$SELFRAG_COLLECTION") $(if $(PORT),--port "$(PORT)")

install: $(VENV)/.infra $(VENV)/.browser $(VENV)/.accessibility $(VENV)/.engines ## Install what all tests need but the long ones, so that they run without network

test: $(VENV)/.test ## Run the checks, and the tests of what answers a question; test-laptop, -infra, -lambda, -engines and -long run the others (CONTRIBUTING.md)
	@$(MAKE) --no-print-directory -j 2 lint suite

suite: $(VENV)/.test
	@$(PYTEST) -m "not (long or laptop or infra)" --ignore tests/infra

test-laptop: $(VENV)/.test
	@$(PYTEST) -m "laptop and not long" --ignore tests/infra

test-long: $(VENV)/.infra $(VENV)/.java $(VENV)/.conformance $(VENV)/.models .venv-clients/.done
	@$(PYTEST) -m "long and not infra" --ignore tests/infra
	@$(BIN)/pytest -n 2 --dist loadfile -m "long and infra" tests/infra

test-lambda:
	@if $(LAMBDA_PYTHON) -c '' 2> /dev/null; then \
	  $(MAKE) --no-print-directory .venv-lambda/.done && \
	  .venv-lambda/bin/pytest -n 3 --dist worksteal -m "deployed and not long" tests/unit; \
	else echo "$(LAMBDA_PYTHON) is not installed: the functions were not tested on it." >&2; fi

test-infra: $(VENV)/.infra
	@$(BIN)/pytest -n 2 --dist loadfile --no-loadscope-reorder -m "infra and not long" tests/infra

test-engines: $(VENV)/.test $(VENV)/.java
	@$(BIN)/python -m tests.support.engines

lint: $(VENV)/.test ## Run the checks alone: ruff, mypy, import-linter
	@$(BIN)/ruff check --quiet .
	@$(BIN)/ruff format --check --quiet .
	@$(BIN)/mypy --no-error-summary
	@$(BIN)/lint-imports --no-cache > $(VENV)/lint-imports.txt || { cat $(VENV)/lint-imports.txt; exit 1; }

format: $(VENV)/.test openapi ## Write Python and Terraform in the layout that lint asks for, and the description of the API
	@$(BIN)/ruff check --quiet --fix .
	@$(BIN)/ruff format --quiet .
	@if command -v terraform > /dev/null; then terraform fmt -recursive infra; fi
	@$(BIN)/python -m tests.support.infra.reference

openapi: $(VENV)/.ask
	@$(BIN)/python -m selfrag.api.openapi > $(VENV)/openapi.json && cp $(VENV)/openapi.json functions/selfrag/api/openapi.json

# After a change of constraints.txt or of the dependencies in pyproject.toml.
hashes: $(VENV)/.ask
	$(call install,$(VENV),$(DEPLOY))
	@$(BIN)/python -m infra.packages.libraries --hashes

bench: $(VENV)/.test ## Measure, and print the figures: make bench [PARTS="rows" | "retrieval lines" | "--help"]
	@$(BIN)/python -m bench $(PARTS)

animation: $(VENV)/.test $(VENV)/.browser ## Make the animation of README anew, with a simulated model
	@$(BIN)/python -m bench animation

package: $(VENV)/.package ## Build the zips of the Lambdas into build/: make package [ARCHITECTURE=x86_64]
	@echo "Building a zip for each function and layer, for Lambda on $(ARCHITECTURE), into build/." >&2
	@if [ "$(ARCHITECTURE)" != arm64 ]; then \
	  $(BIN)/python -m infra.packages.libraries "build/libraries/$(ARCHITECTURE)" --architecture "$(ARCHITECTURE)"; fi
	@$(BIN)/python -m infra.packages.package --out build --libraries "build/libraries/$(ARCHITECTURE)" \
	  --architecture "$(ARCHITECTURE)"

doctor: $(VENV)/.ask infra/provider.tf ## Look at your AWS account before a deployment, or at the deployment: make doctor [VARS=file] [DEPLOYED=1]
	@terraform -chdir=infra init -input=false >&2
	@$(BIN)/selfrag doctor $(if $(VARS),--var-file '$(abspath $(VARS))') $(if $(DEPLOYED),--deployed)

# The provider of the root configuration; who calls infra/ as a module has their own.
infra/provider.tf: infra/provider.tf.example
	@cp $< $@

# What blocks is said before a plan; CHECK=0 leaves that out. A stored plan was looked at when it was made.
define check_account
@[ "$(CHECK)" = 0 ] || $(BIN)/selfrag doctor --free $(if $(VARS),--var-file '$(abspath $(VARS))') >&2 || { \
  echo "Nothing was planned or deployed. CHECK=0 leaves these checks out." >&2; exit 1; }
endef

plan: package infra/provider.tf ## Show what deploy would change: make plan [OUT=file, for deploy] [VARS=file] [CHECK=0]; needs AWS credentials
	@echo "Comparing infra/ with the AWS account of your credentials; nothing is changed." >&2
	@terraform -chdir=infra init -input=false >&2
	$(check_account)
	@terraform -chdir=infra plan $(if $(VARS),-var-file='$(abspath $(VARS))') $(if $(OUT),-out='$(abspath $(OUT))')

deploy: package infra/provider.tf ## Deploy into your AWS account; shows the plan and asks first: make deploy [PLAN=file | VARS=file] [CHECK=0]
	@echo "Deploying to the AWS account of your credentials; terraform shows the plan and asks." >&2
	@terraform -chdir=infra init -input=false >&2
	$(if $(PLAN),,$(check_account))
	@terraform -chdir=infra apply $(if $(PLAN),'$(abspath $(PLAN))',$(if $(VARS),-var-file='$(abspath $(VARS))'))

destroy: infra/provider.tf ## Remove the deployment; shows what would go and asks first
	@echo "Removing the deployment that infra/'s state describes; terraform shows it and asks." >&2
	@terraform -chdir=infra destroy

clean: ## Remove the virtual environments, packages and caches
	rm -rf $(VENV) .venv-* build .mypy_cache .ruff_cache .pytest_cache .hypothesis tests/support/*/node_modules

$(VENV)/.ask: pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2> /dev/null || { \
	  echo "selfrag needs Python 3.11 or newer: name one, such as make ask PYTHON=python3.12" >&2; exit 1; }
	@echo "Setting up $(VENV) (once, less than a minute)..." >&2
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/pip install --quiet --retries 2 --constraint constraints.txt pip uv > $(VENV)/install.txt 2>&1 || true
	$(call install,$(VENV),$(COMMAND))
	@touch $@

$(VENV)/.test: $(VENV)/.package | $(VENV)/.roles
	$(call install,$(VENV),$(DEV))
	@$(BIN)/python -m infra.packages.libraries build/libraries/host --host
	@touch $@

# What decides calls as IAM does runs on Node.
$(VENV)/.roles: tests/support/roles/package.json | $(VENV)/.ask
	@if command -v npm > /dev/null; then \
	  npm install --prefix tests/support/roles --no-package-lock --no-audit --no-fund --loglevel error >&2 && touch $@; \
	else echo "npm is not installed: the tests of roles are skipped, and other tests allow every call." >&2; fi

# What looks a page over for those who cannot see it.
$(VENV)/.accessibility: tests/support/accessibility/package.json | $(VENV)/.ask
	@if command -v npm > /dev/null; then \
	  npm install --prefix tests/support/accessibility --no-package-lock --no-audit --no-fund --loglevel error >&2 && touch $@; \
	else echo "npm is not installed: the tests of accessibility are skipped." >&2; fi

# What tests the tools of agents by the protocol's own tests, on a Node that these need.
$(VENV)/.conformance: tests/support/conformance/package.json | $(VENV)/.ask
	@if command -v npm > /dev/null; then \
	  npm install --prefix tests/support/conformance --no-package-lock --no-audit --no-fund --loglevel error >&2 && touch $@; \
	else echo "npm is not installed: the protocol's conformance is not tested." >&2; fi

# What serves a made model as llama.cpp does.
$(VENV)/.models: Makefile | $(VENV)/.test
	$(call install,$(VENV),--constraint "$(CURDIR)/constraints.txt" xllamacpp==2026.10.11549 gguf==0.19.0)
	@touch $@

.venv-lambda/.done: pyproject.toml constraints.txt | $(VENV)/.test
	@$(LAMBDA_PYTHON) -m venv .venv-lambda
	$(call install,.venv-lambda,$(DEV))
	@touch $@

# The emulator and the scanner pin other versions than we do, so each has an environment of its own.
$(VENV)/.infra: $(VENV)/.test .venv-emulator/.done .venv-checkov/.done
	@touch $@

# What opens a page as a person does; Debian's own package, where root may install one, after those of Java.
$(VENV)/.browser: | $(VENV)/.ask $(VENV)/.java
	@if command -v chromium-headless-shell > /dev/null || command -v chromium > /dev/null; then touch $@; \
	elif command -v apt-get > /dev/null && [ "$$(id -u)" = 0 ]; then \
	  apt-get update -qq >&2 && apt-get install -y -qq --no-install-recommends chromium-headless-shell >&2 && touch $@; \
	else echo "chromium is not installed: the tests that open a page in a browser are skipped." >&2; fi

# What starts the real engines, and makes clients in other languages; Debian's packages, where root may install them.
$(VENV)/.java: | $(VENV)/.ask
	@if command -v java mvn > /dev/null; then touch $@; \
	elif command -v apt-get > /dev/null && [ "$$(id -u)" = 0 ]; then \
	  apt-get update -qq >&2 && apt-get install -y -qq --no-install-recommends openjdk-17-jdk-headless maven >&2 && touch $@; \
	else echo "Java 17 or Maven is not installed: the real engines are not tested." >&2; fi

$(VENV)/.engines: tests/support/engines/pom.xml | $(VENV)/.test $(VENV)/.java
	@if command -v java mvn > /dev/null; then $(BIN)/python -m tests.support.engines.programs && touch $@; fi

$(VENV)/.package: $(VENV)/.ask
	$(call install,$(VENV),$(DEPLOY))
	@$(BIN)/python -m infra.packages.libraries build/libraries/arm64
	@touch $@

.venv-emulator/.done: | $(VENV)/.test
	@$(PYTHON) -m venv .venv-emulator
	$(call install,.venv-emulator,ministack==1.5.33)
	@touch $@

.venv-checkov/.done: | $(VENV)/.test
	@$(PYTHON) -m venv .venv-checkov
	$(call install,.venv-checkov,checkov==3.3.30)
	@touch $@

# What makes clients of the API, and what tries the API by its description.
.venv-clients/.done: | $(VENV)/.test
	@$(PYTHON) -m venv .venv-clients
	$(call install,.venv-clients,openapi-spec-validator==0.9.0 openapi-python-client==0.29.1 \
	  schemathesis==4.32.5 mypy==2.4.1 langchain-openai==1.7.4 llama-index-llms-openai-like==0.8.1)
	@touch $@
