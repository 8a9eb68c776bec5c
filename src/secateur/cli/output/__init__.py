"""How a report looks to a person: text on a terminal, tables, figures, progress, and tables in files."""
