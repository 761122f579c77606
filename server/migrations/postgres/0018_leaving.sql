-- Who created a key or a runner, as in audit entries: an email address, an API key's ID, or `operator`. Null: not recorded. When a
-- person or a key loses access, what they created is revoked, unless someone takes it over, who then takes the creator's place.
ALTER TABLE api_key ADD COLUMN created_by text;
ALTER TABLE api_key ADD COLUMN taken_over_by text;
ALTER TABLE runner ADD COLUMN created_by text;
ALTER TABLE runner ADD COLUMN taken_over_by text;

-- The audit log knows the creators of everything that already exists, except runners of `colophon-server admin`.
UPDATE api_key SET created_by = audit_entry.actor
FROM audit_entry
WHERE audit_entry.action = 'key.created' AND audit_entry.project_id = api_key.project_id AND audit_entry.subject = api_key.id;
UPDATE runner SET created_by = audit_entry.actor
FROM audit_entry
WHERE audit_entry.action = 'runner.created' AND audit_entry.subject = runner.id;

-- `created_by_key_id`: for keys that a process of the previous version creates.
CREATE INDEX api_key_by_responsible ON api_key (coalesce(taken_over_by, created_by, created_by_key_id));
CREATE INDEX runner_by_responsible ON runner (coalesce(taken_over_by, created_by));
CREATE INDEX invitation_by_inviter ON invitation (invited_by);

-- Null: the token does not expire, like all tokens from before this migration.
ALTER TABLE runner ADD COLUMN expires_at timestamptz;
-- The token before the last rotation, which stays valid until a chosen time.
ALTER TABLE runner ADD COLUMN previous_token_hash bytea UNIQUE CHECK (octet_length(previous_token_hash) = 32);
ALTER TABLE runner ADD COLUMN previous_token_expires_at timestamptz;
-- Who knows it: it becomes invalid when they lose access.
ALTER TABLE runner ADD COLUMN previous_token_responsible text;
ALTER TABLE runner ADD CONSTRAINT runner_previous_token_expires
  CHECK ((previous_token_hash IS NULL) = (previous_token_expires_at IS NULL));

-- While set, the person cannot sign in.
ALTER TABLE person ADD COLUMN disabled_at timestamptz;

-- The audit log stays insert only, with one exception: when a person is deleted, their email address is replaced by their ID.
CREATE FUNCTION reject_audit_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' AND coalesce(current_setting('colophon.anonymized_email', true), '') <> '' THEN
    RETURN NULL;
  END IF;
  RAISE EXCEPTION '% is insert only', TG_TABLE_NAME;
END $$;

CREATE FUNCTION check_audit_anonymization() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  email text := current_setting('colophon.anonymized_email');
  person_id text := current_setting('colophon.anonymized_as');
BEGIN
  IF NEW IS DISTINCT FROM (
    OLD.project_id, OLD.id, OLD.at, CASE WHEN OLD.actor = email THEN person_id ELSE OLD.actor END, OLD.action, OLD.subject,
    replace(OLD.detail::text, to_json(email)::text, to_json(person_id)::text)::jsonb, OLD.request_id
  )::audit_entry THEN
    RAISE EXCEPTION '% is insert only', TG_TABLE_NAME;
  END IF;
  RETURN NEW;
END $$;

DROP TRIGGER audit_entry_is_insert_only ON audit_entry;
CREATE TRIGGER audit_entry_is_insert_only
  BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_entry
  FOR EACH STATEMENT EXECUTE FUNCTION reject_audit_change();
CREATE TRIGGER audit_entry_changes_only_to_anonymize
  BEFORE UPDATE ON audit_entry
  FOR EACH ROW EXECUTE FUNCTION check_audit_anonymization();
