"""`secateur completion`: the script that completes commands, options, policies and formats in a shell.

Rule: it prints and changes nothing; the help says where to put the script.
"""

from typing import Annotated

import click

from secateur.cli import options
from secateur.cli.options import Options, make_argument

_EPILOG = """\
\b
Examples:
  eval "$(secateur completion bash)"     # bash: in ~/.bashrc
  eval "$(secateur completion zsh)"      # zsh: in ~/.zshrc, after compinit
  secateur completion fish | source      # fish: in ~/.config/fish/config.fish
"""


class CompletionOptions(Options, frozen=True, kw_only=True):
    """The options of `secateur completion`."""

    shell: Annotated[str, make_argument(type=click.Choice(["bash", "zsh", "fish"]))]


@options.make_command("completion", CompletionOptions, _EPILOG)
def command(args: CompletionOptions) -> None:
    """Print the completion script of SHELL on standard output."""
    from click.shell_completion import get_completion_class

    from secateur.cli.output.terminal import print_text
    from secateur.cli.program import program

    completion = get_completion_class(args.shell)
    assert completion is not None  # click has all three
    print_text(completion(program, {}, "secateur", "_SECATEUR_COMPLETE").source() + "\n")
