# The two commands of a newcomer: make ask Q="...", and make test.
.PHONY: help ask serve test suite test-beside test-long test-lambda test-infra test-engines install lint format openapi hashes architecture pictures package bench bench-docs bench-documents bench-imports bench-cold bench-laptop bench-retrieval doctor plan deploy smoke rollback destroy clean
.DEFAULT_GOAL := help

PYTHON ?= python3
LAMBDA_PYTHON ?= python3.13
ARCHITECTURE ?= arm64
VENV := .venv
BIN := $(VENV)/bin

# The question goes to the program through the environment, unexpanded: quotes, backticks, dollar
# signs and line breaks in it mean nothing to make or to the shell.
export SELFRAG_Q := $(value Q)
export SELFRAG_DOCS := $(value DOCS)
export SELFRAG_COLLECTION := $(value COLLECTION)
export SELFRAG_POLICY := $(value POLICY)
export SELFRAG_FILTERS := $(value FILTERS)
export SELFRAG_PREVIOUS := $(value PREVIOUS)
export SELFRAG_DATA := $(value DATA)
export SELFRAG_LIMIT := $(value LIMIT)
export SELFRAG_URL := $(value URL)
export SELFRAG_KEY := $(value KEY)
export SELFRAG_CODE := $(value CODE)
export SELFRAG_PUBLIC := $(value PUBLIC)
# npm would tell of its own releases after an installation.
export npm_config_update_notifier := false
unexport Q DOCS COLLECTION POLICY FILTERS PREVIOUS DATA LIMIT URL KEY CODE PUBLIC

# uv installs in a tenth of pip's time. It reads neither pip's configuration nor, from elsewhere, ours, so pip says where
# packages come from, and installs where uv cannot or is missing: $(call install,environment,packages).
define install
@index=$$($(BIN)/pip config list | sed -n "s/^[^ ]*\.index-url='\(.*\)'$$/\1/p" | head -n 1); \
  $(BIN)/uv --directory / pip install --quiet --system-certs $${index:+--default-index "$$index"} \
    --build-constraints "$(CURDIR)/constraints.txt" --python "$(CURDIR)/$(1)" $(2) >&2 || $(1)/bin/pip install --quiet $(2) >&2
endef
OURS := --constraint "$(CURDIR)/constraints.txt" --editable
LOCAL := $(OURS) "$(CURDIR)[local]"
DEPLOY := $(OURS) "$(CURDIR)[local,deploy]"
DEV := $(OURS) "$(CURDIR)[local,deploy,dev]"

help: ## Show what can be made
	@grep -hE '^[a-z-]+:.*##' Makefile | sed 's/:.*## /\t/'

ask: $(VENV)/.ask ## Answer a question: make ask Q="..." [DOCS=dir | COLLECTION=name] [JSON=1] [POLICY='{...}'] [FILTERS='{...}'] [PREVIOUS=id] [VERDICTS=1]
	@$(BIN)/selfrag ask $(if $(JSON),--json) $(if $(VERDICTS),--verdicts) $(if $(value DOCS),--docs "$$SELFRAG_DOCS") \
	  $(if $(value COLLECTION),--collection "$$SELFRAG_COLLECTION") \
	  --policy "$$SELFRAG_POLICY" --filters "$$SELFRAG_FILTERS" --previous "$$SELFRAG_PREVIOUS" -- "$$SELFRAG_Q"

serve: $(VENV)/.ask ## Serve the HTTP API and its page on this machine: make serve [DOCS=dir] [COLLECTION=name] [PORT=n]
	@$(BIN)/selfrag serve $(if $(value DOCS),--docs "$$SELFRAG_DOCS") \
	  $(if $(value COLLECTION),--collection "$$SELFRAG_COLLECTION") $(if $(PORT),--port "$(PORT)")

# What stands beside the service: readers of files, the page, what a laptop has in AWS's place, evaluation, benches.
BESIDE := tests/e2e/page tests/e2e/test_page.py tests/e2e/test_page_steps.py tests/unit/ingestion/parse_document \
  tests/unit/cli/stand_in tests/unit/cli/local_index tests/unit/cli/recognition \
  tests/workflow/test_recognition.py tests/unit/cli/lab tests/bench \
  $(wildcard tests/e2e/test_eval*.py) tests/e2e/test_question_sets.py tests/e2e/test_replay.py

test: $(VENV)/.test ## Run every check, and the tests but those of infra/, those beside the service and the long ones
	@$(MAKE) --no-print-directory -j 2 lint suite

suite: $(VENV)/.test
	@$(BIN)/pytest -n 3 --dist worksteal $(addprefix --ignore ,tests/infra $(BESIDE)) -m "not long"

test-beside: $(VENV)/.test ## Test the readers of files, the page in a browser, the laptop's own parts, evaluation and benches
	@$(BIN)/pytest -n 3 --dist worksteal -m "not long" $(BESIDE)

