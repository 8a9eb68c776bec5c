"""`secateur completion`: the script that teaches a shell our commands, options, policies and formats.

Rule: it prints and changes nothing; where to put the script is said in the help.
"""

import click

_HELP = """\
\b
Examples:
  eval "$(secateur completion bash)"     # bash: in ~/.bashrc
  eval "$(secateur completion zsh)"      # zsh: in ~/.zshrc, after compinit
  secateur completion fish | source      # fish: in ~/.config/fish/config.fish
"""


@click.command("completion", epilog=_HELP)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def command(shell: str) -> None:
    """Print the completion script of SHELL on standard output."""
    from click.shell_completion import get_completion_class

    from secateur.cli.program import program
    from secateur.cli.terminal import say

    completion = get_completion_class(shell)
    assert completion is not None  # click has all three
    say(completion(program, {}, "secateur", "_SECATEUR_COMPLETE").source() + "\n")
