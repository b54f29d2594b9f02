"""Speed, as ratios against something a reader knows, measured in one run."""
