"""Questions about the documents themselves."""

import pytest

from selfrag.text.collection_questions import asks_for_documents


@pytest.mark.parametrize(
    "question",
    [
        "How many documents are there?",
        "Which documents do you have?",
        "What files are about faults?",
        "List all the files.",
        "Wie viele Dokumente gibt es?",
        "Welche Dateien hast du?",
        "Combien de documents y a-t-il ?",
        "¿Cuántos documentos hay?",
        "文書は何件ありますか",
        "どんな資料がありますか",
        "문서가 몇 개 있나요?",
    ],
)
def test_question_about_documents_is_recognised(question: str) -> None:
    assert asks_for_documents(question)


@pytest.mark.parametrize(
    "question",
    ["How many days of leave do I get?", "Which suppliers do we have?", "Who signs a document?", "文書の保管期間は？"],
)
def test_question_about_content_is_no_question_about_documents(question: str) -> None:
    assert not asks_for_documents(question)
