-- Times are seconds since the start of 1970. The bytes are in the bucket.
CREATE TABLE IF NOT EXISTS users (
  id   TEXT PRIMARY KEY,
  name TEXT NOT NULL
);
-- What the front end gives to the viewer. Who reads this table learns no token.
CREATE TABLE IF NOT EXISTS sessions (
  token_sha256 TEXT PRIMARY KEY,
  user_id      TEXT NOT NULL REFERENCES users,
  expires      INTEGER NOT NULL
);
CREATE TABLE IF NOT EXISTS documents (
  id      TEXT PRIMARY KEY,
  name    TEXT NOT NULL,
  creator TEXT NOT NULL REFERENCES users,
  created INTEGER NOT NULL
);
CREATE TABLE IF NOT EXISTS grants (
  document TEXT NOT NULL REFERENCES documents,
  user_id  TEXT NOT NULL REFERENCES users,
  may_edit INTEGER NOT NULL,
  PRIMARY KEY (document, user_id)
);
-- A save that has an address. Without a version after a day it is removed.
CREATE TABLE IF NOT EXISTS uploads (
  object   TEXT PRIMARY KEY,
  document TEXT NOT NULL REFERENCES documents,
  size     INTEGER NOT NULL,
  md5      TEXT NOT NULL,
  created  INTEGER NOT NULL
);
-- The keys are what makes two saves at once two versions, and a repeated one the same.
CREATE TABLE IF NOT EXISTS versions (
  document TEXT NOT NULL REFERENCES documents,
  version  INTEGER NOT NULL,
  object   TEXT NOT NULL UNIQUE,
  size     INTEGER NOT NULL,
  md5      TEXT NOT NULL,
  modifier TEXT NOT NULL REFERENCES users,
  modified INTEGER NOT NULL,
  PRIMARY KEY (document, version)
);
