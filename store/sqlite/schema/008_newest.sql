-- A user's own elementals are paged through newest first: all that are no cells of a table,
-- or those of a type.
CREATE INDEX elementals_newest ON elementals (owner_id, created_at DESC, id) WHERE table_id = '';
CREATE INDEX elementals_newest_of_type ON elementals (owner_id, type_id, created_at DESC, id);
