"""Public ids in addresses, so that `/shoeboxes/new/` is never taken for the id of a shoebox."""

from django.urls import register_converter


class PublicId:
    """A ULID: 26 characters of Crockford base32."""

    regex = "[0-9A-HJKMNP-TV-Z]{26}"

    def to_python(self, value: str) -> str:
        return value

    def to_url(self, value: str) -> str:
        return value


register_converter(PublicId, "shoebox_id")
