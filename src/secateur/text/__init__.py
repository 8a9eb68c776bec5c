"""Texts of results and notes: what their lines tell, shorter and lossless forms of them, and how removed text is named.

Rule: pure functions of a text; the same text gives the same text. Nothing here knows a conversation or decides an edit.
"""
