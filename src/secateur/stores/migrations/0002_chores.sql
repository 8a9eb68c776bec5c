-- When what a store does by itself now and then was last done, by whichever process.

CREATE TABLE chores (
  name TEXT PRIMARY KEY,       -- gc
  at INTEGER NOT NULL          -- ms since 1970
) WITHOUT ROWID;
