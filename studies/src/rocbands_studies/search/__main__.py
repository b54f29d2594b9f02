"""Search for populations in which a statement fails: ``python -m rocbands_studies.search``."""

import sys

from rocbands_studies.search.run import main

if __name__ == "__main__":
    main(sys.argv[1:])