test-long: $(VENV)/.infra $(VENV)/.java .venv-tools/.done .venv-clients/.done ## Test what proves little each time: at scale, processes killed, other programs (CONTRIBUTING.md)
	@$(BIN)/pytest -n 3 --dist worksteal --ignore tests/infra -m long
	@$(BIN)/pytest -n 2 --dist loadfile -m long tests/infra

test-lambda: ## Test the functions on the Python that AWS Lambda runs, where that is installed: make test-lambda [LAMBDA_PYTHON=path]
	@if $(LAMBDA_PYTHON) -c '' 2> /dev/null; then \
	  $(MAKE) --no-print-directory .venv-lambda/.done && \
	  .venv-lambda/bin/pytest -n 3 --dist worksteal -m "not long" $(addprefix tests/unit/,ask ingestion question selfrag); \
	else echo "$(LAMBDA_PYTHON) is not installed: the functions were not tested on it." >&2; fi

test-infra: $(VENV)/.infra ## Test infra/: the rules, checkov, and a deployment to an emulator of AWS; needs terraform
	@$(BIN)/pytest -n 2 --dist loadfile --no-loadscope-reorder -m "not long" tests/infra

test-engines: $(VENV)/.test $(VENV)/.java ## Test against a real OpenSearch and DynamoDB Local, which Maven brings: make test-engines [SELFRAG_TEST_SQUAD=file]
	@$(BIN)/python -m tests.support.engines

install: $(VENV)/.infra $(VENV)/.browser $(VENV)/.accessibility $(VENV)/.engines ## Install what the tests need but the long ones, so that they run without network

lint: $(VENV)/.test ## Run the checks alone: ruff, mypy, import-linter
	@$(BIN)/ruff check --quiet .
	@$(BIN)/ruff format --check --quiet .
	@$(BIN)/mypy --no-error-summary
	@$(BIN)/lint-imports --no-cache > $(VENV)/lint-imports.txt || { cat $(VENV)/lint-imports.txt; exit 1; }

format: $(VENV)/.test ## Write Python and Terraform in the layout that lint asks for
	@$(BIN)/ruff check --quiet --fix .
	@$(BIN)/ruff format --quiet .
	@if command -v terraform > /dev/null; then terraform fmt -recursive infra; fi

openapi: $(VENV)/.ask ## Write the description of the API anew
	@$(BIN)/python -m ask.openapi > $(VENV)/openapi.json && cp $(VENV)/openapi.json functions/ask/openapi.json

hashes: $(VENV)/.package ## Write the hashes of the libraries in the layers anew, after a change of constraints.txt
	@$(BIN)/python -m infra.packages.libraries --hashes

architecture: $(VENV)/.test ## Draw the picture of the rooms in docs/architecture.svg anew, from the imports
	@$(BIN)/python -m docs.picture

pictures: $(VENV)/.test ## Make the pictures of the page in docs/ anew, in Chromium
	@SELFRAG_PICTURES=docs $(BIN)/pytest tests/e2e/page/test_walk.py -k "asked_checked or dropped"
	@$(BIN)/python -m tests.support.page.pictures docs/page

package: $(VENV)/.package ## Build the zips of the Lambdas into build/: make package [ARCHITECTURE=x86_64]
	@echo "Building a zip for each function and both layers, for Lambda on $(ARCHITECTURE), into build/." >&2
	@if [ "$(ARCHITECTURE)" != arm64 ]; then \
	  $(BIN)/python -m infra.packages.libraries "build/libraries/$(ARCHITECTURE)" --architecture "$(ARCHITECTURE)"; fi
	@$(BIN)/python -m infra.packages.package --out build --libraries "build/libraries/$(ARCHITECTURE)" \
	  --architecture "$(ARCHITECTURE)"

bench: $(VENV)/.test ## Measure the workflow against a simulated Messages API: make bench [PARTS="rows strategies workflow serve index page"] [QUESTIONS=n]
	@$(BIN)/python -m tests.bench $(PARTS) $(if $(QUESTIONS),--questions "$(QUESTIONS)")

bench-docs: $(VENV)/.test ## Put the figures of the last bench into docs/: tables and picture
	@$(BIN)/python -m tests.bench --docs

bench-documents: $(VENV)/.ask ## Measure how real documents are read, beside other readers: make bench-documents [READERS="selfrag pypdf"] [KINDS="pdf html"] [PARTS="own worked"] [PUBLIC=dir] [HELD_OUT=1] [CODE=dir of another commit] [FILES=1] [PUBLISH=1]
	@$(BIN)/python -m tests.bench.documents $(if $(PUBLISH),--docs) $(if $(READERS),--readers $(READERS)) \
	  $(if $(KINDS),--kinds $(KINDS)) $(if $(PARTS),--parts $(PARTS)) $(if $(HELD_OUT),--held-out) \
	  $(if $(value PUBLIC),--public "$$SELFRAG_PUBLIC") $(if $(value CODE),--code "$$SELFRAG_CODE") $(if $(FILES),--files)

