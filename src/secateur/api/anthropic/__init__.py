"""What Anthropic's Messages API rejects (rules A), also as served by Bedrock's InvokeModel and Vertex AI."""
