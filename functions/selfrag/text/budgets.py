"""Estimates of tokens: the tokenizers are not public."""

import json
import math
import re
from typing import Any


def most_tokens(value: Any) -> int:
    """Return an upper estimate of the tokens of a value in JSON.

    One token for two letters, spaces or bytes above ASCII of UTF-8, one for every other byte. At about three bytes a
    token English takes about half of that; a text of random letters may take more.
    """
    text = json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass")
    light = len(re.findall(rb"[A-Za-z \x80-\xff]", text))
    return len(text) - light + math.ceil(light / 2)
