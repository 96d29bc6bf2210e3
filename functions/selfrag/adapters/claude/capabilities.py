"""Capabilities of models as their refusals show them, kept for the life of a function."""

from collections.abc import Callable

from selfrag.adapters.claude.profiles import Feature, Profile, profile_of


class Capabilities:
    """The profile of each model, less what it has refused; `on_refusal` is called with each model and feature."""

    def __init__(self, on_refusal: Callable[[str, Feature], None] = lambda model, feature: None) -> None:
        self._known: dict[str, Profile] = {}
        self._on_refusal = on_refusal

    def of(self, model: str) -> Profile:
        """Return the profile by which a model is asked next."""
        return self._known.get(model) or profile_of(model)

    def refused(self, model: str, asked: Profile, message: str) -> bool:
        """Note a refusal of a request of the profile `asked`; returns whether there is another way to ask."""
        feature = asked.refused(message)
        if feature:
            self._note(model, asked, feature)
        return feature is not None

    def not_called(self, model: str, asked: Profile) -> bool:
        """Note that a model did not call the tool it was offered; returns whether there is another way to ask."""
        if asked.way == "offered_tool":
            self._note(model, asked, asked.way)
        return asked.way == "offered_tool"

    def _note(self, model: str, asked: Profile, feature: Feature) -> None:
        # Another request may have found the same meanwhile.
        if self.of(model) == asked:
            self._known[model] = asked.without(feature)
            self._on_refusal(model, feature)
