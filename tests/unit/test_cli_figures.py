from __future__ import annotations

import dataclasses

from tiered_memory.cli.figures import Figures, saved_share


def test_including_adds_every_figure_but_takes_the_largest_prompt() -> None:
    one = Figures(turns=2, tokens_sent=10, largest_prompt=7)
    one.facts.update({"order_id": 2})
    two = Figures(turns=3, tokens_sent=5, largest_prompt=5)
    two.facts.update({"order_id": 1, "phone": 1})
    total = Figures()
    total.include(one)
    total.include(two)
    assert (total.turns, total.tokens_sent, total.largest_prompt) == (5, 15, 7)
    assert total.facts == {"order_id": 3, "phone": 1}
    assert one.facts == {"order_id": 2}


def test_every_figure_is_in_the_json() -> None:
    names = {item.name for item in dataclasses.fields(Figures)}
    public = {name for name in names if not name.startswith("_")}
    assert public <= set(Figures().to_dict())


def test_shares_of_nothing_are_nothing() -> None:
    assert saved_share(0, 0) == 0
    assert Figures().prefix_share == 0


def test_more_sent_than_the_whole_history_is_a_negative_saving() -> None:
    assert saved_share(150, 100) == -0.5
