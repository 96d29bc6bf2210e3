# The two commands of a newcomer: make ask Q="...", and make test.
.PHONY: help ask test lint openapi clean
.DEFAULT_GOAL := help

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

# The question goes to the program through the environment, unexpanded: quotes, backticks, dollar
# signs and line breaks in it mean nothing to make or to the shell.
export SELFRAG_Q := $(value Q)
export SELFRAG_DOCS := $(value DOCS)
export SELFRAG_POLICY := $(value POLICY)
export SELFRAG_PREVIOUS := $(value PREVIOUS)
unexport Q DOCS POLICY PREVIOUS

help: ## Show what can be made
	@grep -hE '^[a-z]+:.*##' Makefile | sed 's/:.*## /\t/'

ask: $(VENV)/.ask ## Answer a question: make ask Q="..." [DOCS=dir] [JSON=1] [POLICY='{...}'] [PREVIOUS=id]
	@$(BIN)/selfrag ask $(if $(JSON),--json) $(if $(value DOCS),--docs "$$SELFRAG_DOCS") \
	  --policy "$$SELFRAG_POLICY" --previous "$$SELFRAG_PREVIOUS" -- "$$SELFRAG_Q"

test: $(VENV)/.test lint ## Run every check and test
	@$(BIN)/pytest -n 2 --dist worksteal

lint: $(VENV)/.test ## Run the checks alone: ruff, mypy, import-linter
	@$(BIN)/ruff check --quiet .
	@$(BIN)/ruff format --check --quiet .
	@$(BIN)/mypy --no-error-summary
	@$(BIN)/lint-imports --no-cache > $(VENV)/lint-imports.txt || { cat $(VENV)/lint-imports.txt; exit 1; }

openapi: $(VENV)/.ask ## Write the description of the API anew
	@$(BIN)/python -m ask.openapi > $(VENV)/openapi.json && cp $(VENV)/openapi.json functions/ask/openapi.json

clean: ## Remove the virtual environment and caches
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis *.egg-info

$(VENV)/.ask: pyproject.toml constraints.txt
	@echo "Setting up $(VENV) (once, about a minute)..." >&2
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/pip install --quiet --constraint constraints.txt --editable ".[local]" >&2
	@touch $@

$(VENV)/.test: $(VENV)/.ask
	@$(BIN)/pip install --quiet --constraint constraints.txt --editable ".[local,dev]" >&2
	@touch $@
