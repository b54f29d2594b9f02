"""Whatever the user gets wrong: exit code 2, one line that helps, and nothing written."""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import Result

import rocbands

Run = Callable[..., Result]

# The command line, and what the one line must say.
MISTAKES: dict[str, str] = {
    "cite wilsno": "must be a question .* or the name of a method; got 'wilsno'",
    "summary": "Give a file of scores .* neither was given",
    "summary good.csv --metric aucc": "--metric must name metrics; got 'aucc'. Did you mean 'auc'",
    "summary good.csv --metric tpr@fpr=90": "--metric must name rates between 0 and 1; got 'tpr@fpr=90'. For 90% write 90%",
    "summary good.csv --prevalence 2": "--prevalence must be a number strictly between 0 and 1; got 2",
    "report": "Give a file of scores .* neither was given",
    "report good.csv -o nowhere/report.html": "A report must go to a folder that exists",
    "report good.csv -o report.pdf": "A report's file name must end in .html or .htm; got 'report.pdf'",
    "report good.csv --folds nothing": "good.csv has no column 'nothing'",
    "report good.csv --future 0,3": "must be",
    "report good.csv --level 2": "--level must lie strictly between 0 and 1",
    "app --host 0.0.0.0": "--host opens the app to other computers, so it needs --token; there is none",
    "app --host 0.0.0.0 --token secret": "--token must have at least 16 characters",
    "app --file nothing.csv": "The file must exist; there is no 'nothing.csv'",
    "app --port many": "--port must be a whole number of at least 0; got 'many'",
    "ap": r"Give a file of scores \(- for stdin\) or --example; neither was given. See 'rocbands ap --help'",
    "ap good.csv --prevalence 2": "--prevalence must be a number strictly between 0 and 1; got 2",
    "auc": r"Give a file of scores \(- for stdin\) or --example; neither was given. See 'rocbands auc --help'",
    "auc good.csv --example": "or --example; both were given",
    "auc good.csv text.csv": r"unexpected extra argument \(text.csv\). See 'rocbands auc --help'",
    "auc god.csv": "there is no 'god.csv'. Did you mean 'good.csv'",
    "auc nowhere/scores.csv": "there is no 'nowhere/scores.csv'. Check the path",
    "auc folder": "'folder' is a folder. Name one of the files",
    "auc good.csv/x": "good.csv/x must be readable; found: Not a directory. Check",
    "auc -": "stdin must contain column names and rows; it is empty",
    "auc bad.csv": "bad.csv, line 3: column 'score' must be a number; found 'n/a'. In all, 1 of 2 rows .* or pass --drop-missing",
    "auc one.csv": "column 'label' must contain both classes; every one of its 2 labels is 1",
    "auc three.csv": "column 'label' must contain two labels; it has 3: .* for example by --positive c and --rest; or all classes by 'rocbands classes'",
    "auc header.csv": "header.csv must contain rows below the column names",
    "auc empty.csv": "empty.csv must contain column names and rows; it is empty. Check",
    "auc numbers.csv": "first line must name the columns; .* Put a line",
    "auc ragged.csv": "ragged.csv, line 2: every row must have 2 cells",
    "auc latin.csv": "latin.csv, line 2: .* Save it again as UTF-8, or pass --encoding cp1252 or the like",
    "auc many.csv": "Pass --score NAME; those with numbers are",
    "auc nameless.csv": "Pass --label NAME; the columns are",
    "auc semicolons.csv": "must contain both classes",
    "auc cut.parquet": "must be a whole Parquet file",
    "auc cut.csv.gz": "must be a whole gzip file",
    "auc array.json": "Write it as JSON lines",
    "auc mixed.jsonl": "mixed.jsonl, line 2: .* Write all labels alike",
    "auc good.csv --score scroe": "no column 'scroe'. Did you mean 'score'",
    "auc good.csv --label lable": "no column 'lable'. Did you mean 'label'",
    "auc good.csv --label score --score score": "'score' was named for both",
    "auc good.csv --positive yes": "--positive must be one of the labels in column 'label'; 'yes' is not one of 0, 1",
    "auc text.csv --label who": "Which label of column 'who' is positive .* Pass --positive ill or --positive well",
    "auc text.csv --label who --positive il": "--positive must be one of the labels in column 'who'",
    "auc --example --positive m": "'m' is not one of 'benign', 'malignant'",
    "auc --example --score logistics": "Did you mean 'logistic'",
    "auc --example --label y": "The example has no column 'y'. Its columns are 'diagnosis'",
    "auc good.csv --lable label": "No such option '--lable'.*'--label'.* See 'rocbands auc --help'",
    "auc good.csv --score": r"'--score' requires an argument. Write --score NAME \(column of scores\). See",
    "auc y_true.csv --score level": "y_true.csv, line 3: column 'level' must be a number; found 'x'",
    "auc y_tru.csv": "there is no 'y_tru.csv'. Did you mean 'y_true.csv'",
    "compare --example --level 95": "--level must lie strictly between 0 and 1",
    "compare --example --method deling": "--method must be one of score-delong, delong, bootstrap",
    "compare --example --margin 7": "--margin must be a number strictly between 0 and 1; got 7.0. .* --margin 0.07",
    "compare --example --alternative more": "--alternative must be one of two-sided, less, greater",
    "compare --example --method venkatraman --margin 0.1": "has no direction",
    "compare good.csv": "A comparison on the same rows needs two models; the sample has 1. Name them by --score A --score B",
    "compare nowhere.csv": "there is no 'nowhere.csv'",
    "compare three_models.csv --margin 0.1": "--margin is not for 3 models. Leave it out, or choose two by --score A --score B",
    "band --example --level 95": "--level must lie strictly between 0 and 1; got 95. For 95% pass --level 0.95",
    "band --example --level 0": "--level must lie strictly .* Try --level 0.95",
    "band --example --level nan": "--level must be a number; got 'nan'",
    "band --example --level high": "--level must be a number; got 'high'. Write, for example, --level 0.95",
    "band --example --method joint-regions": "--method must be one of likelihood, .*; got 'joint-regions'. Did you mean 'joint-region'",
    "band --example --future 50": "--future must be two whole numbers .* got '50'. .* --future 50,200",
    "band --example --future a,b": "--future must be two whole numbers .* got 'a,b'",
    "band --example --future 50,0": "--future must be two whole numbers .* at least 1",
    "band --example --method vertical --future 5,9": "Leave --future out, or use --method likelihood or --method fixed-width",
    "band --example --seed -1": "--seed must be a whole number of at least 0; got '-1'",
    "band --example --plot roc.docx": "must end in .png, .pdf, .svg; got 'roc.docx'",
    "band --example --plot nowhere/roc.png": "a folder that exists; 'nowhere' does not. Make the folder first",
    "band bad.csv --plot roc.png --json": "bad.csv, line 3",
    "points --example": "Exactly one of --fpr, --specificity, --tpr, --sensitivity, --threshold, --rate, --precision and --best must be given; none was",
    "points --example --fpr 0.1 --best youden": "--fpr and --best were. Pass, for example, --fpr 0.05",
    "points --example --fpr 5": "--fpr must lie between 0 and 1; got 5",
    "points --example --best yuden": "--best must be one of youden, corner, cost, eer; got 'yuden'",
    "points --example --best cost --c-fn 0": "--c-fn needs --c-fp",
    "points --example --fpr 0.1 --joint": "--joint is for both rates",
    "points good.csv --threshold 0.5 --test good.csv": "--test evaluates thresholds",
    "points --example --fpr 0.1 --test good.csv --positive malignant": "good.csv has no column 'logistic'",
    "points text.csv --label who --positive ill --fpr 0.1 --test nowhere.csv": "there is no 'nowhere.csv'",
    "points --example --fpr 0.1 --plot points.docx": "must end in .png",
    "cost": "Give a file of scores",
    "cost --example --w 2": "--w must lie between 0 and 1; got 2. It is the weight of missed positives; 'rocbands cost --condition' makes it from costs",
    "cost --example --w nan": "--w must be a number; got 'nan'",
    "cost --example --threshold 1 --threshold 2": "--threshold must have one value for each operating condition; there are 2 for 99",
    "cost --example --c-fn 3": "--c-fn needs --c-fp",
    "cost --example --c-fp 3": "--c-fp needs --c-fn",
    "cost --example --c-fn 3 --c-fp -1": "--c-fp must be a finite cost, 0 or larger; got -1",
    "cost --example --c-fn 0 --c-fp 0": "--c-fn and --c-fp must not both be 0",
    "cost --example --c-fn 3 --c-fp 1 --w 0.2": "Exactly one of --w and --costs must be given; both were. Pass --w, or --costs",
    "cost --example --prevalence 0.2": "--prevalence goes with --costs",
    "cost --example --split --c-fn 2 --c-fp 1 --prevalence 10": "For 10% pass --prevalence 0.1",
    "cost --example --split --c-fn 2 --c-fp 1 --prevalence 0.1 --sampling full": "With --sampling full the share",
    "cost --example --split --calibrated 0.3": "Thresholds must come from one option; --calibrated and --split were given",
    "cost --example --calibrated 37": "For 37% pass --calibrated 0.37",
    "cost text.csv --label who --positive ill --calibrated 0.5": "--calibrated is for probabilities, from 0 to 1; 'score_b' goes from 1 to 4",
    "cost --example --split --method wald": "--method must be one of mover, gaussian",
    "cost --example --split --method score": "--method must be one of mover, gaussian, exact; got 'score'",
    "cost --example --split --method exact --simultaneous": "--simultaneous was given. Leave --simultaneous out",
    "cost --example --split --level 95": "pass --level 0.95",
    "cost --example --level 0.9": "--level is not for cost curves, .* or pass --validation FILE",
    "cost --example --simultaneous": "--simultaneous is not for cost curves",
    "cost --example --split --sampling half": "--sampling must be one of stratified, full; got 'half'",
    "cost --example --split --score logistic --simultaneous": "difference of two models on the same rows; there are 1. Name them",
    "cost --example --validation nowhere.csv": "there is no 'nowhere.csv'",
    "cost --example --validation good.csv": "no column 'logistic'",
    "cost good.csv --validation good.csv": "--validation must contain different rows from SCORES; both are 'good.csv'",
    "cost good.csv --validation folder/../good.csv": "--validation must contain different rows from SCORES",
    "cost good.csv --validation one.csv": "one.csv: column 'label' must contain both classes",
    "cost good.csv --validation three.csv": "three.csv: column 'label' must contain two labels",
    "cost text.csv --label who --positive ill --validation three_models.csv": "no column 'who'",
    "cost good.csv --positive 1 --validation text.csv --label who": "no column 'who'",
    "cost signs.csv --split": "--split needs two rows of either class",
    "cost --example --plot cost.docx": "must end in .png",
    "readers": r"Give a file of readings \(- for stdin\) or --example; neither was given. See 'rocbands readers --help'",
    "readers readings.csv --example": "or --example; both were given",
    "readers --example --reader who": "--reader is not for --example. Leave it out",
    "readers readings.csv --modality x": "No such option '--modality'. .*--test",
    "readers redings.csv": "there is no 'redings.csv'. Did you mean 'readings.csv'",
    "readers readings.csv": "it must be clear which column contains the readers; none is called reader, rater or observer. Pass --reader NAME; the columns are 'who'",
    "readers readings.csv --reader woh": "no column 'woh'. Did you mean 'who'",
    "readers good.csv": "it must be clear which column contains the readers",
    "readers again.csv --reader who": "Each reader must read each case once under each test; reader 'A' has 2 readings of case 3 under 'old'.* name lesions in --case and patients in --clusters",
    "readers unsure.csv --reader who": "A case must have one label; case 3 is",
    "readers unread.csv --reader who --score rating": "column 'rating' must not contain missing values; 1 of 33 readings have none: reader 'A' lacks 1 of 9 under 'old' .* by --drop-missing",
    "readers alone.csv --reader who": "Readers can stand for others only if there are two or more; one was found. Pass --random cases",
    "readers sick.csv --reader who": "Each reader needs cases of both classes under each test; reader 'C' read no negative case under 'old'",
    "readers readings.csv --reader who --positive 2": "--positive must be one of the labels",
    "readers readings.csv --reader who --algorithm C": "--algorithm must be one of the readers, 'A', 'B'; got 'C'",
    "readers --example --random reader": "--random must be one of both, cases, readers; got 'reader'. Did you mean 'readers'",
    "readers --example --metric auk": "--metric must be one of auc, partial_auc, sensitivity, specificity; got 'auk'. Did you mean 'auc'",
    "readers --example --metric sensitivity": "Sensitivity and specificity need a threshold.* Pass, for example, --threshold 3; .* --threshold 1",
    "readers --example --threshold 50": "--threshold is for sensitivity and specificity; got --metric auc. Leave it out, or pass --metric sensitivity",
    "readers --example --metric specificity --threshold 1 --threshold 2 --threshold 3": "--threshold must be one number, or one for each of the 2 tests; got 3",
    "readers --example --metric auc --fpr-range 0,0.2": "--fpr-range and --tpr-range are ranges of a partial area; got --metric auc",
    "readers --example --metric partial_auc": "A partial area needs one range: --fpr-range or --tpr-range; none was given. Pass, for example, --fpr-range 0,0.2",
    "readers --example --fpr-range 0.5,0.2": "--fpr-range must be two rates, the smaller first",
    "readers --example --fpr-range 0,0.2 --null 0.5": "--null must be from 0 to 0.2; got 0.5",
    "readers --example --null 2": "--null must be from 0 to 1; got 2",
    "readers --example --margin -0.1": "--margin must be a number strictly between 0 and 1; got -0.1. .* --margin 0.1",
    "readers --example --method boundd": "--method must be one of bounded, obuchowski-rockette, one-shot; got 'boundd'. Did you mean 'bounded'",
    "readers --example --set interval=wald": "--set interval must be one of logit, symmetric; got 'wald'",
    "readers --example --table reader": "--table must be one of differences, .*; got 'reader'. Did you mean 'readers'",
    "readers --example --kind curves": "--kind needs --plot",
    "readers --example --plot forest.docx": "must end in .png",
    "readers --example --level 95": "pass --level 0.95",
    "example -o x.csv --readers --later y.csv": "--later is not for readings. Leave it out",
    "plan": "A plan needs --auc, the expected AUC, or --pilot FILE, a reader study",
    "plan --auc 0.8": "Exactly one of --width, --against, --other and --band-width must be given; none was",
    "plan --auc 1.8 --width 0.1": "--auc must be a number strictly between 0 and 1; got 1.8",
    "plan --auc 0.8 --band-width 2": "--band-width must be a number strictly between 0 and 1",
    "plan --auc 0.8 --against 0.9 --alternative greater": "--alternative greater cannot be shown",
    "plan --auc 0.8 --width 0.1 --level 95": "pass --level 0.95",
    "completion": "Missing argument.* Choose from: bash, zsh, fish. See 'rocbands completion --help'",
    "completion tcsh": "SHELL must be one of bash, zsh, fish; got 'tcsh'",
    "methods joint-region": "QUESTION must be one of bands, auc",
    "bands --example": "No such command 'bands'. Did you mean 'band'.*See 'rocbands --help'",
    "good.csv": "No such command 'good.csv'. Commands: app, summary, report",
    "--vers": "No such option '--vers'. Did you mean '--version'",
    "auc nan.csv": "nan.csv, line 3: column 'score' must be a number; found 'nan'. In all, 1 of 2 rows .* or pass --drop-missing",
    "auc utf16.csv": "utf16.csv must be text in utf-16; it is not: .* truncated data",
    "auc twice.csv": "column names must be distinct; 'score' occurs 2 times. Rename",
    "auc endless.csv": "Which label of column 'label' is positive is not clear: it has '0', 'inf'. Pass --positive 0 or --positive inf",
    "auc huge.csv": "is not clear: it has '0', '99999999999999999999999'. Pass --positive 0 or",
    "auc short.csv": "short.csv, line 2: every row must have 2 cells, .* found 1. Correct",
    "auc torn.csv.gz": "must be a whole gzip file; it is damaged or cut off. Download or compress",
    "auc broken.jsonl": "broken.jsonl, line 2: every line must be one whole JSON object",
    "auc folds.csv --folds fold": "Every fold must contain both classes; all 2 rows of fold 1 are positive. Stratify",
    "band folds.csv --folds fold": "Every fold must contain both classes",
    "rate folds.csv --folds fold": "needs a fold with both classes; there is none. Use --scheme counts",
    "auc pairs.csv --score score_a --score score_a": "Each --score must name a different column; 'score_a' was named twice. Leave one out",
    "auc pairs.csv --clusters patint": "no column 'patint'. Did you mean 'patient'",
    "auc pairs.csv --folds fld": "no column 'fld'. Did you mean 'fold'",
    "band pairs.csv --clusters patint": "no column 'patint'. Did you mean 'patient'",
    "compare pairs.csv --clusters patint": "no column 'patint'. Did you mean 'patient'",
    "difference pairs.csv --clusters patint": "no column 'patint'. Did you mean 'patient'",
    "rate pairs.csv --folds fld": "no column 'fld'. Did you mean 'fold'",
    "auc --example --clusters patient": "The example has no column 'patient'. Its columns are",
    "auc good.csv --method newcomb": "--method must be one of score-delong, .*; got 'newcomb'. Did you mean 'newcombe'",
    "auc good.csv --alternative more": "--alternative must be one of two-sided, less, greater; got 'more'. Choose",
    "auc good.csv --null 2": "--null must be a number from 0 to 1; got 2.0. .* --null 0.02",
    "auc good.csv --fpr-range 0.1": "--fpr-range must be two rates .* got '0.1'. Write, for example, --fpr-range 0,0.1",
    "auc good.csv --fpr-range 0.5,0.1": r"--fpr-range must be two rates, the smaller first; got \(0.5, 0.1\). .* --fpr-range 0,0.1",
    "auc good.csv --tpr-range 0,2": "--tpr-range must lie between 0 and 1; got 2",
    "auc good.csv --fpr-range 0,0.1 --tpr-range 0.9,1": "Exactly one of --fpr-range, --specificity-range, .* --fpr-range and --tpr-range were",
    "auc good.csv --corrected": "--corrected is not for the whole area. Leave it out, or pass --fpr-range A,B",
    "auc good.csv --fpr-range 0,0.1 --null 0.5": "--null is not for part of the area. Leave it out",
    "auc good.csv --fpr-range 0,0.1 --folds score": "--folds is not for part of the area. Leave it out",
    "auc good.csv --fpr-range 0,0.1 --method delong": "--method must be one of placement, bootstrap; got 'delong'",
    "auc good.csv --resamples 100": "'score-delong' has no parameter 'n_resamples'. Leave --resamples out, or use one of bootstrap, bca by --method",
    "auc good.csv --method bootstrap --resamples 3": "--resamples must be a whole number of at least 20; got 3. .* --resamples 1000",
    "auc good.csv --repeats 2": "--repeats is not for rows without --folds. Leave it out",
    "auc good.csv --seed 1.5": "--seed must be a whole number of at least 0; got '1.5'. .* --seed 1",
    "auc good.csv --format jsn": "--format must be one of text, markdown, latex, csv, safe-csv, json; got 'jsn'. Did you mean 'json'",
    "auc good.csv --json --format csv": "--json prints JSON, --format csv does not; both were given",
    "band good.csv --set slope=1": "Method 'likelihood' has no parameter 'slope'. Its parameters are calibration, n_resamples",
    "band good.csv --set calibration": "--set must be a parameter and its value; got 'calibration'. Write --set NAME=VALUE",
    "band good.csv --set calibration=atuo": "--set calibration must be one of .*; got 'atuo'. Did you mean 'auto'",
    "band good.csv --set n_resamples=many": "--set n_resamples must be a whole number; got 'many'. Write",
    "band good.csv --method sup-t --set stratified=maybe": "--set stratified must be yes or no; got 'maybe'. Write, for example, stratified=yes",
    "band good.csv --resamples 3": "--resamples must be a whole number of at least 99; got 3. .* --resamples 1000",
    "band pairs.csv --clusters patient --method joint-region": "is for rows that are independent .* Leave --clusters out, or use --method likelihood",
    "band good.csv --plot folder": "must end in .png, .pdf, .svg; got 'folder'",
    "band good.csv --plot /proc/roc.png": "'/proc/roc.png' cannot.* Choose another place",
    "roc nowhere.csv": "there is no 'nowhere.csv'",
    "roc good.csv --plot roc.gif": "must end in .png, .pdf, .svg; got 'roc.gif'",
    "points good.csv --threshold high": "--threshold must be a number; got 'high'. Write, for example, --threshold 0.5",
    "points good.csv --threshold nan": "--threshold must be a number; got 'nan'",
    "points good.csv --fpr 0.1 --method wilsn": "--method must be one of .*; got 'wilsn'. Did you mean 'wilson'",
    "points good.csv --rate 1.5": "--rate must lie between 0 and 1; got 1.5. .* --rate 0.015",
    "average good.csv --view pr": "--folds must say the fold of each row, and an average needs at least 3 folds",
    "smooth good.csv --method kernal": "--method must be one of binormal, .*; got 'kernal'. Did you mean 'kernel'",
    "two-sided good.csv --level 2": "--level must lie strictly between 0 and 1; got 2",
    "rate good.csv --rate 5": "--rate must lie between 0 and 1; got 5. For 5% pass --rate 0.05",
    "rate good.csv --rate x": "--rate must be a number; got 'x'",
    "rate good.csv --method exakt": "--method must be one of score, parametric, .*; got 'exakt'. Did you mean 'exact'",
    "rate good.csv --scheme count": "--scheme must be one of counts, reference; got 'count'. Did you mean 'counts'",
    "rate good.csv --space rok": "--space must be one of recall, roc; got 'rok'. Did you mean 'roc'",
    "rate good.csv --scheme counts --prevalence 0.2": "Use --scheme reference, or leave --prevalence out",
    "cost good.csv --split --method movr": "got 'movr'. Did you mean 'mover'",
    "compare pairs.csv --margin -0.1": "--margin must be a number strictly between 0 and 1; got -0.1. .* --margin 0.1",
    "compare pairs.csv --at-fpr 0": "--at-fpr must be one number strictly between 0 and 1; got 0.0",
    "compare pairs.csv --at-fpr 0.1 --fpr-range 0,0.2": "--at-fpr is not for part of the area. Leave it out",
    "compare pairs.csv --fpr-range 0.5,0.2": "--fpr-range must be two rates, the smaller first",
    "compare pairs.csv --specificity-range 0.5,1.2": "--specificity-range must lie between 0 and 1",
    "compare pairs.csv --tpr-range 0,0.2 --threshold 0.5": "--tpr-range is not for decisions at a --threshold",
    "compare pairs.csv --at-fpr 0.1 --threshold 0.5": "--at-fpr is not for decisions at a --threshold. Leave it out",
    "compare pairs.csv --at-fpr 0.1 --method delong": "--method is not for rates at one point. Leave it out",
    "compare pairs.csv --at-fpr 0.1 --resamples 99": "--resamples is not for rates at one point",
    "compare pairs.csv --at-fpr 0.1 --set n_resamples=99": "--set is not for rates at one point",
    "compare three_models.csv --resamples 99 --method bootstrap": "--method is not for 3 models",
    "cost --example --resamples 99": "--resamples is not for cost curves",
    "cost --example --split --method gaussian --set slope=1": "Method 'gaussian' has no parameter 'slope'",
    "compare pairs.csv --of sensitivity": "--of is not for comparisons without a --threshold. Leave it out",
    "compare pairs.csv --threshold 0.5 --of sensitivty": "got 'sensitivty'. Did you mean 'sensitivity'",
    "compare pairs.csv --threshold 1 --threshold 2 --threshold 3": "--threshold must be one for both models, or one for each; got 3",
    "compare pairs.csv --threshold 1 --margin 0.1": "--margin is not for decisions at a --threshold. Leave it out",
    "compare pairs.csv --threshold 1 --method delong": "--method must be one of mid-p, exact, score; got 'delong'",
    "compare pairs.csv --unpaired good.csv": "for one model; there are 2: 'score_a', 'score_b'. Name it by --score NAME",
    "compare pairs.csv --score score_a --unpaired nowhere.csv": "there is no 'nowhere.csv'",
    "compare pairs.csv --score score_a --unpaired good.csv": "good.csv has no column 'score_a'. Did you mean 'score'",
    "compare pairs.csv --score score_a --unpaired good.csv --method venkatraman": "does not compare on different rows",
    "difference pairs.csv --score score_a --unpaired good.csv --folds fold": "--folds is not for models that scored different rows",
    "difference pairs.csv --unpaired good.csv": "for one model; there are 2",
    "compare pairs.csv --score score_a --unpaired good.csv --clusters patient": "good.csv has no column 'patient'",
    "compare pairs.csv --method likelihood": "does not compare on the same rows. Compare on different rows, or use --method",
    "compare pairs.csv --resamples 100": "'score-delong' has no parameter 'n_resamples'. Leave --resamples out",
    "compare three_models.csv --at-fpr 0.1": "--at-fpr is not for 3 models. Leave it out, or choose two",
    "difference good.csv": "needs two models; the sample has 1. Name them by --score A --score B",
    "difference three_models.csv": "needs two models; the sample has 3. Name them",
    "difference pairs.csv --fpr-range 0,1": "--fpr-range must be two ends with 0 < low < high < 1; .* --fpr-range 0.05,0.95",
    "difference pairs.csv --fpr-range a,b": "--fpr-range must be two rates with a comma between",
    "difference pairs.csv --resamples 5": "--resamples must be a whole number of at least 20; got 5",
    "cost --condition --prevalence 0.1": "--condition takes --costs A B or one --w W, and --prevalence P",
    "cost --condition --w 0.5": "--condition takes --costs A B or one --w W, and --prevalence P",
    "cost --condition --w 5 --prevalence 0.1": "--w must lie between 0 and 1; got 5",
    "cost --condition --w 0.5 --c-fn 1 --prevalence 0.1": "--c-fn needs --c-fp",
    "cost --condition --w 0.5 --costs 1 2 --prevalence 0.1": "--condition takes --costs A B or one --w",
    "cost good.csv --condition --w 0.5 --prevalence 0.1": "SCORES is not for --condition. Leave it out",
    "cost --condition --w 0.5 --prevalence 0.1 --split": "--split is not for --condition. Leave it out",
    "net-benefit": "Give a file of scores",
    "net-benefit three_models.csv": "column 'score_a' must lie between 0 and 1; got 9. Pass probabilities",
    "net-benefit good.csv --threshold 1": "--threshold must lie below 1; got 1",
    "net-benefit pairs.csv --clusters patient": "column 'score_a' must lie between 0 and 1; got 9. Pass probabilities",
    "net-benefit counted.csv": "'rocbands net-benefit' needs rows, one for each case; counted.csv contains counts",
    "subgroups good.csv": "--by must say which group each row is in; it was not given. Pass --by NAME",
    "subgroups three_models.csv --by label": "'label' was named for two of them",
    "classes good.csv --example": "--example is not for several classes. Leave it out",
    "classes three_models.csv": "one column of scores for each class, named after it",
    "auc good.csv --sheet one": "--sheet is for Excel workbooks .* good.csv is not one. Leave --sheet out",
    "cost --example --costs 5 1 --c-fn 2": "--c-fn needs --c-fp",
    "cost --example --costs 5 1 --c-fn 2 --c-fp 1": "--costs and --c-fn, --c-fp mean the same",
    "points --example --best cost --costs 0 1": "--costs must be .* both above 0; got .* --costs 10 1",
    "points --example --specificity 0.9 --sensitivity 0.8": "Exactly one of --fpr, --specificity, .* --specificity and --sensitivity were. Pass, for example, --fpr 0.05",
    "compare pairs.csv --at-specificity 9": "--at-specificity must lie between 0 and 1; got 9. For 9% pass --at-specificity 0.09",
    "band --example --log": "--log and --linear need --plot",
    "band --example --view pr --log --plot x.png": "--log is not for --view, only for ROC curves",
    "cost --condition --c-fn -1 --c-fp 1 --prevalence 0.1": "--c-fn must be a finite cost, 0 or larger; got -1",
    "plan --auc 0.8 --width 0.1 --variance obuchowsky": "got 'obuchowsky'. Did you mean 'obuchowski'",
    "plan --auc high --width 0.1": "--auc must be a number; got 'high'",
    "plan --auc 0.8 --against 0.7 --power 80": "--power must be a number strictly between 0 and 1; got 80.0. For 80% pass --power 0.8",
    "study rn": "No such command 'rn'. Did you mean 'run'",
    "study run": "Missing argument 'NAME'",
    "study own": "Give a file of scores",
    "study own good.csv --method joint-regoin": "--method must be one of .*; got 'joint-regoin'. Did you mean 'joint-region'",
    "study own good.csv --replicates 3": "--replicates must be a whole number of at least 20; got '3'",
    "study own good.csv --workers 0": "--workers must be a whole number of at least 1; got '0'",
    "study own good.csv --store not.store --method joint-region --workers 1": "not.store is not a store of a study. Choose another file",
    "study own good.csv --store folder": "File 'folder' is a directory",
    "study own good.csv --scores good.csv": "Give the file of scores once",
    "schema rocbands.bnad": "There is no schema 'rocbands.bnad'. Did you mean 'rocbands.band/\\d'",
    "count": "Missing option '-o'",
    "count -o x": "Give files of scores .* or --example; neither was given",
    "example": "Missing option '-o'",
    "example -o nowhere/x.csv": "A file must go to a folder that exists; 'nowhere' does not. Make",
    "example -o x.csv --later x.csv": "both are called 'x.csv'. Choose another name",
    "band --example --folds diagnosis": "The example: labels, scores, .* 'diagnosis' was named for two of them",
    "auc --example --caption x": "--caption needs --format latex",
    "count good.csv": "Missing option '-o'",
    "count good.csv -o nowhere/x": "A file must go to a folder that exists; 'nowhere' does not. Make",
    "count god.csv -o x": "there is no 'god.csv'. Did you mean 'good.csv'",
    "count good.csv -o x --format tex": "--format must be one of text, markdown, latex, csv, safe-csv, json; got 'tex'",
    "count bad.csv -o x": "bad.csv, line 3: column 'score' must be a number",
    "merge -o x": "Missing argument 'COUNTS...'",
    "merge good.csv ./good.csv -o x": "named once; './good.csv' and 'good.csv' are one file",
    "merge good.csv -o x": "good.csv must contain counts",
    "merge lost.csv -o x": "lost.csv",
    "merge counted.csv clustered.csv -o x": "must",
    "auc lost.csv": "lost.csv",
    "auc sided.csv": "sided.csv must contain both classes; it counts no negatives. Merge",
    "auc counted.csv --score newer": "There must be a model named 'newer'; there are 'new', 'old'. Did you mean 'new'",
    "auc counted.csv --score old --score old": "'old' was named twice",
    "auc counted.csv --label y": "--label is for rows; counted.csv contains counts, .* Leave --label out",
    "auc counted.csv --clusters patient": "--clusters needs rows; counted.csv contains counts, which do not say which rows are of one cluster.* name the file that was counted",
    "auc counted.csv --folds fold": "--folds needs rows; counted.csv contains counts",
    "band counted.csv --folds fold": "--folds needs rows; counted.csv contains counts",
    "rate counted.csv --folds fold": "--folds needs rows; counted.csv contains counts",
    "auc counted.csv --only north": "counted.csv was not counted by a column; --only north was given. Leave",
    "auc clustered.csv --only nort": "clustered.csv has no part 'nort'. Did you mean 'north'. Its parts are 'north', 'south'",
    "auc clustered.csv --only south": "part 'south', must contain both classes; it counts no positives",
    "auc good.csv --only north": "--only is for counts by a column; good.csv contains rows. Leave --only out, or count",
    "auc --example --only north": "--only is for counts by a column; the example contains rows",
    "auc clustered.csv --method bca": "is for counts of single scores; the curve has bins. Count every score",
    "compare counted.csv": "'rocbands compare' needs rows, .* counted.csv contains counts, .* Name the file that was counted",
    "compare good.csv --unpaired counted.csv": "'rocbands compare' needs rows, .* counted.csv contains counts",
    "difference counted.csv": "'rocbands difference' needs rows, one for each case; counted.csv contains counts",
    "cost counted.csv --split": "'rocbands cost' needs rows, one for each case; counted.csv contains counts",
    "cost counted.csv --threshold 2 --simultaneous": "--simultaneous is for the difference of two models on the same rows; SCORES contains counts",
    "cost counted.csv --calibrated 0.5": "--calibrated is for probabilities, from 0 to 1; 'new' goes from 1 to 3",
    "report counted.csv --clusters patient": "--clusters needs rows; counted.csv contains counts",
    "report counted.csv --folds fold": "--folds needs rows; counted.csv contains counts",
    "study own clustered.csv": "needs each of them; clustered.csv contains counts in bins. Count with --exact",
    "diference --example": "No such command 'diference'. Did you mean 'difference'",
}  # fmt: skip


