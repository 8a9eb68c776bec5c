"""What holds for every test: laws are judged by what they find, never by how fast the machine is."""

from hypothesis import settings

settings.register_profile("secateur", deadline=None)
settings.load_profile("secateur")
