# Smooth ROC curves of sim500.csv (model s1) by pROC: Rscript tests/golden/smooth_proc.R
# Writes tests/golden/smooth_proc.csv: method, quantity, fpr, value.
suppressMessages(library(pROC))
rows <- read.csv("tests/golden/sim500.csv")
r <- roc(rows$y, rows$s1, levels = c(0, 1), direction = "<", quiet = TRUE)
at <- c(0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9)
out <- NULL
for (method in c("binormal", "density")) {
  s <- smooth(r, method = method, n = 4096)
  tpr <- coords(s, x = 1 - at, input = "specificity", ret = "sensitivity", transpose = FALSE)
  out <- rbind(out,
    data.frame(method, quantity = "auc", fpr = NA, value = as.numeric(auc(s))),
    data.frame(method, quantity = "tpr", fpr = at, value = tpr$sensitivity))
}
out <- rbind(out,
  data.frame(method = "density", quantity = "bw", fpr = NA, value = bw.nrd0(rows$s1)))
out$value <- sprintf("%.10g", out$value)
write.csv(out, "tests/golden/smooth_proc.csv", row.names = FALSE, quote = FALSE)
cat(R.version.string, "pROC", as.character(packageVersion("pROC")), "\n")
