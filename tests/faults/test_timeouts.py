"""Every step without a reply, at its first call or always: it ends, within four calls, with a stated outcome."""

from tests.faults.test_every_fault import MODEL_STEPS, asking, ends_as_stated


def test_no_reply_in_time_ends_in_a_stated_outcome_within_four_calls() -> None:
    with asking("0.5") as asked:
        for step in MODEL_STEPS:
            for always in (True, False):
                ends_as_stated(asked, step, "timeout", always)
