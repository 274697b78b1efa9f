from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tiered_memory.entity_jobs import BATCH_CHARS, EntityJob, EntityQueue, Gaps, in_batches
from tiered_memory.facts.entities import EntityText


def job(session_id: str, seq: int, *texts: str) -> EntityJob:
    parts = tuple(
        EntityText(text=text, part=f"content.{n}") for n, text in enumerate(texts)
    )
    return EntityJob(session_id=session_id, seq=seq, texts=parts)


def test_a_full_queue_lets_the_oldest_go() -> None:
    queue = EntityQueue(texts=2, chars=100)
    assert queue.push(job("a", 1, "x")) == []
    assert queue.push(job("a", 2, "x")) == []
    assert [(j.session_id, j.seq) for j in queue.push(job("b", 1, "x"))] == [("a", 1)]
    assert [j.seq for j in queue.push(job("b", 2, "x" * 99))] == [2]
    assert [(j.session_id, j.seq) for j in queue.push(job("c", 1, "x" * 500))] == [
        ("b", 1),
        ("b", 2),
    ]
    assert (queue.texts, queue.chars) == (1, 500)


def test_a_batch_ends_at_texts_and_at_characters() -> None:
    queue = EntityQueue(texts=100, chars=10**6)
    for seq in range(5):
        queue.push(job("a", seq, "x"))
    queue.push(job("b", 1, "x" * BATCH_CHARS))
    queue.push(job("b", 2, "x" * (BATCH_CHARS + 1)))
    queue.push(job("b", 3, "x", "y", "z"))

    sizes = []
    while queue:
        sizes.append([j.seq for j in queue.take(3)])
    assert sizes == [[0, 1, 2], [3, 4], [1], [2], [3]]
    assert (queue.texts, queue.chars) == (0, 0)


@given(
    st.lists(st.lists(st.integers(0, 9_000), max_size=4), max_size=20), st.integers(1, 5)
)
def test_batches_hold_every_job_once_in_order(sizes: list[list[int]], texts: int) -> None:
    jobs = [job("s", n, *("x" * size for size in each)) for n, each in enumerate(sizes)]
    batches = in_batches(jobs, texts)
    assert [j for batch in batches for j in batch] == jobs
    for batch in batches:
        assert len(batch) == 1 or sum(len(j.texts) for j in batch) <= texts
        assert len(batch) == 1 or sum(j.chars for j in batch) <= BATCH_CHARS


def test_a_session_that_fails_is_put_off_longer_each_time_and_then_left() -> None:
    gaps = Gaps(tries=3, pause_s=5)
    gaps.add("a")
    assert gaps.next(0) == "a"
    assert gaps.failed("a", 0)
    assert (gaps.next(4.9), gaps.due()) == (None, 5)
    assert gaps.next(5) == "a"
    assert gaps.failed("a", 5)
    assert (gaps.next(24.9), gaps.next(25)) == (None, "a")
    assert not gaps.failed("a", 25)
    assert (gaps.next(10**6), gaps.due()) == (None, None)


def test_a_session_that_was_read_starts_anew() -> None:
    gaps = Gaps(tries=2, pause_s=5)
    gaps.add("a")
    gaps.failed("a", 0)
    assert gaps.next(5) == "a"
    gaps.done("a")
    gaps.add("a")
    assert gaps.failed("a", 6)


def test_who_waits_comes_first() -> None:
    gaps = Gaps(tries=2, pause_s=5)
    for name in ("a", "b", "c"):
        gaps.add(name)
    gaps.add("c", first=True)
    assert gaps.next(0) == "c"
    gaps.done("c")
    assert gaps.next(0) == "a"
    assert "b" in gaps
    assert "c" not in gaps
