-- What agents may change, and what a person has to approve before it is pushed.
ALTER TABLE repository ADD COLUMN further_docs_folders text[] NOT NULL DEFAULT '{}';
-- Files of any type, and folders, which end with a slash.
ALTER TABLE repository ADD COLUMN allowed_paths text[] NOT NULL DEFAULT '{}';
ALTER TABLE repository ADD COLUMN active_content text NOT NULL DEFAULT 'refuse' CHECK (active_content IN ('refuse', 'hold'));
ALTER TABLE repository ADD COLUMN require_approval boolean NOT NULL DEFAULT false;
ALTER TABLE repository ADD COLUMN fix_failed_checks boolean NOT NULL DEFAULT false;

-- A result that must not be pushed before a person approves it. Deleted with the result, so that an approval never applies to another one.
CREATE TABLE held_result (
  turn_id text PRIMARY KEY REFERENCES turn_result (turn_id) ON DELETE CASCADE,
  -- What would be pushed. The person who approves it names its digest.
  diff text NOT NULL,
  diff_sha256 text NOT NULL CHECK (diff_sha256 ~ '^[0-9a-f]{64}$'),
  is_diff_complete boolean NOT NULL,
  -- What would be refused without an approval. Empty: the project requires an approval of every result.
  reasons jsonb NOT NULL,
  new_hosts text[] NOT NULL,
  held_at timestamptz NOT NULL,
  -- Null: nobody has decided, or a later message has replaced the result.
  decision text CHECK (decision IN ('approved', 'rejected')),
  decided_at timestamptz,
  CHECK ((decision IS NULL) = (decided_at IS NULL))
);

-- Not validated, because that would lock the tables for a scan: everything that was allowed still is.
ALTER TABLE job DROP CONSTRAINT job_outcome_check;
ALTER TABLE job ADD CONSTRAINT job_outcome_check
  CHECK (outcome IN ('pull_request', 'diff', 'no_changes', 'awaiting_approval', 'rejected', 'cancelled', 'error')) NOT VALID;
ALTER TABLE turn DROP CONSTRAINT turn_outcome_check;
ALTER TABLE turn ADD CONSTRAINT turn_outcome_check
  CHECK (outcome IN ('pull_request', 'diff', 'no_changes', 'awaiting_approval', 'rejected', 'cancelled', 'error')) NOT VALID;
