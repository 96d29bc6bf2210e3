"""How a question shows the kind of answer that it asks for."""

import re

from cli.local.offline.text.either import compiled, either, words
from cli.local.offline.text.forms import Want

_AT_FIRST = r"^\W*(?:and |but |so )?"
_DO = "(?:do|does|did|is|are|was|were|will|can|may|must|should)"

# The first to appear in a question wins, so that "how long" goes before a later "when".
ASKS: dict[Want, re.Pattern[str]] = {
    "contact": compiled(
        words(
            "e-?mail address | (?:tele)?phone number | contact | whom? (?:do|should|can|must|may) (?:i|we) | to whom"
        ),
        either("メールアドレス | 電話番号 | 連絡先 | 問い合わせ先 | どこに連絡 | 誰に連絡"),
    ),
    "money": compiled(
        r"\bhow much\b(?:.{0,60}\b)??"
        + words(
            """costs? | money | pay | (?:get|be|is|are|being) paid | price | spend | earn | worth | charged? | fees?
            | fine | ticket | allowance | budget | grant | bonus | rent | deposit | reimbursed? | refund"""
        ),
        r"\bwhat (?:[\w-]+ ){0,2}pay\b",
        words("costs? | price | salary | wages? | fees? | fare | fine | budget | allowance | bonus | grant") + r".*\?",
        either("いくら | 何円 | 料金は | 費用は | 値段 | 給料 | 年収 | 価格 | 罰金 | 何ユーロ | 何ドル"),
    ),
    "duration": compiled(
        words("how (?:much )?(?:long|longer) | how (?:far ahead|quick(?:ly)?|soon)"),
        either(
            """何(?:年|[かヶカ]月|週間|日|時間|分)(?:間|前)? | どのくらいの期間 | いつまで | 期間
            | どれくらいの時間 | 期限"""
        ),
    ),
    "often": compiled(words("how (?:often|frequently)"), either("頻度 | 何回")),
    "time": compiled(
        rf"{_AT_FIRST}(?:until |since |from |by )?when\b",
        rf"[,;:] (?:and |but |until |since )?when {_DO}\b",
        words("until when | deadline | (?:which|what) (?:[\\w-]+ )?(?:day|date|year|month|time|decade|century)"),
        either("いつ | 何時 | 何月 | 何曜 | 期限 | 曜日"),
    ),
    "number": compiled(
        words(
            "how (?:many|much|tall|high|heavy|large|big|deep|wide|fast|far|old|short|thick|hot|cold|small|close|loud)"
        ),
        words("what|which")
        + r" (?:is the )?(?:[\w-]+ ){0,3}"
        + words(
            """percentage | percent | number | age | weight | height | depth | length | width | size | speed
            | temperature | distance | population | rate | ratio | limit | amount | maximum | minimum | port | most
            | least"""
        ),
        either("何(?:人|個|台|冊|枚|点|件|本|歳|才|度|メートル|キロ|グラム|名|割|パーセント|階|席|つ|文字|リットル)"),
        either("どのくらい | どれくらい | どれだけ | いくつ | 何%"),
    ),
    "person": compiled(
        rf"{_AT_FIRST}(?:(?:by|with|to|from|for|of) )?who(?:se|m)?\b",
        words("(?:by|with|to|from|for|of) whom") + r"|\bwho\?",
        words(
            "name of (?:the |our )?(?:\\w+(?:'s)? ){0,3}(?:chief|head|director|manager|ceo|president|founder|author)"
        ),
        either("誰 | だれ | どなた | の名前"),
    ),
    "place": compiled(
        rf"{_AT_FIRST}(?:from |to )?where\b|\bwhere\?",
        words("what|which")
        + r" (?:[\w-]+ )?"
        + words(
            """city | country | state | place | room | floor | building | street | county | town | region
            | continent | address | website | folder | directory"""
        ),
        either("どこ | どちら | どの(?:病院|店|駅|部屋|国|都市|場所)"),
    ),
    "meaning": compiled(
        r"^\W*what (?:do|does|did) .{3,70} (?:mean|allow|say|state|require|forbid|stand for|do)\?",
        r"^\W*what (?:is|was) (?:an? |the )?(?:[\w/-]+ ){0,2}[\w/-]+\?",
        "とは(?:何|なん)",
    ),
    "reason": compiled(
        words("why | what (?:is|was) the (?:reason|cause) | what caused"), either("なぜ | どうして | 理由")
    ),
}
# What no yes-or-no question holds.
OPEN = compiled(
    words("what | which | how | who | whom | whose | why | where"),
    either("何 | なん | どの | どう | どん | どこ | どち | どれ | いくら | いくつ | いつ | 誰 | だれ | なぜ | 教えて"),
)
INTERROGATIVE = compiled(
    words("what | how | when | who | whom | where | why | which"), either(r"[?？] | か。?$ | 教えて")
)
YES_OR_NO = compiled(
    r"(?:^|[,;] )(?:and |but |so |also )?"
    + words(
        """can | could | may | might | do | does | did | is | are | was | were | will | would | should | must | has
        | have | am | shall"""
    ),
    r"(?:いい|よい|ます|です|ません|でしょう)か[。?]?\s*$",
)
