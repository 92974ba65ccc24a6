-- The content of a tenant is read as a whole, by id, when it is exported.
CREATE INDEX users_of_tenant ON users (tenant_id, id);
CREATE INDEX elementals_of_tenant ON elementals (tenant_id, id);
CREATE INDEX lists_of_tenant ON lists (tenant_id, id);
