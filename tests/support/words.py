"""A question that no document answers, in six languages, and how the abstention from it begins."""

from selfrag.text.language import Language

ASKED_IN: dict[Language, str] = {
    "en": "How high is the harbour crane?",
    "de": "Wie hoch ist der Hafenkran?",
    "fr": "Quelle est la hauteur de la grue du port ?",
    "es": "¿Qué altura tiene la grúa del puerto?",
    "ja": "港のクレーンの高さは何メートルですか？",
    "ko": "항구 크레인의 높이는 몇 미터인가요?",
}
NOT_FOUND_IN: dict[Language, str] = {
    "en": "Not found in the documents.",
    "de": "In den Dokumenten wurde dazu nichts gefunden.",
    "fr": "Aucune réponse n'a été trouvée dans les documents.",
    "es": "No se ha encontrado la respuesta en los documentos.",
    "ja": "文書の中に答えが見つかりませんでした。",
    "ko": "문서에서 답을 찾지 못했습니다.",
}
