"""What Gemini's generateContent rejects (rules G)."""
