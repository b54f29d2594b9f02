# Written by `python -m tools.make_stub` from the table in __init__.py.

from rocbands import auc as auc
from rocbands import bands as bands
from rocbands import comparison as comparison
from rocbands import cost as cost
from rocbands import points as points
from rocbands import rates as rates
from rocbands import study as study
from rocbands._methods import Methods as Methods
from rocbands._methods import methods as methods
from rocbands._version import __version__ as __version__
from rocbands.auc import auc_interval as auc_interval
from rocbands.auc.folds import fold_auc_interval as fold_auc_interval
from rocbands.auc.partial import partial_auc_interval as partial_auc_interval
from rocbands.bands import roc_band as roc_band
from rocbands.comparison import compare as compare
from rocbands.comparison.compare_many import compare_many as compare_many
from rocbands.comparison.compare_tpr import compare_tpr as compare_tpr
from rocbands.comparison.difference_band import difference_band as difference_band
from rocbands.comparison.mcnemar import mcnemar as mcnemar
from rocbands.comparison.result import Comparisons as Comparisons
from rocbands.comparison.result import DifferenceBand as DifferenceBand
from rocbands.comparison.sample_size import SampleSize as SampleSize
from rocbands.comparison.sample_size import sample_size as sample_size
from rocbands.core.band import Band as Band
from rocbands.core.class_sample import ClassSample as ClassSample
from rocbands.core.comparison import Comparison as Comparison
from rocbands.core.data import roc_curve as roc_curve
from rocbands.core.interval import FoldInterval as FoldInterval
from rocbands.core.interval import Interval as Interval
from rocbands.core.roc import RocCurve as RocCurve
from rocbands.core.sample import Sample as Sample
from rocbands.core.table import Table as Table
from rocbands.cost import cost_difference as cost_difference
from rocbands.cost import cost_interval as cost_interval
from rocbands.cost.conditions import operating_condition as operating_condition
from rocbands.cost.envelope import cost_curve as cost_curve
from rocbands.cost.result import CostCurve as CostCurve
from rocbands.cost.result import CostDifference as CostDifference
from rocbands.cost.result import CostIntervals as CostIntervals
from rocbands.cost.thresholds import CostThresholds as CostThresholds
from rocbands.cost.thresholds import cost_thresholds as cost_thresholds
from rocbands.decision.net_benefit import NetBenefit as NetBenefit
from rocbands.decision.net_benefit import NetBenefitDifference as NetBenefitDifference
from rocbands.decision.net_benefit import net_benefit as net_benefit
from rocbands.decision.net_benefit import net_benefit_difference as net_benefit_difference
from rocbands.design.survival import CensoringWeights as CensoringWeights
from rocbands.design.survival import ipcw as ipcw
from rocbands.errors import InputError as InputError
from rocbands.errors import ResultError as ResultError
from rocbands.errors import RocBandsError as RocBandsError
from rocbands.errors import RocBandsWarning as RocBandsWarning
from rocbands.io.estimators import fold_numbers as fold_numbers
from rocbands.io.files import load_example as load_example
from rocbands.multiclass import roc_bands as roc_bands
from rocbands.multiclass.result import RocBands as RocBands
from rocbands.plot.display import PrecisionRecallBandDisplay as PrecisionRecallBandDisplay
from rocbands.plot.display import RocBandDisplay as RocBandDisplay
from rocbands.plot.multiclass_display import RocBandsDisplay as RocBandsDisplay
from rocbands.points import operating_points as operating_points
from rocbands.points.result import OperatingPoints as OperatingPoints
from rocbands.precision.average_precision import (
    average_precision_difference as average_precision_difference,
)
from rocbands.precision.average_precision import (
    average_precision_interval as average_precision_interval,
)
from rocbands.rates import rate_bounds as rate_bounds
from rocbands.rates.difference import rate_difference as rate_difference
from rocbands.rates.result import RateBounds as RateBounds
from rocbands.rates.result import RateDifference as RateDifference
from rocbands.reporting.report import Report as Report
from rocbands.reporting.report import report as report
from rocbands.scale.counting import count_scores as count_scores
from rocbands.scale.counts import ScoreCounts as ScoreCounts
from rocbands.subgroup import subgroups as subgroups
from rocbands.subgroup.result import Subgroups as Subgroups
from rocbands.views.bands import pr_band as pr_band
from rocbands.views.view import View as View

__all__: list[str]
