# Numbers of pROC and ROCR on pROC's data set aSAH: Rscript asah.R writes asah.csv and asah.json.
# docs/coming-from-r.md shows these lines and numbers; tests/house/test_coming_from_r.py compares both.
suppressMessages({library(pROC); library(ROCR)})
data(aSAH)
write.csv(aSAH[, c("outcome", "wfns", "s100b", "ndka")], "asah.csv", row.names = FALSE, quote = FALSE)

curve <- function(x) roc(aSAH$outcome, x, levels = c("Good", "Poor"), direction = "<")
r <- curve(aSAH$s100b)
w <- curve(as.numeric(aSAH$wfns))
n <- curve(aSAH$ndka)

part <- roc(aSAH$outcome, aSAH$s100b, levels = c("Good", "Poor"), direction = "<", partial.auc = c(1, 0.9))
p <- prediction(aSAH$s100b, aSAH$outcome, label.ordering = c("Good", "Poor"))
backwards <- function(x) roc(rev(aSAH$outcome), rev(x), levels = c("Good", "Poor"), direction = "<")

lines <- c(
  'auc(r)',
  'auc(w)',
  'auc(n)',
  'auc(roc(aSAH$outcome, -aSAH$s100b))',
  'var(r)',
  'cov(r, w)',
  'ci.auc(r)',
  'ci.auc(w, conf.level = 0.9)',
  'ci.auc(r, method = "bootstrap")',
  'auc(r, partial.auc = c(1, 0.9))',
  'auc(r, partial.auc = c(1, 0.9), partial.auc.correct = TRUE)',
  'auc(r, partial.auc = c(1, 0.9), partial.auc.focus = "sensitivity")',
  'ci.auc(part)',
  'ci.auc(r, partial.auc = c(1, 0.9))',
  'coords(r, "best", ret = c("fpr", "tpr"))',
  'coords(r, "best", ret = "threshold")',
  'coords(w, "best", best.method = "closest.topleft", ret = c("fpr", "tpr"))',
  'coords(w, "best", best.weights = c(5, 0.2), ret = c("fpr", "tpr"))',
  'coords(w, 4, "threshold", ret = c("fpr", "tpr"))',
  'coords(r, 0.9, "specificity", ret = "tpr")',
  'ci.se(r, specificities = 0.9)',
  'ci.se(r, specificities = 0.99)',
  'ci.sp(r, sensitivities = 0.8)',
  'ci.thresholds(w, thresholds = 3.5)',
  'ci.coords(r, "best", ret = "tpr")',
  'ci.coords(r, "best", ret = "threshold")',
  'roc.test(r, w)',
  'roc.test(r, w, alternative = "less")',
  'roc.test(r, w, paired = FALSE)',
  'roc.test(r, w, method = "bootstrap")',
  'roc.test(r, w, method = "venkatraman")',
  'roc.test(r, n, method = "specificity", specificity = 0.9)',
  'roc.test(r, n, method = "sensitivity", sensitivity = 0.9)',
  'power.roc.test(auc = 0.7, power = 0.9)',
  'power.roc.test(auc = 0.7, power = 0.9, alternative = "one.sided")',
  'power.roc.test(auc = 0.8, power = 0.9, kappa = 4)',
  'power.roc.test(r, w, power = 0.9)',
  'power.roc.test(w, r, power = 0.9)',
  'roc.test(r, w, method = "venkatraman")$statistic',
  'roc.test(backwards(aSAH$s100b), backwards(as.numeric(aSAH$wfns)), method = "venkatraman")$statistic',
  'performance(p, "auc")',
  'performance(p, "auc", fpr.stop = 0.1)',
  'performance(p, "ecost")'
)

# What a user reads off: limits, the test statistic (with its degrees of freedom) and p, cases,
# an area, a cost where x = 0.5.
plain <- function(x) {
  if (isS4(x) && length(x@x.values) > 0) return(approx(x@x.values[[1]], x@y.values[[1]], 0.5)$y)
  if (isS4(x)) return(x@y.values[[1]])
  if (inherits(x, "ci.thresholds")) return(c(1 - x$specificity[c(3, 1)], x$sensitivity[c(1, 3)]))
  if (inherits(x, "ci.coords")) return(unlist(x)[c(1, 3)])
  if (inherits(x, "ci")) return(unclass(x)[c(1, 3)])
  if (inherits(x, "power.htest")) return(x$ncases)
  if (!inherits(x, "htest")) return(unlist(x))
  if (grepl("DeLong", x$method)) return(c(x$statistic, x$parameter, x$p.value))
  x$p.value
}
number <- function(x) sprintf("%.15g", as.numeric(x))
entry <- function(line) {
  set.seed(1)
  value <- plain(suppressMessages(suppressWarnings(eval(parse(text = line)))))
  key <- gsub("\"", "\\\\\"", line)
  sprintf(" \"%s\": [%s]", key, paste(number(value), collapse = ", "))
}
options(pROCProgress = list(name = "none"))
writeLines(c("{", paste(vapply(lines, entry, ""), collapse = ",\n"), "}"), "asah.json")
cat(R.version.string, "pROC", as.character(packageVersion("pROC")), "\n")
