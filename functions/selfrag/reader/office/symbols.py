"""Symbol fonts of office programs: the signs that a person sees for the characters that a file holds."""

_SYMBOL = (
    " !∀#∃%&∋()∗+,−./0123456789:;<=>?≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_‾αβχδεφγηιϕκλµνοπθρστυϖωξψζ{|}∼"
    "€ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…⏐⎯↵ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓◊〈®©™∑⎛⎜⎝⎡⎢⎣⎧⎨⎩⎪\uf0f0〉∫⌠⎮⌡⎞⎟⎠⎤⎥⎦⎫⎬⎭"
)
# The characters of each font and their signs.
_FONTS = {
    "symbol": ("".join(map(chr, (*range(0x20, 0x7F), *range(0xA0, 0xFF)))), _SYMBOL),
    "wingdings": ("(*JKLlnuv§Øßàáâèïðñòûüoqr¨xýþ", "☎✉☺😐☹●■◆❖▪➢←→↑↓➔⇦⇨⇧⇩✗✓☐☐☐☐☒☒☒"),
    "wingdings 2": ("OP£QRST", "✗✓☐☒☒☒☒"),
    "webdings": ("arcg", "✓✗☐■"),
}
_BOXES = {"☐": "[ ]", "☒": "[x]"}
_SIGNS = {
    font: {char: _BOXES.get(sign, sign) for char, sign in zip(*pair, strict=True)} for font, pair in _FONTS.items()
}


def read_signs(text: str, font: str | None) -> str:
    """Return a text with the signs that a font shows; a character without a known sign stays as it is."""
    signs = _SIGNS.get((font or "").lower())
    if signs is None:
        return text
    return "".join(signs.get(chr(ord(char) & 0xFF) if "\uf020" <= char <= "\uf0ff" else char, char) for char in text)
