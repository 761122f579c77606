-- Every tenant's row is reached through (project_id, id).

CREATE TABLE project (
  id text PRIMARY KEY,
  name text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 100),
  created_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE project_member (
  project_id text NOT NULL REFERENCES project ON DELETE CASCADE,
  id text NOT NULL,
  email text NOT NULL CHECK (email = lower(email) AND char_length(email) <= 254),
  role text NOT NULL CHECK (role IN ('owner', 'editor', 'viewer')),
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (project_id, id),
  UNIQUE (project_id, email)
);

-- A key is found by the hash of its secret; the secret itself is nowhere.
CREATE TABLE api_key (
  project_id text NOT NULL REFERENCES project ON DELETE CASCADE,
  id text NOT NULL,
  name text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 100),
  secret_hash bytea NOT NULL UNIQUE CHECK (octet_length(secret_hash) = 32),
  hint text NOT NULL,
  scopes text[] NOT NULL CHECK (cardinality(scopes) > 0),
  allowed_networks cidr[] NOT NULL DEFAULT '{}',
  -- The key that made this one: revoking it revokes what it made, so that a leaked key leaves no back door.
  made_by_key_id text,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz,
  last_used_at timestamptz,
  revoked_at timestamptz,
  PRIMARY KEY (project_id, id),
  FOREIGN KEY (project_id, made_by_key_id) REFERENCES api_key (project_id, id)
);
CREATE INDEX api_key_made_by ON api_key (project_id, made_by_key_id) WHERE made_by_key_id IS NOT NULL;

-- Sealed so that `api` can write one and only `worker` can read it.
CREATE TABLE credential (
  project_id text NOT NULL REFERENCES project ON DELETE CASCADE,
  id text NOT NULL,
  kind text NOT NULL,
  sealed bytea NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (project_id, id)
);

-- Who did what. Outlives the project it speaks of, so it refers to nothing.
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

CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% is insert only', TG_TABLE_NAME;
END $$;

CREATE TRIGGER audit_entry_is_insert_only
  BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_entry
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
