"""What Bedrock's Converse rejects (rules B)."""
