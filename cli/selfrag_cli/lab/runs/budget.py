"""The budget of a run: each question gets a limit before it is asked, so that all together stay within the sum."""

from dataclasses import dataclass

# What may cost so many times the usual is begun, so that the limit cuts nothing short.
MARGIN = 10
# After so many failures in a row a run gives up.
MOST_IN_A_ROW = 5
# The most that a policy may allow a question.
_MOST = 100.0


@dataclass
class Budget:
    """Of `most` dollars `spent` are gone; a question that may not cost `least` is not asked.

    A question is held to its limit by the workflow (`policy.max_cost_usd`), which cuts an answer short where the limit
    is near. So `least` should be many times what a question usually costs.
    """

    most: float
    spent: float
    least: float
    _held: float = 0.0

    def hold(self, slots: int, own: float | None) -> float | None:
        """Reserve the limit of the next question, of so many that could begin now; None if no money is left for it.

        `own` is the limit that its policy sets anyhow, None for none.
        """
        free = self.most - self.spent - self._held
        limit = min(_MOST, own or _MOST, max(self.least, free / slots))
        if not 0 < limit <= free:
            return None
        self._held += limit
        return limit

    def settle(self, limit: float, cost: float | None) -> None:
        """Take off what a question with this limit has cost; all of the limit if it is not known."""
        self._held -= limit
        self.spent += limit if cost is None else cost
