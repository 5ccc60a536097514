"""Equal outputs: the same records listed backwards have another gradient, unless the records order themselves."""

import pytest

from wassdp.claims import equal_outputs
from wassdp.claims.moved_gradients import Neighbours


def listed_backwards(n):
    """All outputs 0, half of the Jacobians 1 and half -1, against points on both sides; no record is replaced."""
    half = n // 2
    return equal_outputs.Relisted(
        Neighbours(
            left=((0.0,),) * n,
            other=(0.0,),
            right=((1.0,),) * half + ((-1.0,),) * half,
            slopes=((1.0,),) * half + ((-1.0,),) * half,
            other_slope=(1.0,),
            right_slopes=((0.0,),) * n,
            directions=((1.0,),),
            bound=1.0,
            norms=(1.0, 0.0),
        )
    )


@pytest.mark.parametrize(("n", "times"), [(4, 4 / 3), (100, 100 / 3)])
def test_the_gradient_moves_by_four_however_many_records_there_are(n, times):
    """What docs/theory.md says in section 9: 4/3 and 33 times Theorem 4.1's 4M (3L₁ + L₂)/n."""
    case = listed_backwards(n)
    for found in (equal_outputs.moved(case), equal_outputs.plain_moved(case)):
        assert found == pytest.approx(4)
        assert found / (12 / n) == pytest.approx(times)
    assert equal_outputs.moved_by_records(case) == equal_outputs.plain_moved_by_records(case) == 0
