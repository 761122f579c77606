ALTER TABLE project
  -- For the agent, in every job of the project.
  ADD COLUMN instructions text CHECK (char_length(instructions) BETWEEN 1 AND 20000),
  -- While it is set no turn is given out, none goes on, and no model answers.
  ADD COLUMN paused_at timestamptz,
  ADD COLUMN resumed_at timestamptz;

-- Where a project's jobs work and its pull requests appear.
CREATE TABLE repository (
  project_id text PRIMARY KEY REFERENCES project ON DELETE CASCADE,
  host text NOT NULL CHECK (host IN ('gitea')),
  base_url text NOT NULL,
  owner text NOT NULL,
  name text NOT NULL,
  base_branch text NOT NULL,
  -- Without slashes at its ends; empty: the whole repository.
  docs_folder text NOT NULL DEFAULT '',
  token_credential_id text NOT NULL,
  -- Not sealed: `api` has to check signatures with it. Whoever learns it can only hint that there is something to look at.
  webhook_secret text NOT NULL,
  publishing jsonb NOT NULL DEFAULT '{}',
  created_at timestamptz NOT NULL DEFAULT now(),
  FOREIGN KEY (project_id, token_credential_id) REFERENCES credential (project_id, id)
);

CREATE TABLE job (
  project_id text NOT NULL REFERENCES project ON DELETE CASCADE,
  id text NOT NULL UNIQUE, -- a workflow knows a job by its id alone
  status text NOT NULL CHECK (status IN ('active', 'completed', 'archived', 'failed')),
  pending_stop text CHECK (pending_stop IN ('cancel', 'archive')),
  title text,
  repository text NOT NULL,
  ref text NOT NULL,
  model text NOT NULL,
  publish text NOT NULL CHECK (publish IN ('pull_request', 'diff')),
  draft boolean NOT NULL DEFAULT false,
  diff text, -- of the last turn that changed something
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
  -- When to ask the code host for its state again; a webhook makes it now.
  pull_request_due_at timestamptz,
  -- Title and body as we last wrote them: what people changed since is theirs.
  pull_request_written jsonb,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  archived_at timestamptz,
  -- When something last moved; a job that stands still is woken.
  progressed_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (project_id, id),
  CHECK ((status = 'archived') = (archived_at IS NOT NULL)),
  CHECK (status <> 'active' OR outcome IS NULL),
  CHECK (pending_stop IS NULL OR status = 'active')
);
-- The hourly limit counts these very rows.
CREATE INDEX job_by_hour ON job (project_id, created_at);
CREATE INDEX job_pull_request_due ON job (pull_request_due_at) WHERE pull_request_due_at IS NOT NULL;
CREATE INDEX job_standing_still ON job (progressed_at) WHERE status = 'active';
CREATE INDEX job_idle ON job (updated_at) WHERE status IN ('completed', 'failed');
-- Where a create with a topic looks for the open job. Not unique: a message to an older job, whose pull request was merged,
-- opens it again beside the one that has the topic now.
CREATE INDEX job_open_topic ON job (project_id, topic)
  WHERE topic IS NOT NULL AND status <> 'archived' AND (pull_request_state IS NULL OR pull_request_state = 'open');

CREATE TABLE turn (
  project_id text NOT NULL,
  job_id text NOT NULL,
  id text NOT NULL UNIQUE,
  number int NOT NULL CHECK (number >= 1),
  prompt text NOT NULL,
  status text NOT NULL CHECK (status IN ('queued', 'running', 'publishing', 'done', 'failed', 'dropped')),
  outcome text CHECK (outcome IN ('pull_request', 'diff', 'no_changes', 'cancelled', 'error')),
  error_code text,
  error_message text,
  reply text,
  created_at timestamptz NOT NULL DEFAULT now(),
  started_at timestamptz,
  ended_at timestamptz,
  PRIMARY KEY (project_id, job_id, number),
  FOREIGN KEY (project_id, job_id) REFERENCES job (project_id, id) ON DELETE CASCADE
);
CREATE INDEX turn_message_by_hour ON turn (project_id, created_at) WHERE number > 1;
-- One turn at a time, whatever happens above.
CREATE UNIQUE INDEX turn_in_hand ON turn (project_id, job_id) WHERE status IN ('running', 'publishing');

-- What was answered under a client's key, to be answered again byte for byte.
CREATE TABLE idempotency_key (
  project_id text NOT NULL REFERENCES project ON DELETE CASCADE,
  key text NOT NULL CHECK (char_length(key) BETWEEN 1 AND 255),
  fingerprint bytea NOT NULL,
  status int NOT NULL,
  body text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (project_id, key)
);
CREATE INDEX idempotency_key_age ON idempotency_key (created_at);

