"""Symbol fonts: the displayed signs for stored characters."""

_SYMBOL = (
    " !∀#∃%&∋()∗+,−./0123456789:;<=>?≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_‾αβχδεφγηιϕκλµνοπθρστυϖωξψζ{|}∼"
    "€ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…⏐⎯↵ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓◊〈®©™∑⎛⎜⎝⎡⎢⎣⎧⎨⎩⎪\uf0f0〉∫⌠⎮⌡⎞⎟⎠⎤⎥⎦⎫⎬⎭"
)
_CHARACTERS_AND_SIGNS = {
    "symbol": ("".join(map(chr, (*range(0x20, 0x7F), *range(0xA0, 0xFF)))), _SYMBOL),
    "wingdings": ("(*JKLlnuv§Øßàáâèïðñòûüoqr¨xýþ", "☎✉☺😐☹●■◆❖▪➢←→↑↓➔⇦⇨⇧⇩✗✓☐☐☐☐☒☒☒"),
    "wingdings 2": ("OP£QRST", "✗✓☐☒☒☒☒"),
    "webdings": ("arcg", "✓✗☐■"),
}
_SIGNS = {font: dict(zip(*pair, strict=True)) for font, pair in _CHARACTERS_AND_SIGNS.items()}


def read_signs(text: str, font: str | None) -> str:
    """Translate text in a symbol font; unknown characters stay."""
    signs = _SIGNS.get((font or "").lower())
    if signs is None:
        return text
    shown = (signs.get(chr(ord(char) & 0xFF) if "\uf020" <= char <= "\uf0ff" else char, char) for char in text)
    return "".join(shown).replace("☐", "[ ]").replace("☒", "[x]")
