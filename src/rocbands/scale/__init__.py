"""Work on engines that people already run."""
