-- The jobs of one elemental are paged like those of its tenant.
CREATE INDEX jobs_of_elemental ON jobs (tenant_id, elemental_id, created_at, seq);
