-- Vectors that an ingest has got from the Embedder, until it puts them into chunks or ends
-- without.
CREATE TABLE drafts (
    elemental_id TEXT NOT NULL,
    fingerprint  TEXT NOT NULL,
    hash         TEXT NOT NULL,
    vector       BLOB NOT NULL, -- little-endian 32-bit floats
    PRIMARY KEY (elemental_id, fingerprint, hash)
) STRICT;
