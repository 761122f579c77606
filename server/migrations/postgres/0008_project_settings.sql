ALTER TABLE project
  -- Of jobs that name no model. Null, and where the project may not use it any more: the installation's default.
  ADD COLUMN default_model text REFERENCES model ON DELETE SET NULL,
  -- Jobs that ended so many days ago are deleted. Null: they are kept for ever.
  ADD COLUMN job_retention_days int CHECK (job_retention_days BETWEEN 1 AND 36500);

-- For deleting them: only of projects that do not keep them for ever.
CREATE INDEX job_ended ON job (project_id, updated_at) WHERE status <> 'active';
