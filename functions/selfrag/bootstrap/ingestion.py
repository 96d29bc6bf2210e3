"""Parts of ingestion's steps, besides the index and the embedder; the API uses the manifest, too."""

from typing import TYPE_CHECKING

from selfrag.runtime.parts import part
from selfrag.runtime.settings import IngestionSettings, read

if TYPE_CHECKING:
    from selfrag.ports.manifest import Manifest
    from selfrag.ports.objects import Objects
    from selfrag.ports.recognizer import Recognizer


@part("ingestion_settings")
def ingestion_settings() -> IngestionSettings:
    """Read the settings of the manifest, the work bucket and text recognition."""
    return read(IngestionSettings)


@part("objects")
def objects() -> "Objects":
    """Make the access to the buckets."""
    from selfrag.adapters.clients import make_client
    from selfrag.adapters.objects import S3Objects

    return S3Objects(make_client("objects"), ingestion_settings().work_bucket)


@part("recognizer")
def recognizer() -> "Recognizer | None":
    """Create the text recognition; None if it is off."""
    if ingestion_settings().text_recognition == "off":
        return None
    from selfrag.adapters.clients import make_client
    from selfrag.adapters.objects import S3Objects
    from selfrag.adapters.textract import TextractRecognizer

    return TextractRecognizer(
        make_client("textract"), S3Objects(make_client("objects"), ingestion_settings().recognized_bucket)
    )


@part("manifest")
def manifest() -> "Manifest":
    """Make the manifest of documents."""
    from selfrag.adapters.clients import make_client
    from selfrag.adapters.manifest import DynamoManifest

    return DynamoManifest(make_client("manifest"), ingestion_settings().documents_table)
