"""The documents: which pages of which package say what, and in which files it is found or made."""

from dataclasses import dataclass

TEX, FOP, GROFF, PAGE = "TeX", "FOP", "groff", "package"


@dataclass(frozen=True)
class Source:
    """A document of a Debian package, paths below /usr/share.

    `pages` are its HTML pages in order; an `index.html` is followed by the pages that it links to. `files` are those in
    the package, each with the program that made it; `made` are the extensions of the files to generate.
    """

    name: str
    language: str
    package: str
    pages: tuple[str, ...]
    files: tuple[tuple[str, str], ...] = ()
    made: tuple[str, ...] = ()


_PANDOC = ("docx", "odt", "epub", "pptx", "md")
_ALL = (*_PANDOC, "pdf", "xlsx")
_POSTGRES, _GIT, _FAQ = "doc/postgresql-doc-15/html", "doc/git-doc", "doc/debian/FAQ"
_INSTALL, _HISTORY, _REFERENCE = "doc/installation-guide-amd64", "doc/debian-history/docs", "debian-reference"


def _book(name: str, language: str, package: str, index: str, *files: tuple[str, str]) -> Source:
    return Source(name, language, package, (index,), files)


def _history(language: str) -> Source:
    stem = f"{_HISTORY}/project-history.{language}"
    files: tuple[tuple[str, str], ...] = ((f"{stem}.epub", PAGE),)
    if language != "ko":  # the Korean PDF is printed without the spaces between words, so that no reader can keep them
        files = ((f"{stem}.pdf", TEX), *files)
    return _book(f"history-{language}", language, "debian-history", f"{_HISTORY}/index.{language}.html", *files)


def _page(name: str, language: str, package: str, path: str, *made: str) -> Source:
    return Source(name, language, package, (path,), ((path, PAGE),), made)


BOOKS = (
    _book(
        "developers-reference",
        "en",
        "developers-reference",
        "developers-reference/index.html",
        ("developers-reference/developers-reference.pdf", TEX),
    ),
    _book(
        "developers-reference-ja",
        "ja",
        "developers-reference-ja",
        "developers-reference/ja/index.html",
        ("developers-reference/ja/developers-reference.pdf", TEX),
    ),
    _book(
        "policy",
        "en",
        "debian-policy",
        "doc/debian-policy/policy.html/index.html",
        ("doc/debian-policy/policy.pdf.gz", TEX),
    ),
    Source(
        "fhs",
        "en",
        "debian-policy",
        ("doc/debian-policy/fhs/fhs-3.0.html",),
        (("doc/debian-policy/fhs/fhs-3.0.pdf.gz", FOP), ("doc/debian-policy/fhs/fhs-3.0.html", PAGE)),
    ),
    _book("faq", "en", "debian-faq", f"{_FAQ}/index.en.html", (f"{_FAQ}/debian-faq.en.pdf.gz", TEX)),
    _book(
        "maint-guide",
        "en",
        "maint-guide",
        "doc/maint-guide/html/index.en.html",
        ("doc/maint-guide/maint-guide.en.pdf", TEX),
    ),
    _book(
        "maint-guide-ja",
        "ja",
        "maint-guide-ja",
        "doc/maint-guide-ja/html/index.ja.html",
        ("doc/maint-guide-ja/maint-guide.ja.pdf", TEX),
    ),
    _history("en"),
    _history("ja"),
    _history("ko"),
    _book(
        "install-ko",
        "ko",
        "installation-guide-amd64",
        f"{_INSTALL}/ko/index.html",
        (f"{_INSTALL}/ko/install.ko.pdf.gz", TEX),
    ),
    _book(
        "reference-ja",
        "ja",
        "debian-reference-ja",
        f"{_REFERENCE}/index.ja.html",
        (f"{_REFERENCE}/debian-reference.ja.pdf", TEX),
    ),
    Source("bash", "en", "bash-doc", ("doc/bash/bash.html",), (("doc/bash/bash.pdf", GROFF),)),
)

PAGES = (
    _page("postgres-errcodes", "en", "postgresql-doc-15", f"{_POSTGRES}/errcodes-appendix.html", "xlsx", "md"),
    _page("postgres-formatting", "en", "postgresql-doc-15", f"{_POSTGRES}/functions-formatting.html", *_ALL),
    _page("postgres-isolation", "en", "postgresql-doc-15", f"{_POSTGRES}/transaction-iso.html", *_PANDOC, "pdf"),
    _page("postgres-views", "en", "postgresql-doc-15", f"{_POSTGRES}/monitoring-stats.html", "docx", "xlsx"),
    _page("git-stash", "en", "git-doc", f"{_GIT}/git-stash.html", *_PANDOC, "pdf"),
    _page("git-bisect", "en", "git-doc", f"{_GIT}/git-bisect.html"),
    _page("git-config", "en", "git-doc", f"{_GIT}/git-config.html"),
    _page("git-reftable", "en", "git-doc", f"{_GIT}/technical/reftable.html", *_ALL),
    _page("policy-relationships", "en", "debian-policy", "doc/debian-policy/policy.html/ch-relationships.html"),
    _page("policy-fields", "en", "debian-policy", "doc/debian-policy/policy.html/ch-controlfields.html", "md"),
    _page("reference-en-system", "en", "debian-reference-en", f"{_REFERENCE}/ch09.en.html", "pdf", "docx"),
    _page("reference-ja-tutorial", "ja", "debian-reference-ja", f"{_REFERENCE}/ch01.ja.html", *_ALL),
    _page("reference-ja-network", "ja", "debian-reference-ja", f"{_REFERENCE}/ch05.ja.html", *_ALL),
    _page("maint-guide-ja-rules", "ja", "maint-guide-ja", "doc/maint-guide-ja/html/dreq.ja.html", "docx", "epub"),
    _page("developers-ja-packages", "ja", "developers-reference-ja", "developers-reference/ja/pkgs.html", "docx"),
    _page("policy-ja-fields", "ja", "debian-policy-ja", "doc/debian-policy/ja/policy.html/ch-controlfields.html"),
    _page("faq-ko-definitions", "ko", "debian-faq-ko", f"{_FAQ}/ko/basic-defs.ko.html", *_PANDOC),
    _page("faq-ko-packages", "ko", "debian-faq-ko", f"{_FAQ}/ko/pkg-basics.ko.html", "docx", "epub"),
    _page("faq-ko-choosing", "ko", "debian-faq-ko", f"{_FAQ}/ko/choosing.ko.html"),
    _page("install-ko-steps", "ko", "installation-guide-amd64", f"{_INSTALL}/ko/ch06s03.html", *_ALL),
    _page("install-ko-partitions", "ko", "installation-guide-amd64", f"{_INSTALL}/ko/apbs04.html", "docx", "odt"),
    _page("install-ko-memory", "ko", "installation-guide-amd64", f"{_INSTALL}/ko/ch03s04.html", *_ALL),
)
SOURCES = (*BOOKS, *PAGES)
# The programs that generate files, if available: they are unpacked below build/, not installed.
PANDOC, OFFICE = "pandoc", ("libreoffice-writer-nogui",)
FONTS = ("fonts-ipafont-gothic", "fonts-nanum", "fonts-liberation2")
