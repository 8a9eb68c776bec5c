"""Reports for people: text on a terminal, tables, figures, progress, and tables in files."""
