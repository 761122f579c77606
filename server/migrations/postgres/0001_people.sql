-- People who sign in to the dashboard. The first four tables belong to better-auth, under our own names.

CREATE TABLE person (
  id text PRIMARY KEY,
  name text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 100),
  email text NOT NULL UNIQUE CHECK (email = lower(email) AND char_length(email) <= 254),
  -- Every account starts from a link sent to the email address, or from a provider that vouches for it.
  email_verified boolean NOT NULL DEFAULT true,
  image text,
  -- Administers the instance: creates projects, adds models.
  is_operator boolean NOT NULL DEFAULT false,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE person_session (
  id text PRIMARY KEY,
  person_id text NOT NULL REFERENCES person ON DELETE CASCADE,
  -- The cookie carries it with a signature, so reading this table is not enough to forge a cookie.
  token text NOT NULL UNIQUE,
  expires_at timestamptz NOT NULL,
  ip_address text,
  user_agent text,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX person_session_by_person ON person_session (person_id);
CREATE INDEX person_session_by_expiry ON person_session (expires_at);

-- A way to sign in: a password (`credential`) or an account at an OpenID provider.
CREATE TABLE person_account (
  id text PRIMARY KEY,
  person_id text NOT NULL REFERENCES person ON DELETE CASCADE,
  provider_id text NOT NULL,
  account_id text NOT NULL,
  access_token text,
  refresh_token text,
  id_token text,
  access_token_expires_at timestamptz,
  refresh_token_expires_at timestamptz,
  scope text,
  password text,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (provider_id, account_id)
);
CREATE INDEX person_account_by_person ON person_account (person_id);

CREATE TABLE person_verification (
  id text PRIMARY KEY,
  identifier text NOT NULL,
  value text NOT NULL,
  expires_at timestamptz NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX person_verification_by_identifier ON person_verification (identifier);
CREATE INDEX person_verification_by_expiry ON person_verification (expires_at);

-- Links that work once: for the first owner, and to reset a password. Only hashes are stored.
CREATE TABLE one_time_link (
  token_hash bytea PRIMARY KEY CHECK (octet_length(token_hash) = 32),
  -- Null: for the first owner, valid until the instance has an operator.
  person_id text REFERENCES person ON DELETE CASCADE,
  expires_at timestamptz NOT NULL
);
