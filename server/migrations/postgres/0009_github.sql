-- GitHub: its Apps, people on their way there and back, repositories by number, and what hosts say about pull requests.

-- One for each GitHub that is used: github.com, or a company's own. `api` checks signatures with the webhook's secret, so
-- that one is not sealed.
CREATE TABLE github_app (
  base_url text PRIMARY KEY,
  app_id bigint NOT NULL,
  slug text NOT NULL,
  name text NOT NULL,
  -- Of its page, on which it is installed.
  url text NOT NULL,
  client_id text NOT NULL,
  sealed_client_secret bytea NOT NULL,
  sealed_private_key bytea NOT NULL,
  -- Null: it has no webhook, because this GitHub cannot reach us.
  webhook_secret text,
  created_at timestamptz NOT NULL DEFAULT now()
);

-- Somebody who was sent to GitHub: to make the App (no project), or to choose a repository for a project. The state that
-- comes back with them is known by its hash, and is good once.
CREATE TABLE github_visit (
  id text PRIMARY KEY,
  person_id text NOT NULL REFERENCES person ON DELETE CASCADE,
  project_id text REFERENCES project ON DELETE CASCADE,
  base_url text NOT NULL,
  state_hash bytea UNIQUE,
  -- What GitHub gave them to bring: `worker` exchanges it for their token, looks, and forgets both.
  sealed_code bytea,
  -- The repositories that their own token showed, with write access. Nothing else can be bound.
  found jsonb,
  expires_at timestamptz NOT NULL
);
CREATE INDEX github_visit_expires ON github_visit (expires_at);

ALTER TABLE repository
  DROP CONSTRAINT repository_host_check,
  ADD CONSTRAINT repository_host_check CHECK (host IN ('gitea', 'github')),
  ALTER COLUMN token_credential_id DROP NOT NULL,
  ADD COLUMN installation_id bigint,
  -- The host's own number: it stays when the name changes. Null: connected before it was kept.
  ADD COLUMN host_repository_id bigint,
  -- What the last look found: archived, gone, shut_out; null: nothing is wrong.
  ADD COLUMN trouble text CHECK (trouble IN ('archived', 'gone', 'shut_out')),
  ADD COLUMN look_due_at timestamptz NOT NULL DEFAULT now(),
  ADD CONSTRAINT repository_has_one_way_in CHECK (num_nonnulls(token_credential_id, installation_id) = 1),
  -- An App is let into repositories by their numbers.
  ADD CONSTRAINT repository_of_app_has_number
    CHECK (installation_id IS NULL OR (host = 'github' AND host_repository_id IS NOT NULL));
CREATE INDEX repository_by_number ON repository (base_url, host_repository_id);
CREATE INDEX repository_by_installation ON repository (base_url, installation_id) WHERE installation_id IS NOT NULL;
CREATE INDEX repository_look_due ON repository (look_due_at);
-- Tokens of earlier connections, which nothing uses.
DELETE FROM credential WHERE kind = 'code-host-token' AND NOT EXISTS (
  SELECT FROM repository
  WHERE repository.project_id = credential.project_id AND repository.token_credential_id = credential.id
);

-- Deliveries of webhooks that were taken, by the digest of their bodies: headers are not signed, bodies are.
CREATE TABLE hook_delivery (
  sender text NOT NULL,
  digest bytea NOT NULL,
  received_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (sender, digest)
);
CREATE INDEX hook_delivery_received ON hook_delivery (received_at);

-- What the host says about a job's pull request.
ALTER TABLE job
  ADD COLUMN pull_request_conflicts boolean,
  -- Of which commit, and since when they are watched.
  ADD COLUMN pull_request_checks jsonb,
  -- By the checks' ids. Apart from them, because lists of jobs have no use for it.
  ADD COLUMN pull_request_check_logs jsonb,
  ADD COLUMN pull_request_preview_url text,
  -- Comments since then have not been read; null: none has. What was said before anybody listened was not said to us.
  ADD COLUMN pull_request_comments_since timestamptz DEFAULT now(),
  -- When all looks so far will have been rested from: many of them in a short time make hints wait.
  ADD COLUMN pull_request_rested_at timestamptz;
ALTER TABLE job ALTER COLUMN pull_request_comments_since DROP DEFAULT;

-- The failed check that a message is about, as it was when the message was sent.
ALTER TABLE turn ADD COLUMN failed_check jsonb;

-- Comments that became messages, each once, or were refused for good.
CREATE TABLE pull_request_comment (
  project_id text NOT NULL,
  job_id text NOT NULL,
  comment_id bigint NOT NULL,
  -- Null: its author may not write.
  turn_number int,
  author text NOT NULL,
  url text NOT NULL,
  PRIMARY KEY (project_id, job_id, comment_id),
  FOREIGN KEY (project_id, job_id) REFERENCES job ON DELETE CASCADE,
  FOREIGN KEY (project_id, job_id, turn_number) REFERENCES turn (project_id, job_id, number) ON DELETE CASCADE
);

-- Webhooks name pull requests by number, and what is built by branch.
CREATE INDEX job_pull_request_number ON job (project_id, pull_request_number) WHERE pull_request_number IS NOT NULL;
CREATE INDEX job_open_branch ON job (project_id, pull_request_branch) WHERE pull_request_state = 'open';
