"""Control words of RTF that say where words go, or stand for a character."""

from ingestion.parse_document.office.headers import PAGE_NUMBER

HEADERS = frozenset({"header", "headerl", "headerr", "headerf", "footer", "footerl", "footerr", "footerf"})
COLLECTED = frozenset({"fonttbl", "stylesheet", "title", "keywords", "listtext", "pntext", "fldinst", "revtim"})
# Groups whose words are no text, or stand elsewhere as well; others that begin with an asterisk are left out, too.
SKIPPED = frozenset(
    {"colortbl", "filetbl", "pict", "objdata", "sp", "nonesttables", "annotation", "atnid", "atnauthor", "author"}
    | {"operator", "company", "doccomm", "subject", "comment", "category", "manager", "hlinkbase", "xe", "tc", "rxe"}
    | {"ftnsep", "ftnsepc", "ftncn", "aftnsep", "aftnsepc", "aftncn", "pntxta", "pntxtb", "listtable", "creatim"}
)
KNOWN_WITH_ASTERISK = frozenset({"footnote", "fldinst", "shpinst", "shptxt", "pntext"})
CHARACTERS = {
    **{"tab": "\t", "line": "\n", "lquote": "‘", "rquote": "’", "ldblquote": "“", "rdblquote": "”", "bullet": "•"},
    **{"endash": "–", "emdash": "—", "emspace": " ", "enspace": " ", "~": " ", "_": "-", "chpgn": PAGE_NUMBER},
    **{"\\": "\\", "{": "{", "}": "}", "nestcell": " ", "nestrow": " "},
}
PAGE_FIELDS = ("PAGE", "NUMPAGES", "SECTIONPAGES")
