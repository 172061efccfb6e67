"""One published number for every registered queue: where it is printed, its setting, and how ours is read.

Where none is at hand, a property that the authors claim, with a bound that is derived in `comment`.
"""

from controllers import CONTROLLERS
from fairness import FAIRNESS
from red_family import RED_FAMILY
from schedulers import CLASSES, FAIR_QUEUES

CASES = (*RED_FAMILY, *CONTROLLERS, *FAIRNESS, *FAIR_QUEUES, *CLASSES)
