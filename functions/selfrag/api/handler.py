"""The Lambda of the HTTP API."""

from selfrag import bootstrap
from selfrag.api.app import make_app, make_handler
from selfrag.bootstrap import api, ingestion
from selfrag.runtime.settings import CallerSettings, read

bootstrap.warm(api.executions, api.bindings, ingestion.manifest, api.uploads, bootstrap.spending)
handler = make_handler(make_app(), read(CallerSettings).origins)
