-- The checksums of media cover whose they are, and all else of a row: a file that has become
-- somebody else's is worse than one that is damaged. fillMediaSums makes them of the former
-- ones, so that what was damaged before is found as before. The other name tells a file of
-- this step from one of the step before, whose sums would be made of theirs twice.
ALTER TABLE media RENAME COLUMN sum TO checksum;
