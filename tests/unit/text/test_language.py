# ruff: noqa: E501
"""The language of a question."""

import pytest

from selfrag.text.language import language_of

QUESTIONS = {
    "en": [
        "How many days of leave do I get?", "What does error E-104 mean?", "vacation policy", "Who approves travel expenses?",
        "Is there a limit for hotel costs?", "VPN", "Can I carry over unused days?", "When is the salary paid?", "E-104",
        "Show me the onboarding checklist", "What is a Kündigungsfrist?", "How do I request parental leave in Germany?",
        "Which version replaces RFC 9110?", "", "?", "42", "What does 有給休暇 mean?", "How do you say 안녕하세요 in German?",
        "What's the SLA?", "Where is the São Paulo office?", "Does the résumé have to be in English?", "Man page", "The admin role", "Who pays?", "notice period",
    ],
    "de": [
        "Wie viele Urlaubstage?", "Urlaub Elternzeit", "Was kostet ein Hotel in Rom?", "Wann wird das Gehalt gezahlt?",
        "Wer genehmigt Dienstreisen?", "Kündigungsfrist", "Darf ich im Homeoffice arbeiten?", "Wo finde ich den Reiseantrag?",
        "Gibt es eine Obergrenze für Hotelkosten?", "Muss ich mich krankmelden?", "Was bedeutet E-104?", "Und in Lissabon?",
        "Wieviel Tage bekommen Teilzeitkräfte?", "Welche Frist gilt bei der Probezeit?", "Reisekosten Inland",
        "Was heißt „carry over“?", "wie lange ist die probezeit", "Was bedeutet 有給休暇?", "Mutterschutz Dauer",
        "Wie beantrage ich Sonderurlaub fuer eine Hochzeit?",
        "Was zahlt die Firma?", "Wie lange?", "Hotelkosten Rom", "Lieferzeit", "Wo?", "Sind Überstunden bezahlt?",
    ],
    "fr": [
        "Combien de jours ?", "Combien de jours de congé ai-je ?", "Quel est le délai de remboursement ?", "congés payés",
        "Qui valide les frais de déplacement ?", "Où trouver le formulaire ?", "Quand le salaire est-il versé ?",
        "Est-ce que je peux travailler à distance ?", "Qu'est-ce que le code E-104 ?", "C’est quoi un avenant ?",
        "Y a-t-il un plafond pour l'hôtel ?", "Comment demander un congé parental ?", "Peut-on reporter les jours non pris ?",
        "Et à Lisbonne ?", "préavis de démission", "quelle est la duree de la periode d'essai", "Que signifie RTT ?",
        "Pourquoi ma demande a été refusée ?", "remboursement des frais", "Qui paie ?", "Où ?", "jours fériés", "Ma carte est perdue, que faire ?",
    ],
    "es": [
        "¿Cuántos días?", "Cuantos dias de vacaciones tengo", "¿Cuál es el plazo de reembolso?", "¿Quién aprueba los viajes?",
        "¿Qué significa E-104?", "Dónde está el formulario", "¿Cuándo se paga el sueldo?", "vacaciones empresa",
        "¿Puedo trabajar desde casa?", "¿Hay un límite para el hotel?", "Como solicito el permiso de paternidad?",
        "periodo de prueba duración", "¿Y en Lisboa?", "¿Por qué rechazaron mi solicitud?", "gastos de viaje",
        "que es el seguro de la empresa", "¿Se pueden acumular los días no disfrutados?", "indemnización por despido",
        "días festivos", "¿Dónde?", "Cuanto cuesta", "He perdido mi tarjeta", "seguro de salud", "Límite de hotel por noche",
    ],
    "ja": [
        "有給は何日ですか？", "年次有給休暇 日数", "出張費の上限は？", "育児休業", "給与支払日", "エラーE-104の意味は何ですか",
        "VPNの設定方法を教えてください。", "AND検索とOR検索の違いは？", "利用目的 第三者提供", "Lambda Power Tools for Pythonの使い方",
        "誰が承認しますか", "ﾃﾚﾜｰｸ規程", "就業規則", "退職 手続", "リスボンでは？", "IN句とは", "基本的人権", "契約終了",
        "Kubernetes の Pod が OOMKilled になる理由は？", "社内規程 第5条",
    ],
    "ko": [
        "연차는 며칠인가요?", "출장비 한도", "VPN 설정 방법", "육아휴직은 얼마나 쓸 수 있나요?", "급여일은 언제예요?", "E-104 오류가 뭐예요?",
        "Kubernetes Pod가 OOMKilled 되는 이유는?", "누가 승인하나요?", "재택근무 가능한가요?", "리스본은요?", "퇴직금", "계약 기간",
        "RAG에서 IsSup은 무엇인가요?", "年次 휴가 일수", "AND 검색과 OR 검색의 차이는?", "왜 거절되었나요?",
    ],
    "it": [
        "Quanti giorni di ferie ho?", "Qual è la scadenza?", "Come richiedo le ferie?", "Chi approva le trasferte?",
        "Cosa significa E-104?", "Dove si trova il modulo?", "C'è un limite per l'albergo?", "Quando viene pagato lo stipendio?",
        "E a Lisbona?", "ferie residue", "Chi paga?", "Quanto costa?", "Posso portare il cane in ufficio?",
    ],
    "pt": [
        "Quantos dias de férias tenho?", "Qual o prazo de reembolso?", "Quem aprova as viagens?", "Onde está o formulário?",
        "O que significa E-104?", "Como solicito licença-maternidade?", "Quando é pago o salário?", "Posso trabalhar de casa?",
        "Há um limite para o hotel?", "E em Lisboa?", "A empresa paga o seguro de saúde?", "Quanto custa?", "Que documentos preciso enviar?",
    ],
    "nl": [
        "Hoeveel vakantiedagen heb ik?", "Wat is het verlofbeleid?", "Wie betaalt de kosten?", "Waar vind ik het formulier?",
        "Hoe vraag ik verlof aan?", "Wat is de opzegtermijn?", "Wanneer wordt het salaris betaald?", "Mag ik thuis werken?",
        "En in Lissabon?", "Is er een limiet voor hotels?",
        "Wat kost een hotel in Rome?", "Hoe werkt thuiswerken?", "Wie keurt reizen goed?", "Levertijd",
    ],
    "pl": [
        "Ile dni urlopu mi przysługuje?", "Jak złożyć wniosek?", "Kto zatwierdza podróże?", "Co oznacza E-104?",
        "Kiedy jest wypłata?", "Gdzie jest formularz?", "Czy moge pracowac z domu", "A w Lizbonie?",
    ],
    "ru": [
        "Сколько дней отпуска?", "Что означает E-104?", "Кто утверждает поездки?", "Где форма?", "Когда зарплата?",
        "Можно ли работать из дома?",
    ],
    "zh": [
        "年假有多少天？", "年假的天数是多少", "谁批准出差？", "什么是E-104？", "病假的規定", "报销期限", "可以在家工作吗", "如何申請育嬰假？",
        "工资什么时候发？", "試用期是多久", "如何报销?", "有没有餐补", "公司地址",
    ],
    "others": [
        "Hur många semesterdagar har jag?", "Hvor mange feriedage har jeg?", "Kaç gün izin hakkım var?", "Kolik mám dní dovolené?",
        "Câte zile de concediu am?", "Quants dies de vacances tinc?", "Berapa hari cuti saya?", "Hány nap szabadság jár?",
        "כמה ימי חופשה?", "ما عدد الأيام؟", "Πόσες μέρες άδεια;", "कितने दिन की छुट्टी?", "Kuinka monta päivää lomaa saan?",
    ],
}  # fmt: skip


@pytest.mark.parametrize(("written", "question"), [(code, text) for code, texts in QUESTIONS.items() for text in texts])
def test_question_language_falls_back_to_english_if_unsupported(written: str, question: str) -> None:
    assert language_of(question) == (written if written in ("en", "de", "fr", "es", "ja", "ko") else "en")
