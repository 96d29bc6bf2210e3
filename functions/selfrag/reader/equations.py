"""Equations of Office and MathML as linear text: E=mc^2, (a+b)/c, sqrt(x), sum_(i=1)^n."""

from selfrag.reader.archive import PartReader
from selfrag.reader.scripts import parenthesize

MAX_EQUATION = 10_000  # characters; the rest of a longer equation is written without structure
_MAX_SIGN = 4  # characters of a bracket or an accent
_LARGE = {"∑": "sum", "∏": "prod", "∫": "int"}
_LEFT_OUT = frozenset({"annotation", "annotation-xml", "rPr", "ctrlPr"})
_INVISIBLE = dict.fromkeys(range(0x2061, 0x2065))  # invisible operators: function application and multiplication
_ROWS, _TABLES = frozenset({"mr", "mtr"}), frozenset({"m", "mtable", "eqArr"})


class Equation(PartReader):
    """Writes an equation as text while its elements stream by."""

    def __init__(self) -> None:
        # Open elements: their texts and properties.
        self._open: list[tuple[list[str], dict[str, str]]] = [([], {})]
        self._length = 0

    @property
    def result(self) -> str:
        """Return the equation as text."""
        return " ".join("".join(self._open[0][0]).split())

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if name.endswith("Chr") or name in ("chr", "degHide"):
            self._open[-1][1][name] = attributes.get("val", "")[:_MAX_SIGN]
        values = {key: value[:_MAX_SIGN] for key, value in attributes.items() if key in ("open", "close", "separators")}
        self._open.append(([], values))

    def text(self, text: str) -> None:
        if text.strip():
            self._length += len(text)
            # Each open element rewrites its content, so the cost is bounded by MAX_EQUATION.
            place = self._open[-1 if self._length <= MAX_EQUATION else 0]
            place[0].append(text.translate(_INVISIBLE))

    def end(self, name: str) -> None:
        parts, values = self._open.pop()
        if name.endswith("Pr"):
            self._open[-1][1].update(values)
        elif name not in _LEFT_OUT:
            self._open[-1][0].append(_write_element(name, parts, values))


def _write_element(name: str, parts: list[str], values: dict[str, str]) -> str:
    """Combine the parts of an element, ordered alike in both equation formats."""
    match name, parts:
        case "f" | "mfrac", [above, below]:
            return f"{parenthesize(above)}/{parenthesize(below)}"
        case "sSup" | "msup" | "limUpp" | "mover", [base, high]:
            return _scripts(base, "", high)
        case "sSub" | "msub" | "limLow" | "munder", [base, low]:
            return _scripts(base, low, "")
        case "sSubSup" | "msubsup" | "munderover", [base, low, high]:
            return _scripts(base, low, high)
        case "sPre", [low, high, base]:
            return _scripts("", low, high) + base
        case "nary", [low, high, base]:
            return f"{_scripts(values.get('chr', '∫'), low, high)} {base}"
        case "rad", [degree, base]:
            return f"root_{parenthesize(degree)}({base})" if degree else f"sqrt({base})"
        case "mroot", [base, degree]:
            return f"root_{parenthesize(degree)}({base})"
        case "msqrt", _:
            return f"sqrt({''.join(parts)})"
        case "func", [function, base]:
            return f"{function}{base if base.startswith('(') else f'({base})'}"
        case "acc", [base]:
            return base + values.get("chr", "\u0302")
        case "d" | "mfenced", _:
            begin, end = values.get("begChr", values.get("open", "(")), values.get("endChr", values.get("close", ")"))
            return f"{begin}{values.get('sepChr', ', ').join(parts)}{end}"
    if name in _ROWS:
        return ", ".join(parts)
    if name in _TABLES:
        return f"[{'; '.join(parts)}]" if name != "eqArr" else "; ".join(parts)
    return "".join(parts)


def _scripts(base: str, low: str, high: str) -> str:
    name = _LARGE.get(base, parenthesize(base) if base else "")
    return name + (f"_{parenthesize(low)}" if low else "") + (f"^{parenthesize(high)}" if high else "")


class EquationFilter(PartReader):
    """Hands a part of an Office document on to its reader, with equations as text."""

    def __init__(self, reader: PartReader) -> None:
        self._reader = reader
        self._equation: Equation | None = None

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if self._equation is None and name == "oMath":
            self._equation = Equation()
        else:
            (self._equation or self._reader).start(name, attributes)

    def end(self, name: str) -> None:
        if self._equation and name == "oMath":
            self._reader.equation_text(self._equation.result)
            self._equation = None
        else:
            (self._equation or self._reader).end(name)

    def text(self, text: str) -> None:
        (self._equation or self._reader).text(text)
