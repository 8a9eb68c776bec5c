"""What the user said: requests, demands, and the documents that hold them."""
