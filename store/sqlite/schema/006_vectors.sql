-- Vectors of an Embedder that is to replace the one whose vectors the chunks have, until
-- there is one for each chunk.
CREATE TABLE vectors (
    fingerprint TEXT NOT NULL,
    hash        TEXT NOT NULL,
    vector      BLOB NOT NULL, -- little-endian 32-bit floats
    PRIMARY KEY (fingerprint, hash)
) STRICT;
