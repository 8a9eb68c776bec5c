"""What a recorded session cost, and what it would have cost under a policy: requests, prompt cache, bill.

Rule: a recording is data; nothing here calls a provider, and nothing about an agent's behavior is guessed: it is
assumed to act as it did. Import what you need from the modules: importing this package does no work.

What it takes for granted, and where it is known to differ from what happens:

- The agent acts as it did. One that misses something reads it again or goes wrong; `recall` and `compute_refetch_cost`
  warn of it.
- Sizes are estimates, scaled to the recorded usage where there is enough of it. Where a log lacks system prompt and
  tools, they are what the first recorded prompts have over the estimate, else nothing.
- Times are those of the newest message that a request held; where none is recorded, requests are 20 s apart.
- A cache keeps what its rules say, and finds it. Real ones sometimes do not (`agreement` shows where a recording
  differs, `Caching.cache_breaks` plays it); what other sessions keep warm, a shared system prompt, is left out.
- A client of Claude's is taken to mark its newest message and its system prompt for the cache, and to leave as many
  breakpoints free as that client does (`client`). Free ones are given to every policy where it edits, though the engine
  adds them for `balance` and `cold` alone, and only to requests of formats that can bear them: presets of other systems
  look better here than they are.
- One price and one lifetime hold for a whole session: of the model that answered most often, and of what most of the
  cache was bought for. Prices are those of the table's date, without discounts for batches.
- A host's compaction divides the history: each stretch begins with a cache of which only system prompt and tools can be
  read. The call that wrote the host's summary is in no bill.
- Summaries that a policy asks for are made by code and priced as if the session's model had written them.
- Whether a provider would have taken a request is not checked; `secateur check` does that.
"""
