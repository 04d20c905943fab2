"""A small workspace of our own writing, and its story played through the same verbs as a person's data.

Asapan takes pre-orders for one bakery with two tablets. In March the rule was "the later clock wins";
in April it lost two orders and was superseded; in July somebody wants it back. The line that speaks
against it stands in an agent's session log, where nobody looked.
"""
