"""The judge: whether a summary is true by the history that it replaces.

Rule: a summary is read once, into claims (`claims`); the history is read once, into evidence (`evidence`). A rule
compares one claim with the evidence and says what contradicts it; `truth` lists the rules and applies them. Whether a
text is a summary at all is decided in `accept`.
"""
