// The start of everything.

legends();
startConfusion();
startRoc();
startFocus();
startDifference();
startCost();
startBenefit();
startRates();
startScores();
