"""Values that are written as TOML can be read back."""

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sojourn._rooms._base import toml

scalars = st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False) | st.text()
keys = st.text(max_size=12)
values = st.recursive(scalars, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(keys, inner, max_size=4))


@given(st.dictionaries(keys, values, max_size=6))
def test_every_document_reads_back(content):
    assert tomllib.loads(toml.document(content)) == content


def test_tables_come_after_plain_values():
    text = toml.document({"dumbbell": {"rate": "10Mbit"}, "duration": "1s", "flow": [{"count": 2}, {"count": 3}]})

    assert text == 'duration = "1s"\n\n[dumbbell]\nrate = "10Mbit"\n\n[[flow]]\ncount = 2\n\n[[flow]]\ncount = 3\n'


def test_what_toml_has_no_form_for_is_refused():
    with pytest.raises(TypeError, match="NoneType"):
        toml.inline(None)
