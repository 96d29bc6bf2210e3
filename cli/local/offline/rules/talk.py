"""What is said without a question about documents: greetings, thanks, and questions about the assistant."""

import re

from cli.local.offline.text.either import compiled, either, words
from cli.local.offline.text.words import plain

_LONGEST = 80

_TALK = compiled(
    words(
        """hi | hello | hey | hiya | howdy | greetings | good (?:morning|afternoon|evening|night|day) | welcome
        | bye | how are you(?: doing)?(?: today)? | how(?:'s| is) it going | nice to meet you | goodbye
        | see you(?: later| soon)? | thank you(?: so| very)?(?: much)? | many thanks | thanks(?: a lot)? | cheers
        | for your help | there | everyone | have a (?:nice|good|great) (?:day|one|weekend|evening) | ok | okay
        | great | perfect | cool | nice | well done | good job | never mind | sorry | again | selfrag"""
    ),
    words(
        """hola | buenos d[ií]as | buenas (?:tardes|noches) | (?:muchas )?gracias | adi[oó]s | bonjour | bonsoir
        | salut | merci(?: beaucoup)? | au revoir | hallo | guten (?:morgen|tag|abend) | danke(?: sch[oö]n)?
        | tsch[uü]ss | servus | ciao | buongiorno | buonasera | grazie | ol[aá] | bom dia | boa (?:tarde|noite)
        | obrigad[oa] | cze[sś][cć] | dzie[nń] dobry | dzi[eę]kuj[eę] | hej | tack | tere | ait[aä]h"""
    ),
    either(
        """привет | здравствуйте | спасибо | 你好 | 您好 | 早上好 | 谢谢 | 謝謝 | 再见 | 안녕(?:하세요)?
        | 감사합니다"""
    ),
    either("こんにちは | こんばんは | おはよう(?:ございます)? | さようなら | すみません | お?元気(?:ですか)?"),
    either(
        """(?:どうも)?ありがとう(?:ございま(?:す|した))? | お疲れ(?:さま|様)(?:です|でした)?
        | 了解(?:です|しました)?"""
    ),
    either("はじめまして | 初めまして | よろしく(?:お願いします|おねがいします)?"),
)
_ABOUT_THE_ASSISTANT = compiled(
    either(
        """what (?:can|do) you do | (?:what|who) are you | how can you help(?: me)? | (?:can you )?help(?: me)?
        | what can i ask(?: you)? | what is this
        | are you (?:an? )?(?:human|bot|robot|ai|language model|llm|real person)"""
    ),
    either(
        """あなたは(?:誰|だれ|何).{0,8} | (?:何|なに)が?(?:できますか|できるの).{0,8} | 使い方を教えて.{0,8}
        | ヘルプ"""
    ),
)


def is_small_talk(text: str) -> bool:
    """Whether a text is nothing but greetings and thanks, in one of several languages."""
    text = plain(text)
    return len(text) <= _LONGEST and bool(_TALK.search(text)) and not re.search(r"\w", _TALK.sub(" ", text))


def asks_about_the_assistant(text: str) -> bool:
    """Whether a question is about the assistant itself."""
    return bool(_ABOUT_THE_ASSISTANT.fullmatch(re.sub(r"^\W+|\W+$", "", plain(text))))
