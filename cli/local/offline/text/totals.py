"""Totals over a number of units: what a question multiplies, and what a sentence gives for each."""

import re
from decimal import Decimal

from cli.local.offline.text.vocabulary import NUMBER_WORDS
from cli.local.offline.text.wants import asking_part
from cli.local.offline.text.words import is_japanese, plain

_EACH = (
    r"nights?|泊", r"days?|日間?", r"weeks?|週間?", r"months?|[かヶカ]?月間?", r"hours?|時間", r"years?|年間?",
    r"persons?|people|guests?|人|名", r"kilomet(?:re|er)s?|km|キロメートル|キロ", r"pages?|枚", r"pieces?|items?|個|点",
)  # fmt: skip
_MONEY = r"EUR|USD|GBP|JPY|CHF|CNY|KRW|euros?|dollars?|pounds?|yen|pence|円|ユーロ|ドル|ポンド"
_AMOUNT = r"\d+(?:,\d{3})*(?:\.\d+)?"
_COUNT = rf"(?:\d+|{'|'.join(word for word in NUMBER_WORDS if word not in ('zero', 'one'))})"
_FULL = r"(?:full |whole |working |calendar |business |started )?"
_IN_TOTAL = re.compile(r"\btotal\b|\ball?together\b|合計|全部で|総額", re.IGNORECASE)
_COUNTED = re.compile(rf"(?<![A-Za-z\d.,]){_COUNT}(?=\s?{_FULL}(?:{'|'.join(_EACH)})(?![a-z]))", re.IGNORECASE)


def without_counts(question: str) -> str:
    """A question without the numbers that it multiplies by, which no sentence of a document holds."""
    wants_total = _IN_TOTAL.search(question) or re.search(rf"\bfor {_COUNT}\b|\d(?:泊|日間)", question, re.IGNORECASE)
    return _COUNTED.sub("", question) if wants_total else question


def total_for(question: str, sentence: str) -> str | None:
    """A sentence with the total that a question asks for, worked out from the amount for each unit in a sentence."""
    question, sentence = plain(question), plain(sentence)
    asked = question if _IN_TOTAL.search(question) else asking_part(question)
    for each in _EACH:
        many = re.search(rf"(?<![A-Za-z\d.,])({_COUNT})\s?{_FULL}(?:{each})(?![a-z])", asked, re.IGNORECASE)
        amount = _amount_for(each, sentence)
        if many and amount:
            return _stated(NUMBER_WORDS.get(many[1].casefold(), many[1]), *amount)
    return None


def _amount_for(each: str, sentence: str) -> tuple[str, str] | None:
    """The amount of money that a sentence gives for each unit, and its currency; None unless there is just one."""
    per = rf"\s*(?:per|a|an|each|for each|for every|/)\s*{_FULL}(?:{each})(?![a-z])"
    forms = (
        rf"(?P<amount>{_AMOUNT})\s?(?P<money>{_MONEY}){per}",
        rf"(?P<money>[€$£¥])\s?(?P<amount>{_AMOUNT}){per}",
        rf"(?<!\d)1\s?(?:{each})(?:あたり|につき|当たり)?[はの、]?\s?(?P<amount>{_AMOUNT})\s?(?P<money>{_MONEY})",
        rf"(?:{each})額[はの、]?\s?(?P<amount>{_AMOUNT})\s?(?P<money>{_MONEY})",
    )
    found = {
        (match["amount"], match["money"]) for form in forms for match in re.finditer(form, sentence, re.IGNORECASE)
    }
    return found.pop() if len(found) == 1 else None


def _stated(many: str, amount: str, money: str) -> str:
    product = Decimal(many) * Decimal(amount.replace(",", ""))
    total = f"{product:,.2f}".removesuffix(".00")
    total = total if "," in amount else total.replace(",", "")
    if is_japanese(money):
        return f"合計は {many} × {amount} = {total}{money}です。"
    if money in "€$£¥":
        return f"In total that is {many} x {money}{amount} = {money}{total}."
    return f"In total that is {many} x {amount} = {total} {money}."
