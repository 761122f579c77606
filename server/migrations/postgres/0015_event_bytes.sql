-- Of the events of the row, as text. Null: written by the previous version.
ALTER TABLE job_event ADD COLUMN size_bytes int;
