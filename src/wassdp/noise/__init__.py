"""What is drawn, and how exactly: random bits, rounded Gaussian noise, samples of records.

Every mechanism draws here. A bound is proved for ideal noise; software draws something else, unless what it draws is
a rounding of the ideal value, from that rounding's own law. So `rounded` returns round(x + σZ) on a stated grid, which
is post-processing of the ideal release, and samples of records have exactly the probabilities that events state.

The law is exact given uniform random bits: `SystemBits` takes them from the operating system (real data),
`CounterBits` from a counter-based generator with 256 bits of key (studies that can be repeated, whose noise anybody
who knows the seed can subtract).
"""

from wassdp.noise.bits import Bits as Bits
from wassdp.noise.bits import CounterBits as CounterBits
from wassdp.noise.bits import SystemBits as SystemBits
from wassdp.noise.bits import seeded as seeded
from wassdp.noise.categorical import categorical as categorical
from wassdp.noise.categorical import categoricals as categoricals
from wassdp.noise.gaussian import grid as grid
from wassdp.noise.gaussian import normal as normal
from wassdp.noise.gaussian import rounded as rounded
from wassdp.noise.gaussian import scaled as scaled
from wassdp.noise.records import permutation as permutation
from wassdp.noise.records import poisson_sample as poisson_sample
from wassdp.noise.records import subset as subset
from wassdp.noise.uniform import integers as integers
from wassdp.noise.uniform import uniform as uniform
