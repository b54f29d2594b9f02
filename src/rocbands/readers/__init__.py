"""Reader studies: several readers, the same cases, one or several tests."""
