-- Turns are also looked up by their job alone. Without an index that begins with it, each lookup read the whole table.
CREATE INDEX turn_of_job ON turn (job_id);
