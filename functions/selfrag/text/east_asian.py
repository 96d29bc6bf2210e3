"""The letters of Chinese, Japanese and Korean, which are written without spaces, or with few."""

import re

RUN = re.compile(
    "["
    "\u1100-\u11ff\u3130-\u318f\uac00-\ud7ff"  # Hangul
    "\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff"  # Kana and iteration marks
    "\u3100-\u312f\u31a0-\u31bf"  # Bopomofo
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # ideographs
    "]+"
)
