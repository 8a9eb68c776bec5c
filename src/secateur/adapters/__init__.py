"""Adapters: an engine at the place where a framework lets one model request be changed, one file a framework.

Rule: the framework's own history and objects stay unchanged; only what the model is sent changes. An object that was
not edited is passed on as the very same object. A failing engine changes nothing. Adapters use public names only, and
each needs its framework's package: `pip install 'secateur[langchain]'`.
"""
