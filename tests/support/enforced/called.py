"""The calls of a run in the emulator, held against what the page of permissions lists."""

from tests.support.enforced.record import Record
from tests.support.enforced.refusals import Refusal
from tests.support.infra.rules import ROLES, listed_permissions

# Two machines of one definition have the same rights, and one name on the page.
_ON_THE_PAGE = {role: name for name, roles in ROLES.items() for role in roles}


def every_call_is_listed_and_nothing_else_was_refused(record: Record, refused: set[Refusal]) -> str:
    """Returns how many calls were decided, of how many roles."""
    decisions = list(record)
    other = {(each.who, each.action) for each in decisions if not each.allowed} ^ refused
    assert not other, f"refused and not meant to be, or the other way round: {other}"
    page = listed_permissions()
    # What the data access policy grants is no action of a role, and a service that calls in its own name has none.
    of_roles = {
        (each.who.removeprefix("selfrag-"), each.action)
        for each in decisions
        if each.who.startswith("selfrag-") and not each.resource.startswith("index/")
    }
    called = {(_ON_THE_PAGE.get(role, role), action) for role, action in of_roles}
    listed = {(role, action) for role, actions in page.items() for action in actions}
    assert called <= listed, f"not on the page: {called - listed}"
    return (
        f"{len(decisions)} calls decided, {len([each for each in decisions if not each.allowed])} refused as meant; "
        f"{len(called)} of the {len(listed)} pairs of role and action on the page were used, "
        f"by {len({role for role, _ in of_roles})} roles"
    )
