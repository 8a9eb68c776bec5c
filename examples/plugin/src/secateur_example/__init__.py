"""One plugin of each kind. `pyproject.toml` registers them; `tidy.toml` beside this file is the preset."""
