"""Short transfers end when the kernel's end."""

import numpy as np
import short_flows


def test_transfers_alone_end_when_the_kernels_do():
    theirs, ours = short_flows.pair(short_flows.Short(short_flows.ALONE), runs=1)

    # The kernel is asked every 0.1 ms, and reads its clock several times.
    assert np.all(np.abs(ours - theirs) < 0.2), (theirs, ours)
