# SPDX-License-Identifier: GPL-2.0-only
# Copyright (C) 2026 the memscope authors
# What bench_boot prints, computed by R: "NAME DIFFERENCE" a line, greatest absolute difference.
library(boot)

ci <- function(v, type, ...) {
	n <- length(v$jackknife)
	b <- structure(list(t0 = v$t0, t = matrix(v$t), R = length(v$t), data = seq_len(n),
			    statistic = NULL, sim = "ordinary", call = quote(boot()), stype = "i",
			    strata = rep(1, n), weights = rep(1 / n, n)), class = "boot")
	r <- boot.ci(b, conf = v$confidence, type = type, ...)
	(if (type == "perc") r$percent else r$bca)[4:5]
}

compare <- function(name, v) {
	if (name == "others") {
		d <- function(what, a, b) cat(what, format(max(abs(a - b)), digits = 3), "\n")
		d("t.test", v$t_test, t.test(v$x)$conf.int)
		d("spearman", v$spearman, cor(v$x, v$y, method = "spearman"))
		d("cv", v$cv, sd(v$x) / mean(v$x))
		return(invisible())
	}
	n <- length(v$jackknife)
	# Extreme order statistics are warned about; both sides take them.
	perc <- suppressWarnings(ci(v, "perc"))
	bca <- suppressWarnings(ci(v, "bca", L = (n - 1) * (mean(v$jackknife) - v$jackknife)))
	cat(paste0("perc-", name), format(max(abs(v$percentile - perc)), digits = 3), "\n")
	cat(paste0("bca-", name), format(max(abs(v$bca - bca)), digits = 3), "\n")
	if ((length(v$t) + 1) * (1 - v$confidence) / 2 == 250) {
		type6 <- quantile(v$t, c(0.025, 0.975), type = 6, names = FALSE)
		cat(paste0("type6-", name), format(max(abs(v$percentile - type6)), digits = 3), "\n")
	}
}

name <- NULL
v <- list()
for (l in strsplit(readLines(commandArgs(TRUE)[1]), " ")) {
	if (l[1] == "case") {
		if (!is.null(name)) compare(name, v)
		name <- l[2]
		v <- list()
	} else {
		v[[l[1]]] <- as.numeric(l[-1])
	}
}
compare(name, v)
