-- Receipts that are old go, and leave the number and the hash of the last one that went.

ALTER TABLE receipts ADD COLUMN at INTEGER NOT NULL DEFAULT 0;  -- when it was saved, in ms since 1970

UPDATE receipts SET at = (SELECT touched FROM sessions WHERE sessions.id = receipts.session);

CREATE TABLE anchors (
  session INTEGER PRIMARY KEY REFERENCES sessions ON DELETE CASCADE,
  body BLOB NOT NULL,          -- JSON
  number INTEGER NOT NULL      -- of the last receipt that went
);
