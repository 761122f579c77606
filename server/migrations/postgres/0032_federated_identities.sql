-- Workload identity federation: a project trusts the ID tokens of CI runs, and exchanges each for a short-lived API key.

CREATE TABLE federated_identity (
  project_id text NOT NULL REFERENCES project ON DELETE CASCADE,
  id text PRIMARY KEY,
  name text NOT NULL,
  provider text NOT NULL CHECK (provider IN ('github', 'gitlab', 'other')),
  issuer text NOT NULL,
  -- By name, the exact text that each claim of a token must have.
  claims jsonb NOT NULL CHECK (jsonb_typeof(claims) = 'object'),
  -- IDs of the repository and its owner, of the first token that was exchanged. Null before.
  pinned_claims jsonb CHECK (jsonb_typeof(pinned_claims) = 'object'),
  -- Of the keys that are given out.
  scopes text[] NOT NULL,
  -- As in the audit log.
  created_by text NOT NULL,
  taken_over_by text,
  created_at timestamptz NOT NULL DEFAULT now(),
  last_used_at timestamptz
);
CREATE INDEX federated_identity_of_project ON federated_identity (project_id);
CREATE INDEX federated_identity_by_responsible ON federated_identity (coalesce(taken_over_by, created_by));

-- Tokens that were exchanged for a key, until they expire: each can be exchanged once.
CREATE TABLE exchanged_id_token (
  -- SHA-256 of the signed text.
  token_hash bytea PRIMARY KEY,
  project_id text NOT NULL REFERENCES project ON DELETE CASCADE,
  expires_at timestamptz NOT NULL
);
CREATE INDEX exchanged_id_token_by_expiry ON exchanged_id_token (expires_at);
CREATE INDEX exchanged_id_token_of_project ON exchanged_id_token (project_id);

-- Keys of federated identities are deleted a day after they expire.
CREATE INDEX api_key_of_federated_identity ON api_key (created_by, expires_at) WHERE created_by LIKE 'fid\_%';
