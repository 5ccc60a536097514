from wassdp.accounting import calibrate as calibrate
from wassdp.accounting.accountant import Accountant as Accountant
from wassdp.accounting.accountants.upper.pld import Accountant as PLDAccountant  # noqa: F401
from wassdp.accounting.accountants.upper.rdp import Accountant as RDPAccountant  # noqa: F401
from wassdp.accounting.accountants.upper.zcdp import Accountant as ZCDPAccountant  # noqa: F401
from wassdp.accounting.comparison import Comparison as Comparison
from wassdp.accounting.comparison import compare as compare
from wassdp.accounting.event import Event as Event
from wassdp.accounting.events.composed import Composed as Composed
from wassdp.accounting.events.composed import repeated as repeated
from wassdp.accounting.events.gaussian import Gaussian as Gaussian
from wassdp.accounting.events.gibbs import Gibbs as Gibbs
from wassdp.accounting.events.laplace import Laplace as Laplace
from wassdp.accounting.events.measured_gradients import MeasuredGradients as MeasuredGradients
from wassdp.accounting.events.poisson_sampled import PoissonSampled as PoissonSampled
from wassdp.accounting.events.sampled_without_replacement import SampledWithoutReplacement as SampledWithoutReplacement
from wassdp.accounting.events.sliced_projections import SlicedProjections as SlicedProjections
from wassdp.accounting.events.wasserstein_gradient_step import WassersteinGradientStep as WassersteinGradientStep
from wassdp.accounting.guarantee import Guarantee as Guarantee
from wassdp.distances import directions as directions
from wassdp.distances.max_sliced import max_sliced_wasserstein as max_sliced_wasserstein
from wassdp.distances.one_d import wasserstein as wasserstein
from wassdp.distances.sliced import sliced_wasserstein as sliced_wasserstein
from wassdp.mechanisms.clipped_wasserstein import ClippedWassersteinGradient as ClippedWassersteinGradient
from wassdp.mechanisms.dpsgd import DPSGD as DPSGD
from wassdp.mechanisms.dpswd import DPSWD as DPSWD
from wassdp.mechanisms.merf import MERF as MERF
from wassdp.mechanisms.sliced_quantiles import SlicedQuantiles as SlicedQuantiles
from wassdp.mechanisms.wasserstein_output_gradient import WassersteinOutputGradient as WassersteinOutputGradient
from wassdp.noise import seeded as seeded
from wassdp.version import __version__ as __version__
