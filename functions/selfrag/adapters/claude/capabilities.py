"""Model capabilities learned from replies, kept for the life of a function."""

from collections.abc import Callable

from selfrag.adapters.claude.profiles import Feature, Profile, profile_of


class Capabilities:
    """Each model's profile, without features that it refused or ignored; `on_refusal` is called with each.

    `first_profile` returns a model's initial profile. `lost` records the features.
    """

    def __init__(
        self,
        on_refusal: Callable[[str, Feature], None] = lambda model, feature: None,
        first_profile: Callable[[str], Profile] = profile_of,
    ) -> None:
        self._profiles: dict[str, Profile] = {}
        self.lost: list[tuple[str, Feature]] = []
        self._on_refusal, self._first_profile = on_refusal, first_profile

    def profile_for(self, model: str) -> Profile:
        """Return a model's next request profile."""
        return self._profiles.get(model) or self._first_profile(model)

    def record_refusal(self, model: str, profile: Profile, message: str) -> Profile | None:
        """Record a refused request; return the next profile, or None."""
        feature = profile.find_refused(message)
        return None if feature is None else self._drop(model, profile, feature, "refuses")

    def record_ignored(self, model: str, profile: Profile) -> Profile | None:
        """Record that a model ignored this profile's way; return the next profile, or None."""
        if len(profile.ways) == 1:
            return None
        return self._drop(model, profile, profile.way, "ignores")

    def _drop(self, model: str, profile: Profile, feature: Feature, deed: str) -> Profile:
        rest = profile.drop(feature)
        # Another request may have found the same meanwhile.
        if self.profile_for(model) == profile:
            self._profiles[model] = rest
            self.lost.append((deed, feature))
            self._on_refusal(model, feature)
        return rest
