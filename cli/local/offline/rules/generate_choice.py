"""One of several options: the one whose words stand in the passages; none where that is true of none, or of several."""

from collections.abc import Mapping
from typing import Any

from cli.local.offline.rules.fields import objects_in, text_in
from cli.local.offline.text.words import distinct, keys_of, units


def generate_choice(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The number of the option that the passages name, 0 for none."""
    named = keys_of(units("\n".join(text_in(passage, "text") for passage in objects_in(fields, "passages"))))
    stands = []
    for number, option in enumerate(objects_in(fields, "options"), start=1):
        words = list(distinct(units(text_in(option, "text"))))
        if words and all(word.keys <= named for word in words):
            stands.append(number)
    return {"option": stands[0] if len(stands) == 1 else 0}