bench-cold: $(VENV)/.bench ## Measure the functions of a question that start cold, held to shares of a processor: make bench-cold [RUNS=n]
	@$(BIN)/python -m infra.packages.package --out build/bench --libraries build/libraries/bench > $(VENV)/package.txt
	@$(BIN)/python -m tests.bench.cold --out build/bench $(if $(RUNS),--runs "$(RUNS)")

bench-imports: $(VENV)/.bench ## Measure how long each Lambda's handler takes to start, without bytecode and with it
	@$(BIN)/python -m infra.packages.package --out build/bench --libraries build/libraries/bench > $(VENV)/package.txt
	@$(BIN)/python -m tests.bench.imports --out build/bench $(if $(RUNS),--runs "$(RUNS)")

bench-laptop: $(VENV)/.ask ## Measure ask and serve on this machine: make bench-laptop [CODE=dir of another commit] [RUNS=n] [JSON=1]
	@$(BIN)/python -m cli.lab.bench.laptop $(if $(value CODE),--code "$$SELFRAG_CODE") $(if $(RUNS),--runs "$(RUNS)") \
	  $(if $(JSON),--json)

bench-retrieval: $(VENV)/.ask ## Measure search: make bench-retrieval DATA=file|lines [LIMIT=n] [JSON=1] (a file in SQuAD format, also asked by identifiers; or lines that differ in an identifier)
	@$(BIN)/selfrag bench $(if $(JSON),--json) $(if $(value LIMIT),--limit "$$SELFRAG_LIMIT") \
	  $(if $(value DATA),-- "$$SELFRAG_DATA")

doctor: $(VENV)/.ask ## Look at your AWS account before a deployment, or at the deployment: make doctor [DEPLOYED=1]
	@$(BIN)/selfrag doctor $(if $(DEPLOYED),--deployed)

plan: package ## Show what deploy would change; needs AWS credentials and terraform
	@echo "Comparing infra/ with the AWS account of your credentials; nothing is changed." >&2
	@terraform -chdir=infra init -input=false >&2 && terraform -chdir=infra plan

deploy: package ## Deploy into your AWS account; shows the plan and asks first
	@echo "Deploying to the AWS account of your credentials; terraform shows the plan and asks." >&2
	@terraform -chdir=infra init -input=false >&2 && terraform -chdir=infra apply

smoke: $(VENV)/.ask ## Open a deployment's page, and ask it three questions: make smoke URL=... KEY=...
	@SELFRAG_API_KEY="$$SELFRAG_KEY" $(BIN)/selfrag smoke -- "$$SELFRAG_URL"

rollback: $(VENV)/.ask ## Make the release before live again: make rollback [TO=release] [LIST=1]
	@command=$$(terraform -chdir=infra output -raw rollback_command) && \
	  $(BIN)/$$command $(if $(TO),--to "$(TO)") $(if $(LIST),--list)

destroy: ## Remove the deployment; shows what would go and asks first
	@echo "Removing the deployment that infra/'s state describes; terraform shows it and asks." >&2
	@terraform -chdir=infra destroy

clean: ## Remove the virtual environments, packages and caches
	rm -rf $(VENV) .venv-lambda .venv-emulator .venv-checkov .venv-tools .venv-clients tests/support/clients/typescript/node_modules tests/support/roles/node_modules tests/support/accessibility/node_modules build .mypy_cache .ruff_cache .pytest_cache .hypothesis *.egg-info

$(VENV)/.ask: pyproject.toml constraints.txt
	@echo "Setting up $(VENV) (once, less than a minute)..." >&2
	@$(PYTHON) -m venv $(VENV)
	-@$(BIN)/pip install --quiet --constraint constraints.txt uv >&2
	$(call install,$(VENV),$(LOCAL))
	@touch $@

$(VENV)/.test: $(VENV)/.package | $(VENV)/.roles
	$(call install,$(VENV),$(DEV))
	@$(BIN)/python -m infra.packages.libraries build/libraries/host --host
	@touch $@

$(VENV)/.bench: $(VENV)/.test
	@$(BIN)/python -m infra.packages.libraries build/libraries/bench --bench
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

# What answers are exported for. Ragas imports a module that langchain-community has no more since 0.4.2.
.venv-tools/.done: | $(VENV)/.test
	@$(PYTHON) -m venv .venv-tools
	$(call install,.venv-tools,ragas==0.4.3 deepeval==4.3.1 langfuse==5.0.4 langchain-community==0.4.1)
	@touch $@

# What makes clients of the API, and what tries the API by its description.
.venv-clients/.done: | $(VENV)/.test
	@$(PYTHON) -m venv .venv-clients
	$(call install,.venv-clients,openapi-spec-validator==0.9.0 openapi-python-client==0.29.1 \
	  schemathesis==4.32.5 mypy==2.4.1)
	@if command -v npm > /dev/null; then npm install --prefix tests/support/clients/typescript --no-package-lock \
	  --no-audit --no-fund --loglevel error >&2; fi
	@touch $@
