"""What is drawn much of on a processor, by kernels that Numba compiles: the same numbers and releases, sooner.

Numba takes a second or two to load, and a kernel as long to be made when it is first called.
"""

from wassdp.noise.compiled.normal_numbers import normal as normal
from wassdp.noise.compiled.rounding import rounded as rounded