PYTHON = re.compile(r"\brb\.|\bsample[\[.]\w|\bSample\b")  # what no command line has


def find_texts(node: ast.AST) -> Iterator[ast.Constant]:
    """Yield the texts of an expression but for those that in_python() marks."""
    if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "in_python":
        return
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node
    for child in ast.iter_child_nodes(node):
        yield from find_texts(child)


def test_what_only_python_has_is_marked_in_messages() -> None:
    source = Path(rocbands.__file__).parent
    wrong = [
        f"{path.relative_to(source)}, line {text.lineno}: {text.value}"
        for path in sorted(source.rglob("*.py"))
        if PYTHON.search(module := path.read_text(encoding="utf-8"))
        for node in ast.walk(ast.parse(module))
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("InputError", "warn")
        for text in find_texts(node)
        if PYTHON.search(str(text.value))
    ]
    assert wrong == []


@pytest.mark.parametrize("line", MISTAKES)
def test_mistakes_cost_one_line(run: Run, line: str) -> None:
    run()  # lays out the files
    before = sorted(Path().rglob("*"))
    result = run(*line.split())
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.count("\n") == 1
    assert re.match(f"rocbands: .*{MISTAKES[line]}", result.stderr), result.stderr
    assert re.search(r"[.?]\n$", result.stderr)
    assert "`" not in result.stderr
    assert not PYTHON.search(result.stderr)
    assert sorted(Path().rglob("*")) == before


