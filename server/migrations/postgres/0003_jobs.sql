CREATE TABLE job (
  project_id text NOT NULL REFERENCES project ON DELETE CASCADE,
  id text NOT NULL UNIQUE, -- a workflow knows a job by its ID alone
  status text NOT NULL CHECK (status IN ('active', 'completed', 'archived', 'failed')),
  pending_stop text CHECK (pending_stop IN ('cancel', 'archive')),
  title text,
  repository text NOT NULL,
  ref text NOT NULL,
  model text NOT NULL,
  publish text NOT NULL CHECK (publish IN ('pull_request', 'diff')),
  draft boolean NOT NULL DEFAULT false,
  diff text, -- of the last turn with changes
  topic text,
  metadata jsonb NOT NULL DEFAULT '{}',
  -- Of the last turn that ended; null while active.
  outcome text CHECK (outcome IN ('pull_request', 'diff', 'no_changes', 'cancelled', 'error')),
  error_code text,
  error_message text,
  reply text,
  checks jsonb NOT NULL DEFAULT '[]',
  -- The latest pull request.
  pull_request_number bigint,
  pull_request_url text,
  pull_request_branch text,
  pull_request_state text CHECK (pull_request_state IN ('open', 'merged', 'closed')),
  -- Title and body as we last wrote them. Later edits by people are kept.
  pull_request_text jsonb,
  -- What the code host reports about it.
  pull_request_conflicts boolean,
  -- The commit of these checks, and since when they are watched.
  pull_request_checks jsonb,
  -- By check ID. Separate from the checks, because lists of jobs do not need them.
  pull_request_check_logs jsonb,
  pull_request_preview_url text,
  -- Comments since then have not been read; null: none has. Comments from before the pull request was watched are ignored.
  pull_request_comments_since timestamptz,
  -- When to poll the code host next; a webhook sets it to now.
  pull_request_poll_at timestamptz,
  -- Token bucket for polls that webhooks trigger: when the bucket will be full again.
  pull_request_poll_bucket_full_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  archived_at timestamptz,
  -- The last progress. A job that stalls is woken.
  progressed_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (project_id, id),
  CHECK ((status = 'archived') = (archived_at IS NOT NULL)),
  CHECK (status <> 'active' OR outcome IS NULL),
  CHECK (pending_stop IS NULL OR status = 'active')
);
-- The hourly rate limit counts these rows.
CREATE INDEX job_by_creation ON job (project_id, created_at);
CREATE INDEX job_poll_due ON job (pull_request_poll_at) WHERE pull_request_poll_at IS NOT NULL;
CREATE INDEX job_stalled ON job (progressed_at) WHERE status = 'active';
CREATE INDEX job_idle ON job (updated_at) WHERE status IN ('completed', 'failed');
-- For retention, in projects that do not keep jobs forever.
CREATE INDEX job_ended ON job (project_id, updated_at) WHERE status <> 'active';
-- Where a create with a topic looks for the open job. Not unique: a message to an older job whose pull request was merged
-- reopens that job beside the one that has the topic now.
CREATE INDEX job_open_topic ON job (project_id, topic)
  WHERE topic IS NOT NULL AND status <> 'archived' AND (pull_request_state IS NULL OR pull_request_state = 'open');
-- Webhooks name pull requests by number, and builds by branch.
CREATE INDEX job_by_pull_request ON job (project_id, pull_request_number) WHERE pull_request_number IS NOT NULL;
CREATE INDEX job_by_open_branch ON job (project_id, pull_request_branch) WHERE pull_request_state = 'open';

-- What a job search reads, newest first, in lower case: title, ID and the beginning of the first prompt. A search
-- without hits reads all of it, so it is kept apart from the wide rows of jobs and turns: over those, 100,000 jobs took
-- 0.6 s instead of 0.1 s.
CREATE TABLE job_search (
  project_id text NOT NULL,
  job_id text NOT NULL,
  search_text text NOT NULL,
  PRIMARY KEY (project_id, job_id),
  FOREIGN KEY (project_id, job_id) REFERENCES job (project_id, id) ON DELETE CASCADE
);

CREATE TABLE turn (
  project_id text NOT NULL,
  job_id text NOT NULL,
  id text NOT NULL UNIQUE,
  number int NOT NULL CHECK (number >= 1),
  prompt text NOT NULL,
  -- The failed CI check that the message is about, as it was when the message was sent.
  failed_check jsonb,
  status text NOT NULL CHECK (status IN ('queued', 'running', 'publishing', 'completed', 'failed', 'dropped')),
  outcome text CHECK (outcome IN ('pull_request', 'diff', 'no_changes', 'cancelled', 'error')),
  error_code text,
  error_message text,
  reply text,
  created_at timestamptz NOT NULL DEFAULT now(),
  started_at timestamptz,
  publishing_started_at timestamptz, -- when the turn last entered `publishing`
  ended_at timestamptz,
  deadline_at timestamptz,
  agent_failures int NOT NULL DEFAULT 0,
  -- The branch that the work started from.
  start_branch text,
  -- A turn whose branch moved meanwhile is restarted once, not twice.
  restarted boolean NOT NULL DEFAULT false,
  -- One worker publishes at a time: some code hosts create two pull requests from two concurrent calls.
  publish_lease_holder uuid,
  publish_lease_expires_at timestamptz,
  -- Written before the push, so that a retry recognizes its own work.
  branch text,
  commit_id text,
  -- Why the result was refused, for the person who reads the job.
  refusal text,
  PRIMARY KEY (project_id, job_id, number),
  FOREIGN KEY (project_id, job_id) REFERENCES job (project_id, id) ON DELETE CASCADE
);
CREATE INDEX turn_message_by_creation ON turn (project_id, created_at) WHERE number > 1;
-- One turn at a time, enforced by the database.
CREATE UNIQUE INDEX turn_in_progress ON turn (project_id, job_id) WHERE status IN ('running', 'publishing');

