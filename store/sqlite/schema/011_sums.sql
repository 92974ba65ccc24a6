-- Checksums of what is longest and matters most: SQLite keeps none, so that a bit that
-- flips on the disk changes a text without a sign. NULL until fillSums has been over a
-- database of an earlier version, which happens with this step.
ALTER TABLE elementals ADD COLUMN sum BLOB;
ALTER TABLE lists ADD COLUMN sum BLOB;
ALTER TABLE media ADD COLUMN sum BLOB;
ALTER TABLE chunks ADD COLUMN sum BLOB; -- of the passage: vectors change by themselves
