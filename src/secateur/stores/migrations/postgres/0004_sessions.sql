-- The tables of SQLite's migration of this number, in PostgreSQL's types. Keys and names sort by their bytes.

CREATE TABLE sessions (
  id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  tenant TEXT COLLATE "C" NOT NULL,
  session TEXT COLLATE "C" NOT NULL,
  revision BIGINT NOT NULL,
  head TEXT NOT NULL,          -- hash of the newest receipt
  receipts BIGINT NOT NULL,    -- how many there are
  head_key TEXT NOT NULL,
  format TEXT NOT NULL,
  model TEXT NOT NULL,
  parent TEXT NOT NULL,
  created BIGINT NOT NULL,     -- ms since 1970
  touched BIGINT NOT NULL,
  clock BYTEA NOT NULL,        -- JSON, as are calibrations and pins
  calibrations BYTEA NOT NULL,
  pins BYTEA NOT NULL,
  UNIQUE (tenant, session)
);
CREATE INDEX sessions_touched ON sessions (touched);

CREATE TABLE epochs (
  session BIGINT NOT NULL REFERENCES sessions ON DELETE CASCADE,
  number BIGINT NOT NULL,      -- from 0
  head_key TEXT COLLATE "C" NOT NULL,
  body BYTEA NOT NULL,         -- JSON
  PRIMARY KEY (session, number)
);
CREATE INDEX epochs_head_key ON epochs (head_key);

CREATE TABLE receipts (
  session BIGINT NOT NULL REFERENCES sessions ON DELETE CASCADE,
  sequence BIGINT NOT NULL,    -- from 0
  hash TEXT NOT NULL,
  body BYTEA NOT NULL,         -- the receipt's own bytes
  at BIGINT NOT NULL DEFAULT 0,  -- when it was saved, in ms since 1970
  PRIMARY KEY (session, sequence)
);

CREATE TABLE views (
  session BIGINT NOT NULL REFERENCES sessions ON DELETE CASCADE,
  key TEXT COLLATE "C" NOT NULL,  -- of a last message of a view that was sent
  PRIMARY KEY (session, key)
);
CREATE INDEX views_key ON views (key);

CREATE TABLE blobs (
  id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  tenant TEXT COLLATE "C" NOT NULL,
  digest TEXT COLLATE "C" NOT NULL,  -- hash of the bytes as they were; handles are its beginnings
  kind TEXT NOT NULL,
  size INTEGER NOT NULL,       -- bytes as they were
  codec INTEGER NOT NULL,      -- 0 as they are, 1 zlib, 2 zstd
  body BYTEA NOT NULL,
  UNIQUE (tenant, digest)
);
ALTER TABLE blobs ALTER COLUMN body SET STORAGE EXTERNAL;  -- it is compressed already

CREATE TABLE refs (
  session BIGINT NOT NULL REFERENCES sessions ON DELETE CASCADE,
  blob BIGINT NOT NULL REFERENCES blobs,
  key TEXT COLLATE "C" NOT NULL,  -- of the part that the bytes were
  at BIGINT NOT NULL,          -- ms since 1970
  PRIMARY KEY (session, blob, key)
);
CREATE INDEX refs_blob ON refs (blob);

CREATE TABLE manifests (
  session BIGINT NOT NULL REFERENCES sessions ON DELETE CASCADE,
  sequence BIGINT NOT NULL,    -- of the request's receipt
  shared BIGINT NOT NULL,      -- pieces taken over from the manifest before
  pieces BYTEA NOT NULL,       -- JSON: the digests of those that follow
  PRIMARY KEY (session, sequence)
);

-- When each periodic task was last done, by any process.

CREATE TABLE chores (
  name TEXT PRIMARY KEY,       -- gc
  at BIGINT NOT NULL           -- ms since 1970
);

-- Old receipts are deleted; the number and hash of the last one deleted remain.

CREATE TABLE anchors (
  session BIGINT PRIMARY KEY REFERENCES sessions ON DELETE CASCADE,
  body BYTEA NOT NULL,         -- JSON
  number BIGINT NOT NULL       -- of the last receipt that went
);

-- What processes of one service have to agree on, such as the key by which credentials are hashed.

CREATE TABLE secrets (
  name TEXT PRIMARY KEY,
  value BYTEA NOT NULL
);
