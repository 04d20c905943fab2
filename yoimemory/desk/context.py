"""What the frame of every page shows."""

from typing import Any

from django.http import HttpRequest


def frame(request: HttpRequest) -> dict[str, Any]:
    """The context of `base.html`."""
    return {}
