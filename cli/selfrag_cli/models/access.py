"""Advice for Bedrock's access errors, by their messages."""

_NOT_AUTHORIZED = "is not authorized to perform"
_PAGE = "its page in https://console.aws.amazon.com/bedrock/home#/model-catalog"
# Patterns in the error message; the first match counts.
_HINTS = {
    "use case details": f"Fill in Anthropic's first-use form once, at {_PAGE}, and try again in 15 minutes.",
    "aws-marketplace": "Call it once with credentials that allow aws-marketplace:Subscribe and "
    "aws-marketplace:ViewSubscriptions, and try again in 15 minutes. The functions need neither.",
    _NOT_AUTHORIZED: "Your credentials may not call it, which says nothing of the functions' roles: allow yourself "
    "bedrock:InvokeModel for a moment.",
    "don't have access": f"The first call asks for access: try again in 15 minutes. If it stays so, look at {_PAGE}.",
}


def hint_of(error: Exception) -> str:
    """Return advice for an access error, or ""."""
    # The service's original message, which selfrag's errors omit.
    words = str(error.__cause__ or error.__context__ or "")
    return next((hint for fragment, hint in _HINTS.items() if fragment in words), "")


def is_not_authorized(error: Exception) -> bool:
    """Return whether only these credentials lack a permission, which the functions' roles may have."""
    return hint_of(error) == _HINTS[_NOT_AUTHORIZED]
