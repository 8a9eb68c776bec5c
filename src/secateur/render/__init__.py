"""Views in the shape of their documents: the edits of a projection carried out on the bytes or objects that came.

Rule: without an edit the request itself is sent. Nothing here decides an edit; a projection is read, never changed.
"""
