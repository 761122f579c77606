-- Of the client, for people and keys. Null: not an API request, or written by the previous version.
ALTER TABLE audit_entry ADD COLUMN ip_address text;
-- For the retention.
CREATE INDEX audit_entry_by_age ON audit_entry (at);

-- Insert only, with two exceptions: a person who is deleted becomes anonymous, and entries past the retention are deleted.
CREATE OR REPLACE FUNCTION reject_audit_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' AND coalesce(current_setting('colophon.anonymized_email', true), '') <> ''
    OR TG_OP = 'DELETE' AND coalesce(current_setting('colophon.audit_retention', true), '') = 'on' THEN
    RETURN NULL;
  END IF;
  RAISE EXCEPTION '% is insert only', TG_TABLE_NAME;
END $$;

CREATE OR REPLACE FUNCTION check_audit_anonymization() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  email text := current_setting('colophon.anonymized_email');
  person_id text := current_setting('colophon.anonymized_as');
  expected audit_entry := OLD;
BEGIN
  IF OLD.actor = email THEN
    expected.actor := person_id;
    expected.ip_address := NULL;
  END IF;
  expected.detail := replace(OLD.detail::text, to_json(email)::text, to_json(person_id)::text)::jsonb;
  IF NEW IS DISTINCT FROM expected THEN
    RAISE EXCEPTION '% is insert only', TG_TABLE_NAME;
  END IF;
  RETURN NEW;
END $$;

CREATE FUNCTION check_audit_expiry() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.at > now() - interval '90 days' THEN
    RAISE EXCEPTION 'entries of % are kept for at least 90 days', TG_TABLE_NAME;
  END IF;
  RETURN OLD;
END $$;

CREATE TRIGGER audit_entry_is_kept
  BEFORE DELETE ON audit_entry
  FOR EACH ROW EXECUTE FUNCTION check_audit_expiry();

-- Entries that still have to be sent to the webhook. A queue, and not a position in the log: entries do not become visible in the order
-- of their IDs.
CREATE TABLE audit_export (
  id text PRIMARY KEY,
  project_id text NOT NULL,
  leased_until timestamptz NOT NULL DEFAULT '-infinity'
);

-- Has a row while a webhook is configured.
CREATE TABLE audit_export_target (
  is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
  url text NOT NULL
);

CREATE FUNCTION queue_audit_export() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM audit_export_target) THEN
    INSERT INTO audit_export (id, project_id) VALUES (NEW.id, NEW.project_id);
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER audit_entry_is_exported
  AFTER INSERT ON audit_entry
  FOR EACH ROW EXECUTE FUNCTION queue_audit_export();
