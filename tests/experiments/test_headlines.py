"""A kind's headline is a metric that it says it measures: the ledger would show nothing by a name misspelt."""

import pytest

from wassdp.experiments import KINDS


@pytest.mark.parametrize("kind", KINDS.names())
def test_the_headline_is_among_the_metrics_that_the_kind_lists(kind):
    module = KINDS.load(kind)
    headline = module.Parameters.headline
    if headline is not None:
        assert f"``{headline}``" in module.run.__doc__
