"""What the kinds of answer look like in a sentence."""

from typing import Literal

from cli.local.offline.text.either import compiled, either, words

Want = Literal[
    "number", "money", "duration", "time", "often", "person", "place", "contact", "reason", "meaning", "yes_or_no",
    "other",
]  # fmt: skip

_SPAN = words(
    "seconds? | minutes? | hours? | days? | nights? | weeks? | months? | years? | decades? | century | centuries"
)
_COUNT = words(
    """one | two | three | four | five | six | seven | eight | nine | ten | eleven | twelve | \\w{3,5}teen | twenty
    | thirty | forty | fifty | sixty | seventy | eighty | ninety | hundreds? | thousands? | millions? | billions?
    | dozen | half | once | twice | single | several | few | first | second | third | \\w{4,5}th | tenth"""
)
_COUNT_JA = "[一二三四五六七八九十百千万半]"
_CALENDAR = words(
    """january | february | march | april | june | july | august | september | october | november | december
    | (?:mon|tues|wednes|thurs|fri|satur|sun)days?"""
)
_NUMBER = (
    _COUNT,
    words("no limit | unlimited | all | none"),
    either(rf"\d | {_COUNT_JA}[つ人日年月回度個台名本件割倍週] | 半[額日分] | 全[額員] | 無料 | 制限は"),
)
_TIME = (
    _SPAN,
    _CALENDAR,
    words(
        """noon | midnight | morning | evening | daily | weekly | monthly | yearly | annually | spring | summer
        | autumn | winter | today | tomorrow | immediately | within | before | after | until | every | during | when
        | o.?clock | as soon as | in advance | may \\d+ | \\d+ may | \\d{1,2}(?:st|nd|rd|th) | [12]\\d{3}s?"""
    ),
    either(
        r"""\d{1,2}:\d\d | \d\s*[ap]\.?m\b | \d\s*[年月日時分週] | 毎[年月週日] | 曜 | 以内 | まで | 前に | 翌
        | 当日 | 次第"""
    ),
    either("とき | 朝 | 夜 | 午[前後]"),
)
_MONEY = (
    words(
        "EUR | USD | GBP | JPY | CHF | CNY | KRW | SEK | euros? | dollars? | pounds? | yen | cents? | pence | francs?"
    ),
    words("won | percent | free | no charge | million | billion"),
    either(r"[$€£¥₩%] | \d+p\b | \d\s*(?:万?円|ドル|ユーロ|元|ポンド|원) | 無料 | 全額 | 半額"),
)
_DURATION = (
    rf"(?:\d|{_COUNT})[\w,.\- ]{{0,24}}{_SPAN}",
    words(r"aged? | until | limit | forever | indefinitely | (?:19|20)\d\d\b.*\b(?:19|20)\d\d"),
    either(
        rf"\d\s*(?:年|[かヶカ]月|週|日|時間|分|秒|泊) | {_COUNT_JA}\s*(?:年|か月|週|日|時間) | まで | 無期限 | 永久"
    ),
)
_PERSON = (
    # A name: capital letters inside a sentence, or two at its beginning, or one before a verb.
    r"(?-i:(?<=[a-z,;:)] )[A-Z][\w'’\-]+|^[A-Z][\w'’.\-]+ (?:[A-Z]|(?:was|is|has|had|became|led|wrote|won|of|and)\b))",
    words(
        """manager | officer | team | lead | head | director | owner | employees? | members? | staff | engineers?
        | users? | customers? | host | anyone | nobody | everyone | people | person | visitors? | parents? | doctor
        | teacher | president | king | queen | government | company | board | committee"""
    ),
    either(r"[者人員氏様長係部課医] | さん | 上司 | [\u4e00-\u9fff]{3,4}(?:です|が|は)"),
)
_PLACE = (
    words("(?:in|at|on|from|to|near|inside|outside|under|behind|beside|through|across|between|into|along|via|of) .*"),
    words("floor | room | street | building | city | country | website | portal"),
    either(r"/\w | [階市県区都町村国室所場店館駅] | [にへで]"),
)
_CONTACT = (
    words("extension | call(?:ing|ed)? | telephone | phone | contact | (?:the )?[a-z]+ (?:desk|team|office|manager)"),
    r"(?-i:\b(?:with|to|ask|at) [A-Z][\w-]+)",
    either(r"@ | https?:// | \d{3,}[-– ]\d{2,} | 内線 | 電話 | 連絡 | 問い合わせ"),
)
_REASON = (
    words("because | since | due to | so that | in order | therefore | reason | as a result | cause[sd]? | led to"),
    words(r"to \w+ | for | could not | cannot"),
    either("ため | から | ので | 理由 | により | よって"),
)
_OFTEN = (*_NUMBER, *_TIME, words("always | never | rarely | often | regularly | usually"))

CALENDAR = compiled(_CALENDAR)
HOLDS = {
    "number": compiled(*_NUMBER),
    "money": compiled(*_MONEY),
    "duration": compiled(*_DURATION),
    "time": compiled(*_TIME),
    "often": compiled(*_OFTEN),
    "person": compiled(*_PERSON),
    "place": compiled(*_PLACE),
    "contact": compiled(*_CONTACT),
    "reason": compiled(*_REASON),
}
