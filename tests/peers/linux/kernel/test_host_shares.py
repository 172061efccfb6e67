"""CAKE gives hosts the shares that the kernel's gives them, with flows of TCP that answer it."""

import json

import numpy as np
from host_shares import MEASURED, SETTINGS

SEEDS = 8
# A host with one flow has the widest share: in one run the standard deviation is 0.7 % to 2.3 % of it in the kernel and
# 0.7 % to 2.0 % here, of the difference of the means of four and eight runs about 0.8 %; three of these are allowed for
# a single host. The mean over all hosts of all settings is to be within 1 %.
EACH = 0.025
MEAN = 0.01


def test_hosts_have_the_kernels_shares():
    measured = json.loads(MEASURED.read_text())
    off = {}
    for setting in SETTINGS:
        theirs = np.array(measured[setting.name])
        ours = np.array([setting.ours(seed) for seed in range(1, SEEDS + 1)])
        off[setting.name] = ours.mean(axis=0) / theirs.mean(axis=0) - 1

    distances = np.abs(np.concatenate(list(off.values())))
    assert distances.max() < EACH, off
    assert distances.mean() < MEAN, off
