-- Failed sign-ins and the use of sessions.

-- Failed sign-ins, counted for all replicas together. The key is a hash of what is counted: an account from one network, an account
-- from all networks that it has not been used from, or all accounts from one network.
CREATE TABLE sign_in_counter (
  key bytea PRIMARY KEY CHECK (octet_length(key) = 32),
  failures integer NOT NULL CHECK (failures >= 0),
  last_failed_at timestamptz NOT NULL,
  next_attempt_at timestamptz NOT NULL
);
CREATE INDEX sign_in_counter_by_time ON sign_in_counter (last_failed_at);

-- Networks from which a person has signed in. Failed sign-ins from other networks do not delay sign-ins from these.
CREATE TABLE person_network (
  person_id text NOT NULL REFERENCES person ON DELETE CASCADE,
  network text NOT NULL,
  last_signed_in_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (person_id, network)
);
CREATE INDEX person_network_by_time ON person_network (last_signed_in_at);

-- Failed sign-ins that the person has not dismissed yet.
CREATE TABLE failed_sign_in (
  person_id text PRIMARY KEY REFERENCES person ON DELETE CASCADE,
  failures integer NOT NULL,
  first_failed_at timestamptz NOT NULL DEFAULT now(),
  last_failed_at timestamptz NOT NULL DEFAULT now(),
  emailed_at timestamptz
);

-- A process of the previous version does not update it: a session that it serves can end by idleness during the upgrade.
ALTER TABLE person_session ADD COLUMN last_used_at timestamptz NOT NULL DEFAULT now();
