"""A host that secateur can be put into, as a value: what is written there, what may be set, and how it is checked.

Rule: the plan of a host depends on the options alone; nothing is read or written here.
"""

import os
from collections.abc import Callable, Mapping
from pathlib import Path

from msgspec import Struct

from secateur.errors import ConfigError
from secateur.hosts.changes import FileChange


class InstallOptions(Struct, frozen=True, kw_only=True):
    """The facts on which a host's plan depends."""

    home: Path
    environment: Mapping[str, str]
    command: tuple[str, ...]  # how the plugin starts secateur, without a subcommand
    policy: str = ""  # "": the host's default
    summarizers: tuple[str, ...] = ()
    shorten_results: bool = False  # in what the host stores, as they arrive

    def find_project(self) -> Path:
        """The folder of the project to install into: the one where the command is run. Raises ConfigError."""
        return self.find_folder("", os.getcwd())

    def find_folder(self, variable: str, default: str) -> Path:
        """A folder of the user's, as an absolute path: one that a variable names, else this one. Raises ConfigError."""
        stated = self.environment.get(variable, "")
        try:
            folder = (Path(stated).expanduser() if stated else self.home / default).absolute()
            "\0".join((str(folder), *self.command, self.policy, *self.summarizers)).encode()
        except (RuntimeError, UnicodeEncodeError) as error:
            where = variable if stated else "HOME"
            raise ConfigError(f"no plugin can name these paths ({error}): set {where} to one that is UTF-8") from error
        return folder

    def resolve_policy(self, default: str) -> str:
        """The policy to install. A file's path is made absolute: the host runs in other folders."""
        chosen = self.policy or default
        return str(Path(chosen).absolute()) if Path(chosen).is_file() else chosen


class InstallableHost(Struct, frozen=True, kw_only=True):
    """A host that secateur can be put into."""

    name: str  # as `secateur install` takes it
    title: str
    program: str  # on the PATH
    package: str  # what installs the program
    acts: str  # what it does there, in one sentence
    plan: Callable[[InstallOptions], tuple[FileChange, ...]]
    find_problems: Callable[[InstallOptions], list[str]]  # why the installed plugin would not act: what to do about it
    default_policy: str = "balance"
    can_shorten: bool = False  # new results where the host stores them, if that is asked for
    compacts: bool = True  # by itself; where it does not, the bridge does
    is_per_project: bool = False  # installed into the folder of a project, not into the user's
    variables: tuple[str, ...] = ()  # of the environment, whose values are written into its files
    next_step: str = ""  # what the user has to do, if anything
