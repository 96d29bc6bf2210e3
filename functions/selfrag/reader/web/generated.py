"""Content that a browser generates: field values, check marks and list numbers."""

from selectolax.lexbor import LexborHTMLParser, LexborNode

from selfrag.reader.office.numbering import numeral
from selfrag.reader.visibility import InlineStyle
from selfrag.reader.web.furniture import Attributes, names
from selfrag.reader.web.walk import is_blank

# Passwords, hidden fields, buttons, searches and fields without visible text.
_WITHOUT_TEXT = names("button color file hidden image password range reset search submit")
_FIRST_IN_ITEM = names("p div label span")
_MAX_DIGITS = 6


def write_generated(tree: LexborHTMLParser) -> None:
    """Insert generated content into a page as text."""
    for field in reversed(tree.css("input, select, textarea, progress, meter")):  # inner fields come first
        look = field.attributes.get("style")
        if "hidden" in field.attributes or (look and InlineStyle(look).is_unseen("")):
            field.decompose()
        elif field.tag in ("input", "select"):
            field.replace_with(f" {_value(field)} ")
        else:  # keep their own text
            field.insert_before(" ")
            field.insert_after(" ")
    for items in tree.css("ol"):
        if "none" not in (items.attributes.get("style") or "").partition("list-style")[2].partition(";")[0]:
            _write_numbers(items)


def _value(field: LexborNode) -> str:
    attributes, kind = field.attributes, (field.attributes.get("type") or "text").lower()
    if field.tag == "select":
        return _selected_options(field)
    if kind in ("checkbox", "radio"):
        return "[x]" if "checked" in attributes else "[ ]"
    return "" if kind in _WITHOUT_TEXT else attributes.get("value") or ""


def _selected_options(field: LexborNode) -> str:
    """Return a field's selected options; by default the first of a drop-down list.

    An option without a value is a prompt; a form with nothing but a choice is navigation.
    """
    options, around = field.css("option"), (field.prev, field.next)
    chosen = [option for option in options if "selected" in option.attributes]
    leads = field.parent is not None and field.parent.tag == "form" and around == (None, None)
    if not chosen and "multiple" not in field.attributes and not leads:
        chosen = [option for option in options[:1] if option.attributes.get("value") != ""]
    return ", ".join(option.attributes.get("label") or option.text().strip() for option in chosen)


def _write_numbers(items: LexborNode) -> None:
    own = [child for child in items.iter() if child.tag == "li"]
    reverse = "reversed" in items.attributes
    number = _parse_whole(items.attributes, "start", len(own) if reverse else 1)
    for item in own:
        number = _parse_whole(item.attributes, "value", number)
        first = item.first_child
        while first is not None and (first.tag in _FIRST_IN_ITEM or is_blank(first)):
            first = first.first_child or first.next
        if first is not None:
            shown = f"{numeral(number, item.attributes.get('type') or items.attributes.get('type') or '')}. "
            if first.is_text_node:
                first.replace_with(shown + (first.text_content or "").lstrip())
            else:
                first.insert_before(shown)
        number += -1 if reverse else 1


def _parse_whole(attributes: Attributes, name: str, default: int) -> int:
    digits = (attributes.get(name) or "").strip()
    is_whole = digits.removeprefix("-").isdecimal() and digits.isascii() and len(digits) <= _MAX_DIGITS
    return int(digits) if is_whole else default
