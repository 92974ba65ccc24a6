-- A membership repeats what decides who is shown its elemental, and the elemental's
-- place among equals. Pages of a list are counted and put in order from one index then;
-- the long rows of elementals are read for the page only.
ALTER TABLE list_items ADD COLUMN elemental_id TEXT NOT NULL DEFAULT '';
ALTER TABLE list_items ADD COLUMN owner_id TEXT NOT NULL DEFAULT '';
ALTER TABLE list_items ADD COLUMN visibility INTEGER NOT NULL DEFAULT 0;
UPDATE list_items SET (elemental_id, owner_id, visibility) =
    (SELECT e.id, e.owner_id, e.visibility FROM elementals e WHERE e.num = list_items.elemental);

DROP INDEX list_items_in_order;
CREATE INDEX list_items_in_order ON list_items (list_id, order_index, elemental_id, visibility, owner_id);

CREATE TRIGGER list_items_follow AFTER UPDATE OF owner_id, visibility ON elementals
WHEN old.owner_id <> new.owner_id OR old.visibility <> new.visibility
BEGIN
    UPDATE list_items SET owner_id = new.owner_id, visibility = new.visibility WHERE elemental = new.num;
END;
