-- The rates of a subject are read by id, the newest ones first.
CREATE INDEX rates_on_elemental ON rates (elemental, id) WHERE elemental IS NOT NULL;
CREATE INDEX rates_on_list ON rates (list_id, id) WHERE list_id IS NOT NULL;
