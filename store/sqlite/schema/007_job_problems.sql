-- What a job that succeeded left out, as a JSON array.
ALTER TABLE jobs ADD COLUMN problems TEXT NOT NULL DEFAULT '[]';