-- Comments on pull requests that became messages, each once, or were rejected for good.
CREATE TABLE pull_request_comment (
  project_id text NOT NULL,
  job_id text NOT NULL,
  comment_id bigint NOT NULL,
  -- Null: its author may not push.
  turn_number int,
  author text NOT NULL,
  url text NOT NULL,
  PRIMARY KEY (project_id, job_id, comment_id),
  FOREIGN KEY (project_id, job_id) REFERENCES job ON DELETE CASCADE,
  FOREIGN KEY (project_id, job_id, turn_number) REFERENCES turn (project_id, job_id, number) ON DELETE CASCADE
);

-- The response to a request with an idempotency key, to be replayed byte for byte.
CREATE TABLE idempotency_key (
  project_id text NOT NULL REFERENCES project ON DELETE CASCADE,
  key text NOT NULL CHECK (char_length(key) BETWEEN 1 AND 255),
  fingerprint bytea NOT NULL,
  status int NOT NULL,
  body text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (project_id, key)
);
CREATE INDEX idempotency_key_by_age ON idempotency_key (created_at);

-- A runner has nothing but its token. `project_ids` null: serves all projects.
CREATE TABLE runner (
  id text PRIMARY KEY,
  name text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 100),
  token_hash bytea NOT NULL UNIQUE CHECK (octet_length(token_hash) = 32),
  project_ids text[],
  created_at timestamptz NOT NULL DEFAULT now(),
  last_seen_at timestamptz,
  revoked_at timestamptz
);

-- One runner's execution of a turn. Its token is valid for this attempt alone: a newer attempt invalidates older ones.
CREATE TABLE turn_attempt (
  project_id text NOT NULL,
  turn_id text NOT NULL REFERENCES turn (id) ON DELETE CASCADE,
  number int NOT NULL CHECK (number >= 1),
  -- Temporal's handle, used to complete the activity from another process.
  task_token bytea NOT NULL,
  token_hash bytea UNIQUE CHECK (octet_length(token_hash) = 32),
  runner_id text REFERENCES runner,
  queued_at timestamptz NOT NULL DEFAULT now(),
  claimed_at timestamptz,
  ended_at timestamptz,
  event_count int NOT NULL DEFAULT 0,
  event_bytes bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (turn_id, number),
  CHECK ((claimed_at IS NULL) = (token_hash IS NULL AND runner_id IS NULL))
);
-- For each claim: how many turns of a project are running, and when one was last claimed.
CREATE INDEX turn_attempt_running ON turn_attempt (project_id) WHERE claimed_at IS NOT NULL AND ended_at IS NULL;
CREATE INDEX turn_attempt_claimed ON turn_attempt (project_id, claimed_at DESC) WHERE claimed_at IS NOT NULL;
CREATE INDEX turn_attempt_queued ON turn_attempt (project_id, queued_at) WHERE claimed_at IS NULL AND ended_at IS NULL;

-- What the agent did, live: one row per upload, about one per second.
CREATE TABLE job_event (
  project_id text NOT NULL,
  job_id text NOT NULL,
  turn_number int NOT NULL,
  attempt int NOT NULL,
  -- Index of the row's last event: a client that has read up to some event continues after it.
  last_index int NOT NULL,
  events jsonb NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (project_id, job_id, turn_number, attempt, last_index),
  FOREIGN KEY (project_id, job_id) REFERENCES job (project_id, id) ON DELETE CASCADE
);
CREATE INDEX job_event_by_age ON job_event (created_at);

-- The result of a turn, stored in one transaction. Success is read from the git trees, never from the agent's reply.
CREATE TABLE turn_result (
  turn_id text PRIMARY KEY REFERENCES turn (id) ON DELETE CASCADE,
  project_id text NOT NULL,
  base_commit text NOT NULL CHECK (base_commit ~ '^[0-9a-f]{40}([0-9a-f]{24})?$'),
  -- Size of the git bundle; null: the agent changed nothing.
  bundle_bytes integer,
  session_bytes integer,
  title text,
  summary text,
  reply text,
  checks jsonb NOT NULL DEFAULT '[]',
  created_at timestamptz NOT NULL DEFAULT now()
);

-- Bundles and sessions, one megabyte per row.
CREATE TABLE turn_result_chunk (
  turn_id text NOT NULL REFERENCES turn_result (turn_id) ON DELETE CASCADE,
  part text NOT NULL CHECK (part IN ('bundle', 'session')),
  number integer NOT NULL,
  bytes bytea NOT NULL,
  PRIMARY KEY (turn_id, part, number)
);
-- Not compressed again: both are compressed already.
ALTER TABLE turn_result_chunk ALTER COLUMN bytes SET STORAGE EXTERNAL;
