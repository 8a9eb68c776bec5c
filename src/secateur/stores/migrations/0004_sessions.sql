-- All of a session but its receipts and bytes is one row; what grows with every request has tables of its own.

CREATE TABLE sessions (
  id INTEGER PRIMARY KEY,
  tenant TEXT NOT NULL,
  session TEXT NOT NULL,
  revision INTEGER NOT NULL,
  head TEXT NOT NULL,          -- hash of the newest receipt
  receipts INTEGER NOT NULL,   -- how many there are
  head_key TEXT NOT NULL,
  format TEXT NOT NULL,
  model TEXT NOT NULL,
  parent TEXT NOT NULL,
  created INTEGER NOT NULL,    -- ms since 1970
  touched INTEGER NOT NULL,
  clock BLOB NOT NULL,         -- JSON, as are calibrations and pins
  calibrations BLOB NOT NULL,
  pins BLOB NOT NULL,
  UNIQUE (tenant, session)
);
CREATE INDEX sessions_touched ON sessions (touched);

CREATE TABLE epochs (
  session INTEGER NOT NULL REFERENCES sessions ON DELETE CASCADE,
  number INTEGER NOT NULL,     -- from 0
  head_key TEXT NOT NULL,
  body BLOB NOT NULL,          -- JSON
  UNIQUE (session, number)
);
CREATE INDEX epochs_head_key ON epochs (head_key);

CREATE TABLE receipts (
  session INTEGER NOT NULL REFERENCES sessions ON DELETE CASCADE,
  sequence INTEGER NOT NULL,   -- from 0
  hash TEXT NOT NULL,
  body BLOB NOT NULL,          -- the receipt's own bytes
  at INTEGER NOT NULL DEFAULT 0,  -- when it was saved, in ms since 1970
  UNIQUE (session, sequence)
);

CREATE TABLE views (
  session INTEGER NOT NULL REFERENCES sessions ON DELETE CASCADE,
  key TEXT NOT NULL,           -- of a last message of a view that was sent
  PRIMARY KEY (session, key)
) WITHOUT ROWID;
CREATE INDEX views_key ON views (key);

CREATE TABLE blobs (
  id INTEGER PRIMARY KEY,
  tenant TEXT NOT NULL,
  digest TEXT NOT NULL,        -- hash of the bytes as they were; handles are its beginnings
  kind TEXT NOT NULL,
  size INTEGER NOT NULL,       -- bytes as they were
  codec INTEGER NOT NULL,      -- 0 as they are, 1 zlib, 2 zstd
  body BLOB NOT NULL,
  UNIQUE (tenant, digest)
);

CREATE TABLE refs (
  session INTEGER NOT NULL REFERENCES sessions ON DELETE CASCADE,
  blob INTEGER NOT NULL REFERENCES blobs,
  key TEXT NOT NULL,           -- of the part that the bytes were
  at INTEGER NOT NULL,         -- ms since 1970
  PRIMARY KEY (session, blob, key)
) WITHOUT ROWID;
CREATE INDEX refs_blob ON refs (blob);

CREATE TABLE manifests (
  session INTEGER NOT NULL REFERENCES sessions ON DELETE CASCADE,
  sequence INTEGER NOT NULL,   -- of the request's receipt
  shared INTEGER NOT NULL,     -- pieces taken over from the manifest before
  pieces BLOB NOT NULL,        -- JSON: the digests of those that follow
  PRIMARY KEY (session, sequence)
) WITHOUT ROWID;

-- When each periodic task was last done, by any process.

CREATE TABLE chores (
  name TEXT PRIMARY KEY,       -- gc
  at INTEGER NOT NULL          -- ms since 1970
) WITHOUT ROWID;

-- Old receipts are deleted; the number and hash of the last one deleted remain.
CREATE TABLE anchors (
  session INTEGER PRIMARY KEY REFERENCES sessions ON DELETE CASCADE,
  body BLOB NOT NULL,          -- JSON
  number INTEGER NOT NULL      -- of the last receipt that went
);