-- Whoever runs turns. It holds nothing but its token; `project_ids` null: of all projects.
CREATE TABLE runner (
  id text PRIMARY KEY,
  name text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 100),
  token_hash bytea NOT NULL UNIQUE CHECK (octet_length(token_hash) = 32),
  project_ids text[],
  created_at timestamptz NOT NULL DEFAULT now(),
  last_seen_at timestamptz,
  revoked_at timestamptz
);

ALTER TABLE turn
  ADD COLUMN deadline_at timestamptz,
  ADD COLUMN engine_failures int NOT NULL DEFAULT 0,
  -- The branch that the work began on.
  ADD COLUMN start_branch text,
  -- A branch that moved under a turn's feet is worth one more try, not two.
  ADD COLUMN performed_again boolean NOT NULL DEFAULT false,
  -- One worker publishes at a time: hosts make two pull requests of two calls that come together.
  ADD COLUMN publishing_by uuid,
  ADD COLUMN publishing_until timestamptz,
  -- Written before each is pushed, so that a second try at publishing knows its own work again.
  ADD COLUMN branch text,
  ADD COLUMN commit_id text,
  -- Why its result was refused, for the person who reads the job.
  ADD COLUMN refusal text;

-- One try at a turn by one runner. Its token is good for this try alone: a newer one shuts the older ones out.
CREATE TABLE turn_attempt (
  project_id text NOT NULL,
  turn_id text NOT NULL REFERENCES turn (id) ON DELETE CASCADE,
  number int NOT NULL CHECK (number >= 1),
  -- Temporal's own handle, with which the try is reported as done from another process.
  task_token bytea NOT NULL,
  token_hash bytea UNIQUE CHECK (octet_length(token_hash) = 32),
  runner_id text REFERENCES runner,
  offered_at timestamptz NOT NULL DEFAULT now(),
  claimed_at timestamptz,
  ended_at timestamptz,
  event_count int NOT NULL DEFAULT 0,
  event_bytes bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (turn_id, number),
  CHECK ((claimed_at IS NULL) = (token_hash IS NULL AND runner_id IS NULL))
);
-- For each claim: how many turns of a project run, and when one was last given away.
CREATE INDEX turn_attempt_running ON turn_attempt (project_id) WHERE claimed_at IS NOT NULL AND ended_at IS NULL;
CREATE INDEX turn_attempt_served ON turn_attempt (project_id, claimed_at DESC) WHERE claimed_at IS NOT NULL;
CREATE INDEX turn_attempt_offered ON turn_attempt (project_id, offered_at) WHERE claimed_at IS NULL AND ended_at IS NULL;

-- What the agent did, as it did it: one row per upload, which is about one a second.
CREATE TABLE job_event (
  project_id text NOT NULL,
  job_id text NOT NULL,
  turn_number int NOT NULL,
  attempt int NOT NULL,
  -- Of the row's last event: whoever has read up to some event goes on behind it.
  last_index int NOT NULL,
  events jsonb NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (project_id, job_id, turn_number, attempt, last_index),
  FOREIGN KEY (project_id, job_id) REFERENCES job (project_id, id) ON DELETE CASCADE
);
CREATE INDEX job_event_age ON job_event (created_at);

-- What came of a turn, stored in one transaction. Success is what the trees say, never what the agent says.
CREATE TABLE turn_result (
  turn_id text PRIMARY KEY REFERENCES turn (id) ON DELETE CASCADE,
  project_id text NOT NULL,
  base_commit text NOT NULL CHECK (base_commit ~ '^[0-9a-f]{40}([0-9a-f]{24})?$'),
  -- Of the git bundle; null: the agent changed nothing.
  bundle_bytes integer,
  session_bytes integer,
  title text,
  summary text,
  reply text,
  checks jsonb NOT NULL DEFAULT '[]',
  created_at timestamptz NOT NULL DEFAULT now()
);

-- Bundles and sessions, a megabyte a row.
CREATE TABLE turn_result_piece (
  turn_id text NOT NULL REFERENCES turn_result (turn_id) ON DELETE CASCADE,
  part text NOT NULL CHECK (part IN ('bundle', 'session')),
  number integer NOT NULL,
  bytes bytea NOT NULL,
  PRIMARY KEY (turn_id, part, number)
);
-- As they are: both are compressed already.
ALTER TABLE turn_result_piece ALTER COLUMN bytes SET STORAGE EXTERNAL;
