-- What pages and searches look at again and again stands apart from the long rows: what
-- decides who finds an elemental and in which order among equals, in an index, and what a
-- page shows of it, packed into one value. An elemental that was written before this
-- schema has none; it is read from its row then.
CREATE INDEX elementals_in_short ON elementals (num, visibility, owner_id, type_id, id);

CREATE TABLE elemental_short (
    num    INTEGER PRIMARY KEY REFERENCES elementals (num) ON DELETE CASCADE,
    packed BLOB NOT NULL
) STRICT;
