-- Times are microseconds since the Unix epoch. Columns that hold arrays are JSON
-- text; what is searched by a member of an array has a table of its own.
-- Where a table has a column num, that is its rowid, under which other tables
-- refer to it: shorter than the text id, and what full text is keyed by.

PRAGMA application_id = 0x51756972; -- "Quir"

CREATE TABLE meta (
    name  TEXT PRIMARY KEY NOT NULL,
    value BLOB NOT NULL
) STRICT;

CREATE TABLE users (
    id         TEXT PRIMARY KEY NOT NULL,
    tenant_id  TEXT NOT NULL,
    name       TEXT NOT NULL,
    username   TEXT NOT NULL,
    email      TEXT NOT NULL,
    avatar_url TEXT NOT NULL,
    created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE keys (
    id           TEXT PRIMARY KEY NOT NULL,
    user_id      TEXT NOT NULL REFERENCES users (id),
    name         TEXT NOT NULL,
    hash         TEXT NOT NULL UNIQUE,
    prefix       TEXT NOT NULL,
    created_at   INTEGER NOT NULL,
    last_used_at INTEGER,
    expires_at   INTEGER,
    revoked_at   INTEGER
) STRICT;
CREATE INDEX keys_of_user ON keys (user_id, created_at, id);

CREATE TABLE tags (
    id                INTEGER PRIMARY KEY,
    owner_id          TEXT NOT NULL,
    title             TEXT NOT NULL,
    color             TEXT NOT NULL,
    description       TEXT NOT NULL,
    elemental_type_id INTEGER NOT NULL,
    source_user_id    TEXT NOT NULL,
    source_tag_id     TEXT NOT NULL,
    created_at        INTEGER NOT NULL,
    updated_at        INTEGER NOT NULL
) STRICT;
CREATE INDEX tags_of_owner ON tags (owner_id, created_at, id);

-- The body comes last, so that reading the other columns of a row does not walk
-- through the pages that a long one overflows into.
CREATE TABLE elementals (
    num            INTEGER PRIMARY KEY,
    id             TEXT NOT NULL UNIQUE,
    owner_id       TEXT NOT NULL,
    tenant_id      TEXT NOT NULL,
    visibility     INTEGER NOT NULL,
    type_id        INTEGER NOT NULL,
    category_id    INTEGER NOT NULL,
    topic_ids      TEXT NOT NULL,
    title          TEXT NOT NULL,
    created_at     INTEGER NOT NULL,
    updated_at     INTEGER,
    version        INTEGER NOT NULL,
    is_premium     INTEGER NOT NULL,
    is_fixed_price INTEGER NOT NULL,
    price          INTEGER,
    price_original INTEGER,
    knowledge_base INTEGER NOT NULL,
    is_template    INTEGER NOT NULL,
    is_system      INTEGER NOT NULL,
    column_id      INTEGER NOT NULL,
    row_id         INTEGER NOT NULL,
    table_id       TEXT NOT NULL,
    comments       INTEGER NOT NULL,
    rates          INTEGER NOT NULL,
    rating_sum     INTEGER NOT NULL,
    sales          INTEGER NOT NULL,
    upvotes        INTEGER NOT NULL,
    uses           INTEGER NOT NULL,
    saves          INTEGER NOT NULL,
    command        TEXT NOT NULL,
    video_url      TEXT NOT NULL,
    description    TEXT NOT NULL,
    tutorial_steps TEXT NOT NULL,
    body           TEXT NOT NULL
) STRICT;
CREATE INDEX elementals_of_owner ON elementals (owner_id, id);
CREATE INDEX elementals_by_title ON elementals (owner_id, type_id, title, id);
CREATE INDEX cells_of_table ON elementals (table_id, id) WHERE table_id <> '';

CREATE TABLE elemental_tags (
    elemental INTEGER NOT NULL REFERENCES elementals (num) ON DELETE CASCADE,
    ordinal   INTEGER NOT NULL,
    tag_id    INTEGER NOT NULL,
    PRIMARY KEY (elemental, ordinal)
) STRICT, WITHOUT ROWID;
CREATE INDEX elementals_of_tag ON elemental_tags (tag_id);

CREATE TABLE lists (
    id                INTEGER PRIMARY KEY,
    owner_id          TEXT NOT NULL,
    tenant_id         TEXT NOT NULL,
    visibility        INTEGER NOT NULL,
    type_id           INTEGER NOT NULL,
    title             TEXT NOT NULL,
    table_id          TEXT NOT NULL,
    table_orientation TEXT NOT NULL,
    table_index       INTEGER NOT NULL,
    created_at        INTEGER NOT NULL,
    updated_at        INTEGER,
    version           INTEGER NOT NULL,
    is_premium        INTEGER NOT NULL,
    is_fixed_price    INTEGER NOT NULL,
    price             INTEGER,
    price_original    INTEGER,
    knowledge_base    INTEGER NOT NULL,
    is_template       INTEGER NOT NULL,
    is_system         INTEGER NOT NULL,
    comments          INTEGER NOT NULL,
    rates             INTEGER NOT NULL,
    rating_sum        INTEGER NOT NULL,
    sales             INTEGER NOT NULL,
    upvotes           INTEGER NOT NULL,
    uses              INTEGER NOT NULL,
    saves             INTEGER NOT NULL,
    video_url         TEXT NOT NULL,
    description       TEXT NOT NULL,
    tutorial_steps    TEXT NOT NULL,
    template          TEXT NOT NULL
) STRICT;
-- table_id and owner_id let the counts and pages skip lists without reading them.
CREATE INDEX lists_of_owner ON lists (owner_id, created_at DESC, id, table_id);
CREATE INDEX lists_by_visibility ON lists (visibility, created_at DESC, id, owner_id, table_id);
CREATE INDEX lists_of_table ON lists (table_id, table_orientation, table_index, id) WHERE table_id <> '';

CREATE TABLE list_tags (
    list_id INTEGER NOT NULL REFERENCES lists (id) ON DELETE CASCADE,
    ordinal INTEGER NOT NULL,
    tag_id  INTEGER NOT NULL,
    PRIMARY KEY (list_id, ordinal)
) STRICT, WITHOUT ROWID;
CREATE INDEX lists_of_tag ON list_tags (tag_id);

CREATE TABLE list_items (
    list_id     INTEGER NOT NULL REFERENCES lists (id) ON DELETE CASCADE,
    elemental   INTEGER NOT NULL REFERENCES elementals (num) ON DELETE CASCADE,
    order_index INTEGER NOT NULL,
    added_at    INTEGER NOT NULL,
    PRIMARY KEY (list_id, elemental)
) STRICT, WITHOUT ROWID;
CREATE INDEX list_items_in_order ON list_items (list_id, order_index);
CREATE INDEX list_items_of_elemental ON list_items (elemental);

-- What is about an elemental or a list has its number in one of two columns, and
-- NULL in the other. The bytes come last, see elementals.body.
CREATE TABLE media (
    id         INTEGER PRIMARY KEY,
    elemental  INTEGER REFERENCES elementals (num) ON DELETE CASCADE,
    list_id    INTEGER REFERENCES lists (id) ON DELETE CASCADE,
    kind       TEXT NOT NULL,
    name       TEXT NOT NULL,
    mime_type  TEXT NOT NULL,
    size       INTEGER NOT NULL,
    width      INTEGER NOT NULL,
    height     INTEGER NOT NULL,
    blur       TEXT NOT NULL,
    ordinal    INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    data       BLOB NOT NULL,
    CHECK ((elemental IS NULL) <> (list_id IS NULL))
) STRICT;
CREATE INDEX media_of_elemental ON media (elemental, kind, ordinal, id) WHERE elemental IS NOT NULL;
CREATE INDEX media_of_list ON media (list_id, kind, ordinal, id) WHERE list_id IS NOT NULL;

CREATE TABLE marks (
    elemental  INTEGER REFERENCES elementals (num) ON DELETE CASCADE,
    list_id    INTEGER REFERENCES lists (id) ON DELETE CASCADE,
    kind       TEXT NOT NULL,
    user_id    TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    CHECK ((elemental IS NULL) <> (list_id IS NULL))
) STRICT;
CREATE UNIQUE INDEX marks_of_user_on_elemental ON marks (user_id, elemental, kind) WHERE elemental IS NOT NULL;
CREATE UNIQUE INDEX marks_of_user_on_list ON marks (user_id, list_id, kind) WHERE list_id IS NOT NULL;
CREATE INDEX marks_on_elemental ON marks (elemental, kind, created_at DESC, user_id) WHERE elemental IS NOT NULL;
CREATE INDEX marks_on_list ON marks (list_id, kind, created_at DESC, user_id) WHERE list_id IS NOT NULL;

-- A reply is about the same elemental as its parent, so that both go with it in
-- one statement; replies alone are deleted by a query, because a cascade along a
-- thread would be as deep as it is. AUTOINCREMENT: an id is never given twice.
CREATE TABLE comments (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    elemental  INTEGER NOT NULL REFERENCES elementals (num) ON DELETE CASCADE,
    parent     INTEGER REFERENCES comments (id),
    user_id    TEXT NOT NULL,
    message    TEXT NOT NULL,
    votes      INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER
) STRICT;
CREATE INDEX comments_of_elemental ON comments (elemental, id);
CREATE INDEX comments_of_parent ON comments (parent) WHERE parent IS NOT NULL;

CREATE TABLE rates (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    elemental  INTEGER REFERENCES elementals (num) ON DELETE CASCADE,
    list_id    INTEGER REFERENCES lists (id) ON DELETE CASCADE,
    user_id    TEXT NOT NULL,
    rating     INTEGER NOT NULL,
    message    TEXT NOT NULL,
    votes      INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER,
    CHECK ((elemental IS NULL) <> (list_id IS NULL))
) STRICT;
CREATE UNIQUE INDEX rates_of_elemental ON rates (elemental, user_id) WHERE elemental IS NOT NULL;
CREATE UNIQUE INDEX rates_of_list ON rates (list_id, user_id) WHERE list_id IS NOT NULL;

CREATE TABLE receipts (
    user_id    TEXT NOT NULL,
    route      TEXT NOT NULL,
    key        TEXT NOT NULL,
    request    TEXT NOT NULL,
    status     INTEGER NOT NULL,
    header     TEXT NOT NULL, -- a JSON object
    created_at INTEGER NOT NULL,
    body       BLOB NOT NULL,
    PRIMARY KEY (user_id, route, key)
) STRICT;
CREATE INDEX receipts_by_age ON receipts (created_at);

-- AUTOINCREMENT: a seq is never given twice.
CREATE TABLE jobs (
    seq          INTEGER PRIMARY KEY AUTOINCREMENT,
    tenant_id    TEXT NOT NULL,
    id           TEXT NOT NULL,
    elemental_id TEXT NOT NULL,
    status       TEXT NOT NULL,
    stage        TEXT NOT NULL,
    done         INTEGER NOT NULL,
    total        INTEGER NOT NULL,
    attempts     INTEGER NOT NULL,
    error        TEXT NOT NULL,
    created_at   INTEGER NOT NULL,
    started_at   INTEGER,
    finished_at  INTEGER,
    run_after    INTEGER NOT NULL,
    lease_owner  TEXT NOT NULL,
    lease_until  INTEGER NOT NULL,
    UNIQUE (tenant_id, id)
) STRICT;
CREATE INDEX jobs_of_tenant ON jobs (tenant_id, created_at, seq);
CREATE INDEX jobs_by_status ON jobs (status);
-- Final jobs pile up, active ones do not: these stay small.
CREATE INDEX jobs_active ON jobs (tenant_id, elemental_id, seq) WHERE status IN ('queued', 'running');
CREATE INDEX jobs_queued ON jobs (run_after, elemental_id) WHERE status = 'queued';
CREATE INDEX jobs_running ON jobs (elemental_id, lease_until) WHERE status = 'running';

CREATE TABLE chunks (
    num           INTEGER PRIMARY KEY,
    id            TEXT NOT NULL UNIQUE,
    tenant_id     TEXT NOT NULL,
    user_id       TEXT NOT NULL,
    elemental_id  TEXT NOT NULL,
    column_id     TEXT NOT NULL,
    item_id       TEXT NOT NULL,
    source        TEXT NOT NULL,
    type_name     TEXT NOT NULL,
    category_name TEXT NOT NULL,
    tag_ids       TEXT NOT NULL,
    tag_names     TEXT NOT NULL,
    title         TEXT NOT NULL,
    heading       TEXT NOT NULL,
    start_byte    INTEGER NOT NULL,
    end_byte      INTEGER NOT NULL,
    ordinal       INTEGER NOT NULL,
    hash          TEXT NOT NULL,
    fingerprint   TEXT NOT NULL,
    passage       TEXT NOT NULL,
    vector        BLOB NOT NULL -- little-endian 32-bit floats
) STRICT;
CREATE INDEX chunks_of_elemental ON chunks (elemental_id, source, item_id, ordinal, id);
CREATE INDEX chunks_of_tenant ON chunks (tenant_id, elemental_id, id);

-- What chunks.tag_ids and chunks.tag_names hold, to filter by.
CREATE TABLE chunk_tags (
    chunk INTEGER NOT NULL REFERENCES chunks (num) ON DELETE CASCADE,
    kind  TEXT NOT NULL, -- 'id' or 'name'
    value TEXT NOT NULL,
    PRIMARY KEY (chunk, kind, value)
) STRICT, WITHOUT ROWID;
CREATE INDEX chunks_of_tag ON chunk_tags (kind, value);

-- The words come segmented and folded. The ascii tokenizer splits at spaces only
-- and takes every character beyond ASCII as part of a word, whereas unicode61
-- would split or fold by the tables of its own version of Unicode.
CREATE VIRTUAL TABLE elemental_text USING fts5 (
    title, description, body, tags,
    content = '', contentless_delete = 1, tokenize = 'ascii'
);
CREATE VIRTUAL TABLE list_text USING fts5 (
    title, description, tags,
    content = '', contentless_delete = 1, tokenize = 'ascii'
);