def test_mistakes_are_many_and_in_every_command(run: Run) -> None:
    import click

    from rocbands.cli import main

    commands = main.list_commands(click.Context(main))
    assert len(MISTAKES) >= 30
    assert {line.split()[0] for line in MISTAKES} >= set(commands)


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="nothing is read-only for root")
def test_a_folder_that_is_read_only(run: Run) -> None:
    Path("folder").chmod(0o555)
    result = run("band", "good.csv", "--plot", "folder/roc.png")
    Path("folder").chmod(0o755)
    assert result.exit_code == 2
    assert "a place that can be written to; 'folder/roc.png' cannot be written" in result.stderr


def test_slips_in_options_are_found_before_the_file_is_read(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    from rocbands.io import files

    monkeypatch.setattr(files, "read_scores", lambda *_, **__: pytest.fail("it was read"))
    for slip in ("--level 2", "--method x", "--future 1", "--plot nowhere/x.png", "--seed x"):
        assert run("band", "good.csv", *slip.split()).exit_code == 2


def test_an_interrupt_ends_with_130(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    from rocbands.io import files

    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(files, "read_scores", interrupted)
    result = run("auc", "good.csv")
    assert result.exit_code == 130
    assert result.stderr.strip() == "rocbands: interrupted."


def test_our_own_mistakes_are_not_hidden(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    from rocbands.io import files

    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(files, "read_scores", broken)
    result = run("auc", "good.csv")
    assert result.exit_code == 1
    assert isinstance(result.exception, ZeroDivisionError)
