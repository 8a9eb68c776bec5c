"""What every API would refuse of a conversation, whatever host wrote it down (rules L): read on the transcript."""

from secateur.api.rule import gathered
from secateur.api.transcript import rules_calls, rules_messages
from secateur.api.transcript.walk import Conversation as History

__all__ = ["RULES", "History"]

RULES = gathered(rules_calls, rules_messages)
