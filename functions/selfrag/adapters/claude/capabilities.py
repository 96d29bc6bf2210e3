"""Capabilities of models as their replies show them, kept for the life of a function."""

from collections.abc import Callable, Iterable

from selfrag.adapters.claude.profiles import Feature, Profile, profile_of


class Capabilities:
    """The profile of each model, less what it refused or ignored; `on_refusal` is called with the model and that.

    `first_profile` returns the one by which a model is asked first.
    """

    def __init__(
        self,
        on_refusal: Callable[[str, Feature], None] = lambda model, feature: None,
        first_profile: Callable[[str], Profile] = profile_of,
    ) -> None:
        self._profiles: dict[str, Profile] = {}
        self._on_refusal, self._first_profile = on_refusal, first_profile

    def of(self, model: str) -> Profile:
        """Return the profile by which a model is asked next."""
        return self._profiles.get(model) or self._first_profile(model)

    def refused(self, model: str, profile: Profile, message: str) -> Profile | None:
        """Note a refusal of a request of this profile; returns the profile to ask by next, None without one."""
        feature = profile.refused(message)
        if feature is None:
            return None
        self._note(model, profile, feature)
        return profile.without(feature)

    def ignored(self, model: str, profiles: Iterable[Profile]) -> None:
        """Note that a model ignored the ways of these profiles, and gave a verdict in a later way."""
        for profile in profiles:
            self._note(model, profile, profile.way)

    def _note(self, model: str, profile: Profile, feature: Feature) -> None:
        # Another request may have found the same meanwhile.
        if self.of(model) == profile:
            self._profiles[model] = profile.without(feature)
            self._on_refusal(model, feature)
