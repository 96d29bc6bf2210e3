"""A page without navigation and styling, from which files are generated."""

from html import escape

from bench.documents.known.tree import VOID, Element

# Elements without meaning; only their content is kept.
_UNWRAPPED = frozenset({"div", "span", "section", "article", "main", "font", "document", "html", "body", "center"})
_LEFT_OUT = frozenset({"img", "object", "iframe", "input", "button", "form"})
_KEPT = ("href", "colspan", "rowspan")


def clean_page(tree: Element, language: str) -> str:
    """Return the tree as a page of HTML with nothing but headings, paragraphs, lists, tables, listings and links."""
    title = next((element for element in tree.elements("h1", "h2")), Element("h1"))
    name = escape(" ".join("".join(_texts(title)).split()))
    head = f'<meta charset="utf-8"><title>{name}</title>'
    return f'<!DOCTYPE html>\n<html lang="{language}"><head>{head}</head><body>{_inside(tree)}</body></html>\n'


def _inside(element: Element) -> str:
    return "".join(
        escape(child, quote=False) if isinstance(child, str) else _shown(child) for child in element.children
    )


def _shown(element: Element) -> str:
    if element.tag in _LEFT_OUT:
        return ""
    inside = _inside(element)
    if element.tag in _UNWRAPPED or (element.tag == "a" and "href" not in element.attributes):
        return inside
    kept = "".join(f' {name}="{escape(element.attributes[name])}"' for name in _KEPT if name in element.attributes)
    return f"<{element.tag}{kept}>" + ("" if element.tag in VOID else f"{inside}</{element.tag}>")


def _texts(element: Element) -> list[str]:
    found: list[str] = []
    for child in element.children:
        found += [child] if isinstance(child, str) else _texts(child)
    return found
