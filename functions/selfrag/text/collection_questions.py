"""Questions about the documents themselves: how many there are, or which."""

import re
import unicodedata

_ASKS = (
    r"how many|which|what|list|show(?: me)?|name|give me|enumerate|do you have|wie ?viele|welche[rsn]?|was für|liste"
    r"|zeige?|nenne|combien de|quels?|quelles?|liste[rz]?|montre[rz]?|énumère|cuánt[oa]s|qué"
    r"|cuáles son|lista|muestra|enumera"
)
_DOCUMENTS = (
    r"documents?|files?|dokumente?n?|dateien|unterlagen|dossiers?|fichiers?|documentos?|archivos?|ficheros?|pdfs?"
)
_LATIN = re.compile(rf"\b(?:{_ASKS})\b(?:\W+\w+){{0,3}}?\W+(?:{_DOCUMENTS})\b", re.IGNORECASE)
_EAST_ASIAN = re.compile(
    r"(?:文書|ドキュメント|ファイル|資料|書類).{0,8}(?:いくつ|何件|何個|何本|一覧|リスト|ありますか)"
    r"|(?:どの|どんな|どのような|何の).{0,4}(?:文書|ドキュメント|ファイル|資料|書類)"
    r"|(?:문서|파일|자료).{0,8}(?:몇|목록|있나요|있습니까)|(?:어떤|무슨|몇 ?개의?)\s?(?:문서|파일|자료)"
)
_LENGTH = 300  # characters of a question that are read


def asks_for_documents(question: str) -> bool:
    """Return whether a question asks for the number or the names of documents."""
    text = unicodedata.normalize("NFC", question[:_LENGTH])
    return bool(_LATIN.search(text) or _EAST_ASIAN.search(text))
