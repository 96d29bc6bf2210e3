"""One article in the HTML of four generators, each with its own navigation."""

_INTRODUCTION = "Whoever works here has days off every year, and they are paid. The footnotes say what is special."
_ASKING = "Ask your manager three weeks ahead; in summer, five. A refusal has a reason."
_CARRYING = "At most nine days move on into spring. Later ones lapse."
_NOTE = "Sailors may carry twelve."
_OFFICES = [("Oslo", "25"), ("Rome", "28"), ("Tallinn", "26")]
_TERMS = [("lapse", "To end without payment."), ("carry", "To take into another year.")]
_CODE = "leave --days 3\n  --office Rome"

ARTICLE = " ".join(
    ["Annual leave", _INTRODUCTION, "How to ask", _ASKING, "Carrying over", _CARRYING, _NOTE, _CODE]
    + [word for pair in [*_OFFICES, *_TERMS] for word in pair]
    + ["Office Days"] * len(_OFFICES)
    + ["Days by office"]
)
_CELLS = "".join(f"<tr><td>{office}</td><td>{days}</td></tr>" for office, days in _OFFICES)
_HEAD = "<thead><tr><th>Office</th><th>Days</th></tr></thead>"
_LIST = "".join(f"<dt>{term}</dt><dd><p>{text}</p></dd>" for term, text in _TERMS)


def _article(heading: int, box: str, table: str, note: str) -> str:
    """Return the article below a heading of this level; `box` begins a section."""
    below = f"h{heading + 1}"
    return (
        f"<h{heading}>Annual leave</h{heading}><p>{_INTRODUCTION}</p>{table}"
        f"{box}<{below}>How to ask</{below}><p>{_ASKING}</p><pre>{_CODE}</pre></div>"
        f"{box}<{below}>Carrying over</{below}><p>{_CARRYING}</p><dl>{_LIST}</dl></div>{note}"
    )


def _sphinx() -> tuple[str, str]:
    bar = (
        '<div class="related" role="navigation" aria-label="related navigation"><h3>Navigation</h3><ul>'
        '<li class="right"><a href="genindex.html" accesskey="I">index</a></li><li class="right"><a href="pay.html" '
        'accesskey="N">next</a> |</li><li class="nav-item"><a href="index.html">Handbook</a> &#187;</li></ul></div>'
    )
    side = (
        '<div class="sphinxsidebar" role="navigation"><div class="sphinxsidebarwrapper"><h3><a href="index.html">Table '
        'of Contents</a></h3><ul><li><a class="reference internal" href="#ask">Steps</a></li></ul><h4>Previous topic'
        '</h4><p><a href="welcome.html">Welcome</a></p><div id="searchbox" role="search"><h3>Quick search</h3></div>'
        '<h3>Source</h3><a href="_sources/leave.rst.txt">Show Source</a></div></div>'
    )
    table = f"<table class='docutils'><caption>Days by office</caption>{_HEAD}<tbody>{_CELLS}</tbody></table>"
    note = f'<aside class="footnote-list brackets"><aside class="footnote brackets"><p>{_NOTE}</p></aside></aside>'
    tree = '<div class="toctree-wrapper compound"><ul><li><a href="pay.html">Salaries</a></li></ul></div>'
    body = _article(1, '<div class="section" id="contents">', table, note)
    body = body.replace("</h1>", '<a class="headerlink" href="#x" title="Permalink to this heading">¶</a></h1>')
    page = (
        f'<body>{bar}<div class="document"><div class="documentwrapper"><div class="bodywrapper"><div class="body" '
        f'role="main">{body}{tree}</div></div></div>{side}</div>{bar}<div class="footer" role="contentinfo">&#169; '
        f'Copyright 2026, The company. Created using <a href="https://www.sphinx-doc.org/">Sphinx</a> 7.2.</div></body>'
    )
    furniture = "Navigation index next Table Contents Steps Previous topic Welcome Quick search Source Salaries Sphinx"
    return page, furniture


def _docbook() -> tuple[str, str]:
    def steps(where: str) -> str:
        return (
            f'<div class="nav{where}"><table width="100%" summary="Navigation {where}"><tr><th colspan="3">Chapter 2'
            '</th></tr><tr><td><a accesskey="p" href="ch01.html">Prev</a></td><td><a accesskey="u" href="index.html">'
            'Up</a><br/><a accesskey="h" href="index.html">Home</a></td><td><a accesskey="n" href="ch03.html">Next</a>'
            "</td></tr></table><hr></div>"
        )

    front = (
        '<p class="copyright">Copyright © 2026 The company</p><div class="toc"><p><b>Table of Contents</b></p><dl '
        'class="toc"><dt><span class="sect1"><a href="#ask">2.1. Steps</a></span></dt></dl></div>'
        '<div class="list-of-tables"><p><b>List of Tables</b></p></div>'
    )
    table = (
        f'<div class="table"><p class="title"><b>Days by office</b></p><div class="table-contents"><table>{_HEAD}'
        f"<tbody>{_CELLS}</tbody></table></div></div>"
    )
    note = f'<div class="footnotes"><hr><div class="footnote"><p>{_NOTE}</p></div></div>'
    body = _article(2, '<div class="sect1">', table, note).replace("</h2>", f"</h2>{front}")
    page = f'<body>{steps("header")}<div class="chapter">{body}</div>{steps("footer")}</body>'
    return page, "Chapter Prev Up Home Next Copyright Table Contents Steps List Tables"


def _pandoc() -> tuple[str, str]:
    contents = (
        '<nav id="TOC" role="doc-toc"><h2 id="toc-title">Contents</h2><ul><li><a href="#ask" id="toc-ask"><span class='
        '"toc-section-number">1</span> Steps</a></li></ul></nav>'
    )
    table = f"<table><caption>Days by office</caption>{_HEAD}<tbody>{_CELLS}</tbody></table>"
    note = f'<aside id="footnotes" class="footnotes" role="doc-endnotes"><hr /><ol><li><p>{_NOTE}</p></li></ol></aside>'
    title = '<header id="title-block-header"><h1 class="title">Annual leave</h1></header>'
    body = _article(1, "<div>", table, note).replace("<h1>Annual leave</h1>", "")
    return f"<title>Handbook</title><body>{title}{contents}{body}</body>", "Contents Steps"


def _javadoc() -> tuple[str, str]:
    def bar(where: str) -> str:
        return (
            f'<div class="{where}Nav"><a name="n.{where}"></a><div class="skipNav"><a href="#skip">Skip navigation '
            'links</a></div><ul class="navList"><li><a href="overview.html">Overview</a></li><li>Package</li><li>Class'
            '</li></ul></div><div class="subNav"><ul class="navList"><li>Prev Class</li><li><a href="B.html">Next '
            "Class</a></li></ul><div>Summary: Nested | Field | <a href='#m'>Method</a></div></div>"
        )

    table = f'<table class="memberSummary"><caption><span>Days by office</span></caption>{_HEAD}{_CELLS}</table>'
    body = _article(2, '<div class="details">', table, f"<p>{_NOTE}</p>")
    page = (
        f'<body><noscript><div>JavaScript is disabled.</div></noscript>{bar("top")}<div class="contentContainer">{body}'
        f'</div>{bar("bottom")}<p class="legalCopy"><small>Copyright © 2026 Company.</small></p></body>'
    )
    return page, "Skip navigation links Overview Package Class Prev Next Summary Nested Field Method Copyright disabled"


PAGES = {"Sphinx": _sphinx(), "DocBook": _docbook(), "pandoc": _pandoc(), "Javadoc": _javadoc()}
