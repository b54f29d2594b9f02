"""Train with Lightning for three epochs, log the AUC with its limits, and print what was logged."""

from __future__ import annotations

import csv
import logging
import sys
import warnings
from pathlib import Path

import torch

logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
warnings.simplefilter("ignore")  # of Lightning, about workers of loaders

import lightning  # noqa: E402
from lightning.pytorch.loggers import CSVLogger  # noqa: E402

from rocbands.torch import RocCounts  # noqa: E402


class Classifier(lightning.LightningModule):
    def __init__(self) -> None:
        super().__init__()
        self.net = torch.nn.Linear(4, 1)
        self.roc = RocCounts()

    def training_step(self, batch: list[torch.Tensor]) -> torch.Tensor:
        x, y = batch
        return torch.nn.functional.binary_cross_entropy_with_logits(self.net(x)[:, 0], y)

    def validation_step(self, batch: list[torch.Tensor]) -> None:
        x, y = batch
        self.roc.update(self.net(x)[:, 0], y)

    def on_validation_epoch_end(self) -> None:
        self.log_dict(self.roc.to_metrics("val/"))
        self.roc.reset()

    def configure_optimizers(self) -> torch.optim.Optimizer:
        return torch.optim.SGD(self.parameters(), lr=0.1)


def main(folder: str) -> None:
    lightning.seed_everything(1, verbose=False)
    x = torch.randn(600, 4)
    y = (x.sum(1) + torch.randn(600) > 0).float()
    data = torch.utils.data.TensorDataset(x, y)
    train, val = (
        torch.utils.data.DataLoader(torch.utils.data.Subset(data, range(*ends)), batch_size=64)
        for ends in ((0, 400), (400, 600))
    )
    logger = CSVLogger(folder)
    trainer = lightning.Trainer(
        max_epochs=3,
        accelerator="cpu",
        logger=logger,
        enable_progress_bar=False,
        enable_model_summary=False,
        enable_checkpointing=False,
        log_every_n_steps=1,
    )
    trainer.fit(Classifier(), train, val)
    with Path(logger.log_dir, "metrics.csv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if row["val/auc"]:
                print(row["val/auc_low"], row["val/auc"], row["val/auc_high"])


if __name__ == "__main__":
    main(sys.argv[1])
