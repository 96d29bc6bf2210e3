"""Dates relative to today, such as "last month", in the languages of the messages."""

import re
import unicodedata

_UNIT = "second|minute|hour|day|week|fortnight|month|quarter|season|term|semester|year|decade|spring|summer|autumn|fall"
_WEEKDAY = "(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_ENGLISH = (
    r"today|yesterday|tomorrow|tonight|now|nowadays|current(?:ly)?|presently|recent(?:ly)?|latest|newest|upcoming|ago"
    rf"|(?:this|last|next|past|previous|coming|recent)\s(?:\w+\s)?(?:{_UNIT}|{_WEEKDAY}|weekend)s?"
    r"|(?:this|last|next)\s(?:january|february|march|april|may|june|july|august|september|october|november|december)"
    r"|(?:next|last|previous|upcoming)\s(?:meeting|session|review|audit|report|order|delivery|payment|visit|release"
    r"|inspection|training|deadline|holiday|issue|version|update|shift|event|appointment)s?|expired?|expires|ytd|days\suntil"
    r"|most\srecent|so\sfar|to\sdate|at\sthe\smoment|right\snow|as\sof\snow|this\smorning|still\sopen|overdue"
)
_GERMAN = (
    r"heute|gestern|vorgestern|morgen|übermorgen|jetzt|derzeit|zurzeit|momentan|gegenwärtig|aktuell\w*|bisher|neue?ste\w*"
    r"|(?:letzte|vorige|nächste|kommende)[mnrs]?\s(?:sitzung|termin|treffen|bericht|prüfung|lieferung|zahlung|schicht)\w*"
    r"|abgelaufen\w*|überfällig\w*|jüngste\w*|kürzlich|neulich|heuer|diesjährig\w*|letztjährig\w*|vorjährig\w*|vorjahr\w*|vormonat\w*|vorwoche"
    r"|(?:letzte|vorige|vergangene|nächste|kommende|diese)[mnrs]?\s(?:\w+\s)?(?:tag|woche|monat|quartal|halbjahr|jahr"
    r"|montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag|frühjahr|sommer|herbst|winter)\w*"
    r"|vor\s\w+\s(?:tag|woche|monat|jahr)\w*"
)
_FRENCH = (
    r"aujourd['’]hui|avant-hier|(?:d['’]|depuis\s)hier|hier\s(?:soir|matin)|demain|maintenant|actuel\w*|récent\w*"
    r"|dernièrement|il\sy\sa\s\w+\s(?:jour|semaine|mois|an)\w*"
    r"|(?:semaine|mois|année|an|trimestre|semestre|été|hiver|\w{2,6}di)s?\s(?:derni(?:er|ère)|prochaine?|passée?)s?"
    r"|(?:ce|cette|ces|derni(?:er|ère)s?|prochaine?s?)\s(?:\w+\s)?(?:semaine|mois|année|trimestre|semestre)s?"
    r"|(?:le|la|les)\splus\srécente?s?|(?:derni(?:er|ère)|prochaine?)s?\s(?:réunion|rapport|séance|livraison|échéance)s?"
)
_SPANISH = (
    r"hoy|ayer|anteayer|mañana|ahora|actual\w*|reciente\w*|hace\s\w+\s(?:día|semana|mes|año)\w*"
    r"|(?:semana|mes|año|trimestre|semestre|lunes|martes|miércoles|jueves|viernes)s?\s(?:pasad|próxim|anterior|actual)\w*"
    r"|(?:últim|próxim)[oa]s?\s(?:reunión|informe|entrega|pago|sesión|revisión)"
    r"|(?:este|esta|últim[oa]s?|próxim[oa]s?)\s(?:\w+\s)?(?:semana|mes|año|trimestre|semestre|día)(?:e?s)?"
)
_LATIN = re.compile(rf"\b(?:{_ENGLISH}|{_GERMAN}|{_FRENCH}|{_SPANISH})\b", re.IGNORECASE)
_EAST_ASIAN = re.compile(
    r"今日|本日|昨日|明日|一昨日|明後日|[今先来昨去前翌](?:週|月|年|期|四半期)|[今昨来]年度|現在|最新|最近|直近|このところ|前回|次回|次の(?:会議|納期|予定|点検|回)"
    r"|[\d一二三四五六七八九十]{1,3}(?:日|週間|か月|ヶ月|カ月|年)[前後]"
    r"|오늘|어제|그제|내일|모레|이번|지난|다음\s?(?:주|달|해|분기)|올해|작년|내년|금년|전월|최근|최신|현재|지금|\d{1,3}\s?(?:일|주|개월|년)\s?[전후]"
)


def has_relative_date(text: str) -> bool:
    """Return whether a text has a date that only the day of asking tells."""
    folded = unicodedata.normalize("NFKC", text)
    return bool(_LATIN.search(folded) or _EAST_ASIAN.search(folded))
