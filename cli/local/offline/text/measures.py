"""What a question counts or measures, and the units in which an answer does."""

from cli.local.offline.text.either import compiled, either, words

# What a Japanese question may count, and besides it the other ways to write the count.
_ALSO = {
    "人": "名|席", "名": "人|席", "席": "人|名", "個": "つ|点", "つ": "個|点", "点": "個|つ", "歳": "才", "才": "歳",
    "度": "℃", "メートル": "m", "キロ": "km|kg", "グラム": "g", "割": "%", "パーセント": "%", "文字": "字",
    "リットル": "L", "台": "台", "冊": "冊", "枚": "枚", "件": "件", "本": "本", "階": "階",
}  # fmt: skip
COUNTERS = {counter: f"{counter}|{also}" for counter, also in _ALSO.items()}
DIMENSIONS = (
    (
        compiled(words("how heavy | weight | weigh"), either("重さ | 体重")),
        compiled(
            r"\dk?g\b",
            words("k?g | kilo(?:gram)?s? | grams? | ton(?:ne)?s? | pounds? | lbs?"),
            either("キロ | グラム | トン"),
        ),
    ),
    (
        compiled(
            words("how (?:deep|tall|wide|thick) | how far(?! ahead| in advance) | depth | width | diameter | distance"),
            either("深さ | 幅は | 直径 | 距離"),
        ),
        compiled(
            r"\d(?:[kcm]?m|ft)\b",
            words("[kcm]?m | (?:kilo|centi|milli)?met(?:re|er)s? | feet | foot | ft | inch(?:es)? | miles? | yards?"),
            either("メートル | キロ | ミリ | センチ"),
        ),
    ),
    (
        compiled(words("temperatures? | how (?:hot|cold|warm)"), either("温度 | 気温")),
        compiled(words("degrees? | celsius | fahrenheit"), either("° | ℃ | 度")),
    ),
    (
        compiled(words("memory | ram | disk space | storage"), either("メモリ | 容量")),
        compiled(r"\d\s?[KMGT]i?B\b", words("[KMGT]i?B | (?:kilo|mega|giga|tera)?bytes?"), "バイト"),
    ),
)
