"""Sources that several methods come from; each method lists its own in `references`."""

WILSON = (
    "Wilson (1927), Probable inference, the law of succession, and statistical inference, "
    "Journal of the American Statistical Association 22, 209-212."
)
CLOPPER_PEARSON = (
    "Clopper and Pearson (1934), The use of confidence or fiducial limits illustrated in the case "
    "of the binomial, Biometrika 26, 404-413."
)
MONTIEL_OLEA = (
    "Montiel Olea and Plagborg-Moller (2019), Simultaneous confidence bands: theory, "
    "implementation, and an application to SVARs, Journal of Applied Econometrics 34, 1-17."
)
DELONG = (
    "DeLong, DeLong and Clarke-Pearson (1988), Comparing the areas under two or more correlated "
    "receiver operating characteristic curves: a nonparametric approach, Biometrics 44, 837-845."
)
OBUCHOWSKI = (
    "Obuchowski (1997), Nonparametric analysis of clustered ROC curve data, Biometrics 53, 567-578."
)
EFRON = "Efron and Tibshirani (1993), An introduction to the bootstrap, Chapman and Hall."
ZOU_DONNER = (
    "Zou and Donner (2008), Construction of confidence limits about effect measures: a general "
    "approach, Statistics in Medicine 27, 1693-1702."
)
MACSKASSY_2004 = (
    "Macskassy and Provost (2004), Confidence bands for ROC curves: methods and an empirical "
    "study, First Workshop on ROC Analysis in AI (ROCAI)."
)
MACSKASSY_2005 = (
    "Macskassy, Provost and Rosset (2005), ROC confidence bands: an empirical evaluation, 22nd "
    "International Conference on Machine Learning (ICML)."
)
NADEAU_BENGIO = (
    "Nadeau and Bengio (2003), Inference for the generalization error, Machine Learning 52, "
    "239-281."
)
BENNETT = (
    "Bennett (2003), Using asymmetric distributions to improve text classifier probability "
    "estimates, 26th International ACM SIGIR Conference, 111-118."
)
_DEVELOPERS = "The rocbands developers (2026)"
SOFTWARE = (
    f"{_DEVELOPERS}, rocbands: confidence bands for ROC curves, with measured coverage, Python "
    "package, version "
)  # completed by the version


def documented(page: str) -> str:
    """Return the source of a method of this package: the page of its documentation."""
    return f"{_DEVELOPERS}, {page}, in the documentation of rocbands."
