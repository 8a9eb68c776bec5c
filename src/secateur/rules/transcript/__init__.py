"""What every API would refuse of a conversation, whatever host wrote it down (rules L): read on the transcript."""

from secateur.rules.rule import gathered
from secateur.rules.transcript import messages, pairs
from secateur.rules.transcript.walk import Conversation as History

__all__ = ["RULES", "History"]

RULES = gathered(pairs, messages)
