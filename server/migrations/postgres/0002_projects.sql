-- Every row of a tenant is reached through (project_id, id).

-- Models that the operator configured. Jobs refer to a model by its name; the provider may use another one.
CREATE TABLE model (
  name text PRIMARY KEY CHECK (name ~ '^[A-Za-z0-9][A-Za-z0-9._:/-]{0,99}$' AND name <> 'default'),
  format text NOT NULL CHECK (format IN ('anthropic-messages', 'openai-completions', 'openai-responses')),
  base_url text NOT NULL,
  provider_model text NOT NULL,
  context_window_tokens int NOT NULL CHECK (context_window_tokens > 0),
  max_output_tokens int NOT NULL CHECK (max_output_tokens > 0),
  -- US dollars per million tokens; null: unknown.
  input_price numeric CHECK (input_price >= 0),
  output_price numeric CHECK (output_price >= 0),
  cache_read_price numeric CHECK (cache_read_price >= 0),
  cache_write_price numeric CHECK (cache_write_price >= 0),
  -- Null: the provider needs no key. Bound to name and base URL: copied to another row or URL, it cannot be opened.
  sealed_key bytea,
  -- Null: available to all projects.
  project_ids text[],
  is_default boolean NOT NULL DEFAULT false,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX model_default ON model (is_default) WHERE is_default;

CREATE TABLE project (
  id text PRIMARY KEY,
  name text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 100),
  created_at timestamptz NOT NULL DEFAULT now(),
  -- Added to the agent's prompt in every job.
  instructions text CHECK (char_length(instructions) BETWEEN 1 AND 20000),
  -- While set, no turn is claimed, continued or published, and no model call is made.
  paused_at timestamptz,
  resumed_at timestamptz,
  -- For jobs that name no model. Null, or no longer available to the project: the instance's default.
  default_model text REFERENCES model ON DELETE SET NULL,
  -- Jobs are deleted this many days after they ended. Null: kept forever.
  job_retention_days int CHECK (job_retention_days BETWEEN 1 AND 36500)
);

-- What a project may spend. Null: the instance's setting.
CREATE TABLE project_budget (
  project_id text PRIMARY KEY REFERENCES project ON DELETE CASCADE,
  max_tokens_per_job bigint CHECK (max_tokens_per_job >= 0),
  max_tokens_per_month bigint CHECK (max_tokens_per_month >= 0),
  max_usd_per_month numeric CHECK (max_usd_per_month >= 0)
);

CREATE TABLE project_member (
  project_id text NOT NULL REFERENCES project ON DELETE CASCADE,
  id text NOT NULL,
  email text NOT NULL CHECK (email = lower(email) AND char_length(email) <= 254),
  role text NOT NULL CHECK (role IN ('owner', 'editor', 'viewer')),
  -- The person who accepted an invitation to this project; null: nobody yet. The email address alone grants nothing: the
  -- link is given to the inviter, so the account of an address may belong to another project's owner.
  person_id text REFERENCES person ON DELETE SET NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (project_id, id),
  UNIQUE (project_id, email)
);
CREATE INDEX project_member_by_person ON project_member (person_id);

CREATE TABLE invitation (
  project_id text NOT NULL REFERENCES project ON DELETE CASCADE,
  id text NOT NULL,
  token_hash bytea NOT NULL UNIQUE CHECK (octet_length(token_hash) = 32),
  email text NOT NULL CHECK (email = lower(email) AND char_length(email) <= 254),
  role text NOT NULL CHECK (role IN ('owner', 'editor', 'viewer')),
  -- As in audit entries: an email address, an API key's ID, or `operator`. When the inviter loses the right to invite,
  -- their open invitations are deleted.
  invited_by text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL,
  PRIMARY KEY (project_id, id)
);
CREATE INDEX invitation_by_email ON invitation (email);
CREATE INDEX invitation_by_expiry ON invitation (expires_at);

-- Emails sent in the last hour, for the rate limit: revoking an invitation must not allow another email.
CREATE TABLE invitation_email (
  project_id text NOT NULL REFERENCES project ON DELETE CASCADE,
  email text NOT NULL,
  at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX invitation_email_by_project ON invitation_email (project_id, at);

-- A key is found by the hash of its secret; the secret itself is not stored.
CREATE TABLE api_key (
  project_id text NOT NULL REFERENCES project ON DELETE CASCADE,
  id text NOT NULL,
  name text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 100),
  secret_hash bytea NOT NULL UNIQUE CHECK (octet_length(secret_hash) = 32),
  prefix text NOT NULL,
  scopes text[] NOT NULL CHECK (cardinality(scopes) > 0),
  allowed_networks cidr[] NOT NULL DEFAULT '{}',
  -- The key that created this one. Revoking it revokes this one too, so that a leaked key leaves no back door.
  created_by_key_id text,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz,
  last_used_at timestamptz,
  revoked_at timestamptz,
  PRIMARY KEY (project_id, id),
  FOREIGN KEY (project_id, created_by_key_id) REFERENCES api_key (project_id, id)
);
CREATE INDEX api_key_by_creator ON api_key (project_id, created_by_key_id) WHERE created_by_key_id IS NOT NULL;

