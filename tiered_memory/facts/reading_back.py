"""What the assistant reads back, and whether the customer says yes to it."""

from __future__ import annotations

from bisect import bisect_right
from functools import partial
from operator import itemgetter
from typing import TYPE_CHECKING

from tiered_memory.facts.re2_engine import compile_re2
from tiered_memory.text.folding import fold

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

__all__ = ["ReadBack", "question_tail"]

ANSWER_CHARS = 200
"""A longer message is more than a yes."""
TAIL_CHARS = 2_400
"""Of a reply that is longer, so much is looked at: below 1 ms, on the event loop."""

_YES = (
    r"(?i)^[ \t\r\n\"'(]*(?:(?:yes|yeah|yep|yup|ya|indeed|(?:that|this|it)(?:'s| is)"
    r"(?: all)? (?:right|correct|it|mine|me|the one|my [a-z]{2,12}))[ ]|"
    r"(?:yes|yeah|yep|yup|ya|correct|right|exactly|confirmed|indeed|affirmative|absolutely|"
    r"precisely|it is|(?:that|this|it)(?:'s| is)(?: all)? (?:right|correct|it|mine|me|the one|"
    r"my [a-z]{2,12})|"
    r"(?:嗯+|恩|对对?|是|没错|正确|准确|无误|就是(?:这个|它|的)?|是这个|是我的?|对是的)(?:的|呀|啊|哦|滴)?)"
    r"[ ]?(?:$|[,.!;，。！；~\n]))"
)
_YET = (
    r"(?i)(?:^|[^a-z])(?:but|except|however|not|isn'?t|wrong|no|instead|change|actually)"
    r"(?:[^a-z]|$)|但|不过|除了|不是|不对|(?:^|[^没])错|改|换"
)
_ASKS = (
    r"(?i)[?？]\s*$|(?:对吗|对吧|对不对|是吗|是吧|是不是|正确吗|没错吧|无误吧?|可以吗|好吗|准确吗)[。.!！ ]*$|"
    r"(?:^|[^a-z])(?:confirm|verify|double[ -]check|read (?:it |that )?back|just to (?:be sure|check))"
    r"(?:[^a-z]|$)|请?(?:您|你)?(?:确认|核对|核实)(?:一下|下)?"
)
_ONLY_ASKS = (
    r"(?i)^[ ]*(?:is (?:that|this|it|everything)(?: all)? (?:right|correct|ok(?:ay)?|accurate)|"
    r"(?:correct|right|ok(?:ay)?|is that you|did i get (?:that|it)(?: right)?|"
    r"can you confirm(?: that| this)?|please confirm)|(?:请|请您|麻烦您?)?(?:确认|核对)一?下?(?:是否正确|吗)?|"
    r"对吗|是吗|对不对|正确吗|没错吧|是否正确|请问对吗|这样对吗)[ ?？。.!！]*$"
)
_CUSTOMERS = (
    r"(?i)(?:^|[^a-z])(?:you|your|yours|you're|on file|we have|i have|i see|i found|"
    r"i'?m showing|under|the name|the (?:order|phone|e-?mail|address|number|booking))(?:[^a-z]|$)|"
    r"您|你|登记|预留|系统|查到|订单|单号|收货|手机|电话|姓名"
)
_OURS = (
    r"(?i)(?:^|[^a-z])(?:our|us|hotline|support line|call|dial|reach|contact|for example|e\.g|"
    r"such as)(?:[^a-z][^?]{0,24})?$|(?:我们|本店|客服|官方|热线|拨打|致电|联系我们?|例如|比如)[^?？]{0,12}$"
)
_CHOICE_BEFORE = (
    r"(?i)(?:^|[^a-z])or[ :#]{1,3}(?:[a-z]{2,10} ){0,2}$|(?:还是|或者?)[^,，]{0,6}$"
)
_CHOICE_AFTER = r"(?i)^[\"')]{0,2},? {0,2}or[^a-z]|^[^,，。?？]{0,4}(?:还是|或者)"

_ENDS = "。！？!?\n"


class ReadBack:
    """Judges a question and its answer; holds only compiled expressions."""

    def __init__(self) -> None:
        self._yes = compile_re2(_YES)
        self._yet = compile_re2(_YET)
        self._asks = compile_re2(_ASKS)
        self._only_asks = compile_re2(_ONLY_ASKS)
        self._customers = compile_re2(_CUSTOMERS)
        self._ours = compile_re2(_OURS)
        self._choices = (compile_re2(_CHOICE_BEFORE), compile_re2(_CHOICE_AFTER))

    def confirms(self, answer: str) -> bool:
        """Tell whether a customer's message says yes, and no "but" after it."""
        if len(answer) > ANSWER_CHARS:
            return False
        folded = fold(answer).text.strip()
        yes = self._yes.search(folded)
        return yes is not None and self._yet.search(folded[yes.end() :]) is None

    def open(self, text: str) -> Callable[[int, int], bool]:
        """Look once through a folded text; gives what judges spans of it.

        That tells whether the value at a half-open span is put to the customer: its
        sentence asks, or the next one does nothing else; it speaks of the customer, not
        of the firm, and leaves no choice.
        """
        return partial(self._is_put, text, list(_sentences(text)))

    def _is_put(
        self, text: str, sentences: Sequence[tuple[int, int]], start: int, end: int
    ) -> bool:
        place = bisect_right(sentences, start, key=itemgetter(0)) - 1
        if place < 0:
            return False
        left, right = sentences[place]
        sentence = text[left:right]
        asks = self._asks.search(sentence) is not None
        if not asks and place + 1 < len(sentences):
            following = text[slice(*sentences[place + 1])]
            asks = self._only_asks.search(following.strip()) is not None
        before, after = text[left:start], text[end:right]
        return (
            asks
            and self._customers.search(sentence) is not None
            and self._ours.search(before) is None
            and self._choices[0].search(before) is None
            and self._choices[1].search(after) is None
        )


def question_tail(text: str) -> int:
    """Give where the last ``TAIL_CHARS`` of a reply begin, at a border; 0 for a short one.

    What is put to the customer stands at a reply's end. A border is a line's or a
    sentence's end or a space, so that no value is cut; a run without one is left out.
    """
    if len(text) <= TAIL_CHARS:
        return 0
    for place in range(len(text) - TAIL_CHARS, len(text)):
        if text[place] in _ENDS or text[place].isspace():
            return place + 1
    return len(text)


def _sentences(text: str) -> Iterator[tuple[int, int]]:
    begin = 0
    for place, char in enumerate(text):
        stop = char in _ENDS or (char == "." and text[place + 1 : place + 2] in {" ", ""})
        if stop and place > begin:
            yield begin, place + 1
            begin = place + 1
    if begin < len(text):
        yield begin, len(text)
