"""Classes whose objects functions make, for type hints and `isinstance`."""

from rocbands._methods import Methods
from rocbands.comparison.result import Comparisons, DifferenceBand
from rocbands.core.band import Band
from rocbands.core.comparison import BetterRange, Comparison
from rocbands.core.interval import FoldInterval, Interval
from rocbands.core.randomness import Simulation
from rocbands.cost.curve import CostCurve
from rocbands.cost.result import CostDifference, CostIntervals
from rocbands.cost.thresholds import CostThresholds
from rocbands.decision.result import NetBenefit, NetBenefitDifference
from rocbands.design.survival import CensoringWeights
from rocbands.multiclass.result import ClassBands
from rocbands.overview.result import Summary
from rocbands.planning.sample_size import SampleSize
from rocbands.points.best_threshold import BestThreshold
from rocbands.points.result import OperatingPoints
from rocbands.rates.metric import RateRange
from rocbands.rates.result import RateBounds, RateDifference
from rocbands.readers.result import ReaderStudy
from rocbands.readers.size import ReaderStudySize
from rocbands.reporting.report import Report
from rocbands.smooth.result import SmoothCurve
from rocbands.subgroup.gaps import GroupGaps
from rocbands.subgroup.result import Subgroups
from rocbands.two_sided.curve import TwoSidedCurve
from rocbands.views.average import AverageCurve
from rocbands.views.decisions import DecisionRange
from rocbands.views.view import View

__all__ = [
    "AverageCurve",
    "Band",
    "BestThreshold",
    "BetterRange",
    "CensoringWeights",
    "ClassBands",
    "Comparison",
    "Comparisons",
    "CostCurve",
    "CostDifference",
    "CostIntervals",
    "CostThresholds",
    "DecisionRange",
    "DifferenceBand",
    "FoldInterval",
    "GroupGaps",
    "Interval",
    "Methods",
    "NetBenefit",
    "NetBenefitDifference",
    "OperatingPoints",
    "RateBounds",
    "RateDifference",
    "RateRange",
    "ReaderStudy",
    "ReaderStudySize",
    "Report",
    "SampleSize",
    "Simulation",
    "SmoothCurve",
    "Subgroups",
    "Summary",
    "TwoSidedCurve",
    "View",
]