-- Sealed, so that `api` can write a credential and only `worker` can read it.
CREATE TABLE credential (
  project_id text NOT NULL REFERENCES project ON DELETE CASCADE,
  id text NOT NULL,
  kind text NOT NULL,
  sealed bytea NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (project_id, id)
);

-- Who did what. Outlives its project, so it has no foreign key.
CREATE TABLE audit_entry (
  project_id text NOT NULL,
  id text NOT NULL,
  at timestamptz NOT NULL DEFAULT now(),
  actor text NOT NULL,
  action text NOT NULL,
  subject text NOT NULL,
  detail jsonb NOT NULL DEFAULT '{}',
  request_id text,
  PRIMARY KEY (project_id, id)
);

CREATE FUNCTION reject_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% is insert only', TG_TABLE_NAME;
END $$;

CREATE TRIGGER audit_entry_is_insert_only
  BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_entry
  FOR EACH STATEMENT EXECUTE FUNCTION reject_change();

-- One App for each GitHub in use: github.com, or a GitHub Enterprise Server. The webhook secret is not sealed, because
-- `api` verifies signatures with it.
CREATE TABLE github_app (
  base_url text PRIMARY KEY,
  app_id bigint NOT NULL,
  slug text NOT NULL,
  name text NOT NULL,
  -- The App's page on GitHub, where it is installed.
  url text NOT NULL,
  client_id text NOT NULL,
  sealed_client_secret bytea NOT NULL,
  sealed_private_key bytea NOT NULL,
  -- Null: the App has no webhook, because this GitHub cannot reach us.
  webhook_secret text,
  created_at timestamptz NOT NULL DEFAULT now()
);

-- A person on the OAuth round trip to GitHub: to create the App (no project), or to choose a repository for a project. The
-- state parameter is stored as a hash and works once.
CREATE TABLE github_authorization (
  id text PRIMARY KEY,
  person_id text NOT NULL REFERENCES person ON DELETE CASCADE,
  project_id text REFERENCES project ON DELETE CASCADE,
  base_url text NOT NULL,
  state_hash bytea UNIQUE,
  -- The OAuth code: `worker` exchanges it for a user token, lists the repositories, and forgets both.
  sealed_code bytea,
  -- The repositories that the user token could write to. No other repository can be connected.
  repositories jsonb,
  expires_at timestamptz NOT NULL
);
CREATE INDEX github_authorization_by_expiry ON github_authorization (expires_at);

-- Where a project's jobs work and its pull requests are opened.
CREATE TABLE repository (
  project_id text PRIMARY KEY REFERENCES project ON DELETE CASCADE,
  host text NOT NULL CHECK (host IN ('gitea', 'github')),
  base_url text NOT NULL,
  owner text NOT NULL,
  name text NOT NULL,
  base_branch text NOT NULL,
  -- Without leading or trailing slashes; empty: the whole repository.
  docs_folder text NOT NULL DEFAULT '',
  token_credential_id text,
  installation_id bigint,
  -- The host's own number, which stays when the repository is renamed. Null: not read yet.
  host_repository_id bigint,
  -- Not sealed: `api` verifies signatures with it. An attacker who learns it can only trigger an early poll.
  webhook_secret text NOT NULL,
  publishing jsonb NOT NULL DEFAULT '{}',
  -- What the last poll found; null: no issue.
  issue text CHECK (issue IN ('archived', 'not_found', 'access_revoked')),
  poll_at timestamptz NOT NULL DEFAULT now(),
  created_at timestamptz NOT NULL DEFAULT now(),
  FOREIGN KEY (project_id, token_credential_id) REFERENCES credential (project_id, id),
  CONSTRAINT repository_has_one_kind_of_access CHECK (num_nonnulls(token_credential_id, installation_id) = 1),
  -- A GitHub App gets access to repositories by their numbers.
  CONSTRAINT repository_of_app_has_number
    CHECK (installation_id IS NULL OR (host = 'github' AND host_repository_id IS NOT NULL))
);
CREATE INDEX repository_by_host_number ON repository (base_url, host_repository_id);
CREATE INDEX repository_by_installation ON repository (base_url, installation_id) WHERE installation_id IS NOT NULL;
CREATE INDEX repository_poll_due ON repository (poll_at);

-- Webhook deliveries that were accepted, by the digest of their bodies: headers are not signed, bodies are.
CREATE TABLE webhook_delivery (
  sender text NOT NULL,
  digest bytea NOT NULL,
  received_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (sender, digest)
);
CREATE INDEX webhook_delivery_by_time ON webhook_delivery (received_at);
