-- Second factors of people, projects that require one, and what the OpenID provider decides.

ALTER TABLE person ADD COLUMN two_factor_enabled boolean NOT NULL DEFAULT false;

-- Belongs to better-auth. The secret and the recovery codes are encrypted with COLOPHON_SESSION_SECRET.
CREATE TABLE person_two_factor (
  id text PRIMARY KEY,
  person_id text NOT NULL UNIQUE REFERENCES person ON DELETE CASCADE,
  secret text NOT NULL,
  backup_codes text NOT NULL,
  -- False while the person has not entered a code yet.
  verified boolean NOT NULL DEFAULT false,
  failed_verification_count integer NOT NULL DEFAULT 0,
  locked_until timestamptz
);

-- A code is valid for up to 90 seconds, and must work only once.
CREATE TABLE used_totp_code (
  person_id text NOT NULL REFERENCES person ON DELETE CASCADE,
  code text NOT NULL,
  used_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (person_id, code)
);
CREATE INDEX used_totp_code_by_time ON used_totp_code (used_at);

-- How the person signed in: 'password', or 'provider' for OpenID Connect. Null: by a process of the previous version.
ALTER TABLE person_session ADD COLUMN sign_in_method text;

ALTER TABLE project ADD COLUMN requires_second_factor boolean NOT NULL DEFAULT false;

-- For 'provider': when the person last entered their credentials there (the claim auth_time). Null otherwise.
ALTER TABLE person_session ADD COLUMN authenticated_at timestamptz;

-- Whether groups of the OpenID provider gave the role. They also take such a role away.
ALTER TABLE project_member ADD COLUMN from_groups boolean NOT NULL DEFAULT false;
ALTER TABLE person ADD COLUMN operator_from_groups boolean NOT NULL DEFAULT false;

-- When the person showed that the email address is theirs: with a link that was only emailed, or through the OpenID provider. Null:
-- never, and then anyone who has such a link for the address can take over the account. `email_verified`, which better-auth
-- needs, is true for all accounts.
ALTER TABLE person ADD COLUMN email_proven_at timestamptz;

-- Whether the link was sent by email and to nobody else.
ALTER TABLE invitation ADD COLUMN proves_email boolean NOT NULL DEFAULT false;
