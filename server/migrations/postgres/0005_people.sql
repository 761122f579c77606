-- People who sign in to the dashboard. The first four tables are better-auth's, by our names.

CREATE TABLE person (
  id text PRIMARY KEY,
  name text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 100),
  email text NOT NULL UNIQUE CHECK (email = lower(email) AND char_length(email) <= 254),
  -- Nobody gets in without having had a link that was sent to the address, or a provider that vouches for it.
  email_verified boolean NOT NULL DEFAULT true,
  image text,
  -- Runs the installation: makes projects, adds models.
  is_operator boolean NOT NULL DEFAULT false,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE person_session (
  id text PRIMARY KEY,
  person_id text NOT NULL REFERENCES person ON DELETE CASCADE,
  -- The cookie carries it with a signature: whoever reads this table alone cannot make a cookie of it.
  token text NOT NULL UNIQUE,
  expires_at timestamptz NOT NULL,
  ip_address text,
  user_agent text,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX person_session_of ON person_session (person_id);
CREATE INDEX person_session_end ON person_session (expires_at);

-- One way to sign in: a password (`credential`), or a provider's account.
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
CREATE INDEX person_account_of ON person_account (person_id);

CREATE TABLE person_verification (
  id text PRIMARY KEY,
  identifier text NOT NULL,
  value text NOT NULL,
  expires_at timestamptz NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX person_verification_identifier ON person_verification (identifier);
CREATE INDEX person_verification_end ON person_verification (expires_at);

-- Links that let one person in, once: the first owner's, and for somebody who lost the password. Only hashes are here.
CREATE TABLE way_in (
  token_hash bytea PRIMARY KEY CHECK (octet_length(token_hash) = 32),
  -- Null: for the first owner, as long as nobody runs the installation.
  person_id text REFERENCES person ON DELETE CASCADE,
  expires_at timestamptz NOT NULL
);

CREATE TABLE invitation (
  project_id text NOT NULL REFERENCES project ON DELETE CASCADE,
  id text NOT NULL,
  token_hash bytea NOT NULL UNIQUE CHECK (octet_length(token_hash) = 32),
  email text NOT NULL CHECK (email = lower(email) AND char_length(email) <= 254),
  role text NOT NULL CHECK (role IN ('owner', 'editor', 'viewer')),
  -- As the audit names them: an email address, a key's id, or `operator`. Whoever loses the right loses these too.
  invited_by text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL,
  PRIMARY KEY (project_id, id)
);
CREATE INDEX invitation_of ON invitation (email);
CREATE INDEX invitation_end ON invitation (expires_at);

-- Mails that went out, for an hour: an invitation that was taken back must not make room for another mail.
CREATE TABLE invitation_mail (
  project_id text NOT NULL REFERENCES project ON DELETE CASCADE,
  email text NOT NULL,
  at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX invitation_mail_of ON invitation_mail (project_id, at);

-- Who accepted an invitation of this very project; null: nobody yet. The address alone lets nobody in: a link is given to
-- whoever invites, and so the account of an address can be in the hands of another project's owner.
ALTER TABLE project_member ADD COLUMN person_id text REFERENCES person ON DELETE SET NULL;
CREATE INDEX project_member_person ON project_member (person_id);
