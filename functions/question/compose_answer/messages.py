# ruff: noqa: E501
"""The messages of selfrag to the person who asked, in the language of the question.

They stand in an answer that is no answer of the writer's, and among the warnings of a response.
"""

from collections.abc import Sequence
from typing import Any

from selfrag.domain.errors import HINTS
from selfrag.text.language import Language, language_of

# How a query is quoted, and what stands between two.
_QUOTED: dict[Language, tuple[str, str]] = {
    "en": ('"{}"', "; "),
    "de": ("„{}“", "; "),
    "fr": ("« {} »", " ; "),
    "es": ("«{}»", "; "),
    "ja": ("「{}」", "、"),
    "ko": ("‘{}’", ", "),
}

MESSAGES: dict[Language, dict[str, str]] = {
    "en": {
        "not_found": "Not found in the documents.",
        "filtered": "No document meets the filters.",
        "searched": "Searched for: {queries}.",
        "not_searched": "Nothing was searched for.",
        "no_time": "The time for this question ran out before an answer was ready. Nothing was checked, so nothing is claimed.",
        "no_money": "The cost limit of this question was reached before an answer was ready, so nothing is claimed.",
        "no_room": "A limit of this question left no room for an answer, so nothing is claimed.",
        "failed": "The question could not be answered because a step failed: {steps}. {causes}",
        "refused": "The model refused to reply.",
        "cut": "The model's reply was cut off at the length limit.",
        "malformed": "The model's reply was not in the expected form and could not be read.",
        "unavailable": "The model did not reply.",
        "unexpected": "An unexpected error occurred: {error}.",
        **HINTS,
        "no_result": "{step} gave no result ({error}).",
        "ungraded": "{count} passages could not be graded and were not used.",
        "unchecked_support": "Not checked: whether the passages support the answer.",
        "unchecked_utility": "Not checked: whether the answer is of use.",
        "little_use": "The answer was judged of little use: {score} of 5, where {least} was asked for.",
        "answer_cut": "The answer was cut at the model's length limit.",
        "stopped_depth": "The answer has as many sentences as it may have, and was not finished.",
        "stopped_calls": "The limit on model calls was reached.",
        "stopped_sequences": "The limit on sequences of the generator was reached.",
        "stopped_cost": "The cost limit was reached.",
        "stopped_deadline": "The deadline was reached.",
        "stopped_no_evidence": "The answer ends where no further evidence was found.",
        "stopped_fault": "A step failed before the answer was complete.",
    },
    "de": {
        "not_found": "In den Dokumenten wurde dazu nichts gefunden.",
        "filtered": "Kein Dokument entspricht den Filtern.",
        "searched": "Gesucht wurde nach: {queries}.",
        "not_searched": "Es wurde nach nichts gesucht.",
        "no_time": "Die Zeit für diese Frage lief ab, bevor eine Antwort fertig war. Nichts wurde geprüft, deshalb wird nichts behauptet.",
        "no_money": "Die Kostengrenze dieser Frage war erreicht, bevor eine Antwort fertig war, deshalb wird nichts behauptet.",
        "no_room": "Eine Grenze dieser Frage ließ keinen Raum für eine Antwort, deshalb wird nichts behauptet.",
        "failed": "Die Frage konnte nicht beantwortet werden, weil ein Schritt fehlgeschlagen ist: {steps}. {causes}",
        "refused": "Das Modell hat die Antwort verweigert.",
        "cut": "Die Antwort des Modells wurde an der Längengrenze abgeschnitten.",
        "malformed": "Die Antwort des Modells hatte nicht die erwartete Form und konnte nicht gelesen werden.",
        "unavailable": "Das Modell hat nicht geantwortet.",
        "unexpected": "Ein unerwarteter Fehler ist aufgetreten: {error}.",
        "InvalidInput": "Ändern Sie die Anfrage und fragen Sie noch einmal.",
        "Misconfigured": "Prüfen Sie den Schlüssel, die Basis-URL, den Namen des Modells und die Einstellungen der Installation.",
        "RequestRejected": "Stellen Sie eine kürzere oder eine andere Frage.",
        "DeadlineExceeded": "Erhöhen Sie policy.deadline_seconds oder fragen Sie asynchron.",
        "BudgetExceeded": "Erhöhen Sie policy.max_cost_usd oder lassen Sie es weg.",
        "Unreadable": "Lesen Sie die Dokumente neu ein; eine andere Version hat die gespeicherten Daten möglicherweise geschrieben.",
        "Asleep": "Das Modell braucht einige Minuten zum Aufwachen: Fragen Sie dann noch einmal, oder mit policy.generator claude.",
        "TemporarilyUnavailable": "Versuchen Sie es in einer Minute noch einmal; bleibt es dabei, sehen Sie nach, was überlastet oder nicht erreichbar ist.",
        "no_result": "{step} lieferte kein Ergebnis ({error}).",
        "ungraded": "Nicht bewertet und deshalb nicht verwendet: {count} Textstellen.",
        "unchecked_support": "Nicht geprüft: ob die Textstellen die Antwort belegen.",
        "unchecked_utility": "Nicht geprüft: ob die Antwort hilfreich ist.",
        "little_use": "Die Antwort wurde als wenig hilfreich beurteilt: {score} von 5, verlangt waren {least}.",
        "answer_cut": "Die Antwort wurde an der Längengrenze des Modells abgeschnitten.",
        "stopped_depth": "Die Antwort hat so viele Sätze, wie sie haben darf, und wurde nicht fertig.",
        "stopped_calls": "Die Grenze für Modellaufrufe wurde erreicht.",
        "stopped_sequences": "Die Grenze für Sequenzen des Generators wurde erreicht.",
        "stopped_cost": "Die Kostengrenze wurde erreicht.",
        "stopped_deadline": "Die Frist ist abgelaufen.",
        "stopped_no_evidence": "Die Antwort endet dort, wo keine weiteren Belege gefunden wurden.",
        "stopped_fault": "Ein Schritt ist fehlgeschlagen, bevor die Antwort vollständig war.",
    },
    "fr": {
        "not_found": "Aucune réponse n'a été trouvée dans les documents.",
        "filtered": "Aucun document ne correspond aux filtres.",
        "searched": "Recherche effectuée : {queries}.",
        "not_searched": "Aucune recherche n'a été effectuée.",
        "no_time": "Le temps prévu pour cette question s'est écoulé avant qu'une réponse soit prête. Rien n'a été vérifié, donc rien n'est affirmé.",
        "no_money": "La limite de coût de cette question a été atteinte avant qu'une réponse soit prête, donc rien n'est affirmé.",
        "no_room": "Une limite de cette question n'a pas laissé de place pour une réponse, donc rien n'est affirmé.",
        "failed": "Il n'a pas été possible de répondre à la question, car une étape a échoué : {steps}. {causes}",
        "refused": "Le modèle a refusé de répondre.",
        "cut": "La réponse du modèle a été coupée à la limite de longueur.",
        "malformed": "La réponse du modèle n'avait pas la forme attendue et n'a pas pu être lue.",
        "unavailable": "Le modèle n'a pas répondu.",
        "unexpected": "Une erreur inattendue s'est produite : {error}.",
        "InvalidInput": "Veuillez modifier la demande et poser la question de nouveau.",
        "Misconfigured": "Veuillez vérifier la clé, l'URL de base, le nom du modèle et les paramètres du déploiement.",
        "RequestRejected": "Veuillez poser une question plus courte ou différente.",
        "DeadlineExceeded": "Veuillez augmenter policy.deadline_seconds ou poser la question en mode asynchrone.",
        "BudgetExceeded": "Veuillez augmenter policy.max_cost_usd ou l'omettre.",
        "Unreadable": "Veuillez importer de nouveau les documents ; une autre version a peut-être écrit les données enregistrées.",
        "Asleep": "Le modèle met quelques minutes à se réveiller : veuillez reposer la question ensuite, ou avec policy.generator claude.",
        "TemporarilyUnavailable": "Veuillez réessayer dans une minute ; si le problème persiste, vérifiez ce qui est surchargé ou injoignable.",
        "no_result": "{step} n'a donné aucun résultat ({error}).",
        "ungraded": "Passages qui n'ont pas pu être évalués et n'ont pas été utilisés : {count}.",
        "unchecked_support": "Non vérifié : si les passages étayent la réponse.",
        "unchecked_utility": "Non vérifié : si la réponse est utile.",
        "little_use": "La réponse a été jugée peu utile : {score} sur 5, alors que {least} était demandé.",
        "answer_cut": "La réponse a été coupée à la limite de longueur du modèle.",
        "stopped_depth": "La réponse compte autant de phrases qu'elle peut en avoir et n'a pas été achevée.",
        "stopped_calls": "La limite d'appels au modèle a été atteinte.",
        "stopped_sequences": "La limite de séquences du générateur a été atteinte.",
        "stopped_cost": "La limite de coût a été atteinte.",
        "stopped_deadline": "Le délai est écoulé.",
        "stopped_no_evidence": "La réponse s'arrête là où plus aucun élément n'a été trouvé pour l'étayer.",
        "stopped_fault": "Une étape a échoué avant que la réponse soit complète.",
    },
    "es": {
        "not_found": "No se ha encontrado la respuesta en los documentos.",
        "filtered": "Ningún documento cumple los filtros.",
        "searched": "Se ha buscado: {queries}.",
        "not_searched": "No se ha realizado ninguna búsqueda.",
        "no_time": "El tiempo para esta pregunta se agotó antes de que hubiera una respuesta. No se ha comprobado nada, por lo que no se afirma nada.",
        "no_money": "El límite de coste de esta pregunta se alcanzó antes de que hubiera una respuesta, por lo que no se afirma nada.",
        "no_room": "Un límite de esta pregunta no dejó espacio para una respuesta, por lo que no se afirma nada.",
        "failed": "No se ha podido responder a la pregunta porque ha fallado un paso: {steps}. {causes}",
        "refused": "El modelo se ha negado a responder.",
        "cut": "La respuesta del modelo se cortó al llegar al límite de longitud.",
        "malformed": "La respuesta del modelo no tenía la forma esperada y no se ha podido leer.",
        "unavailable": "El modelo no ha respondido.",
        "unexpected": "Se ha producido un error inesperado: {error}.",
        "InvalidInput": "Modifique la solicitud y vuelva a preguntar.",
        "Misconfigured": "Compruebe la clave, la URL base, el nombre del modelo y la configuración del despliegue.",
        "RequestRejected": "Haga una pregunta más corta o distinta.",
        "DeadlineExceeded": "Aumente policy.deadline_seconds o pregunte de forma asíncrona.",
        "BudgetExceeded": "Aumente policy.max_cost_usd u omítalo.",
        "Unreadable": "Vuelva a cargar los documentos; es posible que otra versión haya escrito los datos guardados.",
        "Asleep": "El modelo tarda unos minutos en activarse: vuelva a preguntar después, o con policy.generator claude.",
        "TemporarilyUnavailable": "Vuelva a intentarlo dentro de un minuto; si el problema continúa, compruebe qué está saturado o inaccesible.",
        "no_result": "{step} no ha dado ningún resultado ({error}).",
        "ungraded": "Pasajes que no se han podido evaluar y no se han utilizado: {count}.",
        "unchecked_support": "No se ha comprobado si los pasajes respaldan la respuesta.",
        "unchecked_utility": "No se ha comprobado si la respuesta es útil.",
        "little_use": "La respuesta se ha considerado poco útil: {score} de 5, cuando se pedía {least}.",
        "answer_cut": "La respuesta se cortó al llegar al límite de longitud del modelo.",
        "stopped_depth": "La respuesta tiene el máximo de frases permitido y no se ha terminado.",
        "stopped_calls": "Se ha alcanzado el límite de llamadas al modelo.",
        "stopped_sequences": "Se ha alcanzado el límite de secuencias del generador.",
        "stopped_cost": "Se ha alcanzado el límite de coste.",
        "stopped_deadline": "Se ha agotado el plazo.",
        "stopped_no_evidence": "La respuesta termina donde no se han encontrado más pruebas.",
        "stopped_fault": "Un paso ha fallado antes de que la respuesta estuviera completa.",
    },
    "ja": {
        "not_found": "文書の中に答えが見つかりませんでした。",
        "filtered": "絞り込みの条件に合う文書がありません。",
        "searched": "検索した語句:{queries}。",
        "not_searched": "検索は行われませんでした。",
        "no_time": "回答ができる前に、この質問の制限時間が過ぎました。何も確認できていないため、回答は控えます。",
        "no_money": "回答ができる前に、この質問の費用の上限に達したため、回答は控えます。",
        "no_room": "この質問の上限により回答を作成できなかったため、回答は控えます。",
        "failed": "処理の一部({steps})が失敗したため、質問に回答できませんでした。{causes}",
        "refused": "モデルが応答を拒否しました。",
        "cut": "モデルの応答が長さの上限で途切れました。",
        "malformed": "モデルの応答が想定された形式ではなく、読み取れませんでした。",
        "unavailable": "モデルから応答がありませんでした。",
        "unexpected": "予期しないエラーが発生しました:{error}。",
        "InvalidInput": "リクエストを変更して、もう一度質問してください。",
        "Misconfigured": "キー、ベースURL、モデル名、デプロイの設定を確認してください。",
        "RequestRejected": "質問を短くするか、別の質問にしてください。",
        "DeadlineExceeded": "policy.deadline_secondsを大きくするか、非同期で質問してください。",
        "BudgetExceeded": "policy.max_cost_usdを大きくするか、指定しないでください。",
        "Unreadable": "文書をもう一度取り込んでください。保存されたデータは別のバージョンで書き込まれた可能性があります。",
        "Asleep": "モデルの起動には数分かかります。しばらくしてからもう一度質問するか、policy.generatorをclaudeにして質問してください。",
        "TemporarilyUnavailable": "1分ほどしてから、もう一度お試しください。改善しない場合は、混雑している、または接続できないサービスがないか確認してください。",
        "no_result": "{step}の結果が得られませんでした({error})。",
        "ungraded": "{count}件の箇所は判定できなかったため、使用していません。",
        "unchecked_support": "未確認:文書の箇所が回答を裏付けているかどうか。",
        "unchecked_utility": "未確認:回答が役に立つかどうか。",
        "little_use": "回答はあまり役に立たないと判定されました。5段階中{score}で、求められているのは{least}以上です。",
        "answer_cut": "回答がモデルの長さの上限で途切れました。",
        "stopped_depth": "回答が文の数の上限に達したため、完成していません。",
        "stopped_calls": "モデル呼び出し回数の上限に達しました。",
        "stopped_sequences": "生成モデルのシーケンス数の上限に達しました。",
        "stopped_cost": "費用の上限に達しました。",
        "stopped_deadline": "制限時間に達しました。",
        "stopped_no_evidence": "これ以上の根拠が見つからなかったため、回答はここまでです。",
        "stopped_fault": "回答が完成する前に、処理の一部が失敗しました。",
    },
    "ko": {
        "not_found": "문서에서 답을 찾지 못했습니다.",
        "filtered": "필터 조건에 맞는 문서가 없습니다.",
        "searched": "검색한 내용: {queries}.",
        "not_searched": "검색을 하지 않았습니다.",
        "no_time": "답변이 준비되기 전에 이 질문의 제한 시간이 지났습니다. 확인된 것이 없으므로 답변하지 않습니다.",
        "no_money": "답변이 준비되기 전에 이 질문의 비용 한도에 도달했으므로 답변하지 않습니다.",
        "no_room": "이 질문의 한도 때문에 답변을 작성할 수 없었으므로 답변하지 않습니다.",
        "failed": "다음 단계가 실패하여 질문에 답변하지 못했습니다: {steps}. {causes}",
        "refused": "모델이 응답을 거부했습니다.",
        "cut": "모델의 응답이 길이 제한으로 잘렸습니다.",
        "malformed": "모델의 응답이 예상한 형식이 아니어서 읽을 수 없었습니다.",
        "unavailable": "모델이 응답하지 않았습니다.",
        "unexpected": "예기치 않은 오류가 발생했습니다: {error}.",
        "InvalidInput": "요청을 수정하여 다시 질문해 주세요.",
        "Misconfigured": "키, 기본 URL, 모델 이름, 배포 설정을 확인해 주세요.",
        "RequestRejected": "더 짧은 질문이나 다른 질문을 해 주세요.",
        "DeadlineExceeded": "policy.deadline_seconds를 늘리거나 비동기로 질문해 주세요.",
        "BudgetExceeded": "policy.max_cost_usd를 늘리거나 생략해 주세요.",
        "Unreadable": "문서를 다시 수집해 주세요. 저장된 데이터가 다른 버전에서 기록되었을 수 있습니다.",
        "Asleep": "모델이 시작되는 데 몇 분이 걸립니다. 잠시 후 다시 질문하거나 policy.generator를 claude로 지정해 주세요.",
        "TemporarilyUnavailable": "1분 후에 다시 시도해 주세요. 문제가 계속되면 과부하 상태이거나 연결할 수 없는 서비스가 있는지 확인해 주세요.",
        "no_result": "{step} 단계에서 결과를 얻지 못했습니다({error}).",
        "ungraded": "구절 {count}개는 판정하지 못하여 사용하지 않았습니다.",
        "unchecked_support": "확인하지 않음: 구절이 답변을 뒷받침하는지 여부.",
        "unchecked_utility": "확인하지 않음: 답변이 유용한지 여부.",
        "little_use": "답변이 별로 유용하지 않다고 판정되었습니다. 5점 중 {score}점이며, 요구된 점수는 {least}점입니다.",
        "answer_cut": "답변이 모델의 길이 제한으로 잘렸습니다.",
        "stopped_depth": "답변이 허용된 문장 수에 도달하여 완성되지 않았습니다.",
        "stopped_calls": "모델 호출 한도에 도달했습니다.",
        "stopped_sequences": "생성 모델의 시퀀스 한도에 도달했습니다.",
        "stopped_cost": "비용 한도에 도달했습니다.",
        "stopped_deadline": "제한 시간에 도달했습니다.",
        "stopped_no_evidence": "더 이상 근거를 찾지 못하여 답변을 여기에서 마칩니다.",
        "stopped_fault": "답변이 완성되기 전에 한 단계가 실패했습니다.",
    },
}  # fmt: skip

# The texts of a response that is partial and has no answer.
WITHOUT_ANSWER = frozenset(texts[name] for texts in MESSAGES.values() for name in ("no_time", "no_money", "no_room"))


class Messages:
    """The messages in the language of a question."""

    def __init__(self, question: str) -> None:
        self._language = language_of(question)

    def __contains__(self, name: str) -> bool:
        return name in MESSAGES[self._language]

    def __call__(self, name: str, **values: Any) -> str:
        """Return a message with values in its places."""
        return MESSAGES[self._language][name].format(**values)

    def joined(self, *texts: str) -> str:
        """Return sentences one after the other, each once; Japanese has no space between them."""
        return ("" if self._language == "ja" else " ").join(filter(None, dict.fromkeys(texts)))

    def searched(self, queries: Sequence[str]) -> str:
        """Return the sentence on what was searched for."""
        if not queries:
            return self("not_searched")
        quoted, between = _QUOTED[self._language]
        return self("searched", queries=between.join(quoted.format(query) for query in queries))
