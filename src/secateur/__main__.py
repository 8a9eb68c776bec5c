"""`python -m secateur`: the same program as the `secateur` command."""

from secateur.cli import main

if __name__ == "__main__":
    main()
