-- Backups that `colophon-server backup` has written. Only complete ones count when `backup schedule` deletes old ones: anyone who can write to
-- the storage could add folders that look like backups.
CREATE TABLE instance_backup (
  moment timestamptz PRIMARY KEY,
  -- Null: it is being written, or was not finished, or a restore has found it, and nobody knows who has written it.
  finished_at timestamptz,
  -- Where it is, like s3://bucket/folder/.
  storage text NOT NULL
);

-- Since when a schedule writes backups, so that one that never succeeds is noticed. No row: there was never a schedule.
CREATE TABLE instance_backup_schedule (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  since timestamptz NOT NULL DEFAULT now()
);
