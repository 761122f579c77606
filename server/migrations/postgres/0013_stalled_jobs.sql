-- How often the job was woken since its last progress. If that does not help, its workflow is replaced.
ALTER TABLE job ADD COLUMN stalled_wakes int NOT NULL DEFAULT 0 CHECK (stalled_wakes >= 0);
-- For each change of a job, which may have thousands of turns.
CREATE INDEX turn_open ON turn (project_id, job_id) WHERE status IN ('queued', 'running', 'publishing');
