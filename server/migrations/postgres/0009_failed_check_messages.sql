-- The last commit that was pushed to the pull request of the job. Null: not known.
ALTER TABLE job ADD COLUMN pull_request_commit text;

-- Set if the message was sent automatically, because CI checks of this commit failed. Each commit once.
ALTER TABLE turn ADD COLUMN failed_commit text;
ALTER TABLE turn ADD COLUMN failed_pull_request_number bigint;
ALTER TABLE turn ADD CHECK ((failed_commit IS NULL) = (failed_pull_request_number IS NULL)) NOT VALID; -- all are null
CREATE UNIQUE INDEX turn_failed_commit ON turn (project_id, job_id, failed_commit) WHERE failed_commit IS NOT NULL;
