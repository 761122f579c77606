-- Passkeys (WebAuthn), with which people sign in. While a person has one, person.two_factor_enabled is true and person_two_factor
-- has their recovery codes; its `verified` is true only if they also have an authenticator app.
CREATE TABLE person_passkey (
  id text PRIMARY KEY,
  person_id text NOT NULL REFERENCES person ON DELETE CASCADE,
  name text NOT NULL,
  -- In base64url, as browsers send it.
  credential_id text NOT NULL UNIQUE,
  public_key bytea NOT NULL,
  -- How often the authenticator has signed, if it counts. It must grow, or there is a copy of the authenticator.
  counter bigint NOT NULL,
  transports text[] NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  last_used_at timestamptz
);
CREATE INDEX person_passkey_by_person ON person_passkey (person_id);

-- Challenges that a browser was given and that no authenticator has signed yet. Each is deleted when it is used.
CREATE TABLE passkey_challenge (
  challenge_hash bytea PRIMARY KEY CHECK (octet_length(challenge_hash) = 32),
  purpose text NOT NULL CHECK (purpose IN ('add', 'sign_in')),
  -- The person who adds a passkey, or signs in again. Null: the passkey says who signs in.
  person_id text REFERENCES person ON DELETE CASCADE,
  expires_at timestamptz NOT NULL
);
CREATE INDEX passkey_challenge_by_expiry ON passkey_challenge (expires_at);
CREATE INDEX passkey_challenge_by_person ON passkey_challenge (person_id);
