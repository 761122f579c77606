-- Deleting a project: it is unusable at once, and `worker` deletes its data afterwards.

-- Set: nothing of the project can be used. Its row stays until everything else is deleted. Such a project is also paused, so that
-- processes of the previous version run none of its turns.
ALTER TABLE project ADD COLUMN deleted_at timestamptz;

-- The progress of each deletion. Kept after the end, without the person, for as long as the project's audit entries.
CREATE TABLE project_deletion (
  project_id text PRIMARY KEY,
  requested_at timestamptz NOT NULL DEFAULT now(),
  -- As in audit entries. Null: the deletion is complete.
  requested_by text,
  -- The webhook on the code host.
  webhook text NOT NULL DEFAULT 'pending' CHECK (webhook IN ('pending', 'removed', 'left')),
  -- Transactions below this ID may still store views of the project. Null: not read yet.
  writers_below xid8,
  writers_read_at timestamptz,
  -- Later batches of views contain none of the project. Null: not known yet.
  last_view_batch_id bigint,
  views_deleted_at timestamptz,
  leased_until timestamptz NOT NULL DEFAULT '-infinity',
  completed_at timestamptz
);
CREATE INDEX project_deletion_due ON project_deletion (leased_until) WHERE completed_at IS NULL;

-- What deleted projects spent, all of them together: without it, the spend of the instance would shrink when a project is deleted.
CREATE TABLE deleted_project_spend (
  day date NOT NULL,
  model text NOT NULL,
  calls bigint NOT NULL,
  tokens bigint NOT NULL,
  cost_usd numeric NOT NULL,
  unpriced_tokens bigint NOT NULL,
  PRIMARY KEY (day, model)
);

-- Deleting a runner would read all attempts otherwise.
CREATE INDEX turn_attempt_by_runner ON turn_attempt (runner_id);

-- Insert only, with three exceptions: a person who is deleted becomes anonymous, failed sign-ins become anonymous after 90 days, and
-- entries past the retention are deleted.
CREATE OR REPLACE FUNCTION reject_audit_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' AND coalesce(current_setting('colophon.anonymized_email', true), '') <> ''
    OR TG_OP IN ('UPDATE', 'DELETE') AND coalesce(current_setting('colophon.audit_retention', true), '') = 'on' THEN
    RETURN NULL;
  END IF;
  RAISE EXCEPTION '% is insert only', TG_TABLE_NAME;
END $$;

CREATE OR REPLACE FUNCTION check_audit_anonymization() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  email text := coalesce(current_setting('colophon.anonymized_email', true), '');
  person_id text := current_setting('colophon.anonymized_as', true);
  expected audit_entry := OLD;
BEGIN
  IF email <> '' THEN
    IF OLD.actor = email THEN
      expected.actor := person_id;
      expected.ip_address := NULL;
    END IF;
    expected.detail := replace(OLD.detail::text, to_json(email)::text, to_json(person_id)::text)::jsonb;
    -- Of a failed sign-in with the email address. The previous version leaves the address.
    IF OLD.actor = 'anonymous' AND expected.detail <> OLD.detail AND NEW.ip_address IS NULL THEN
      expected.ip_address := NULL;
    END IF;
  ELSIF OLD.action = 'session.failed' AND OLD.at < now() - interval '90 days' THEN
    expected.detail := OLD.detail - 'email';
    expected.ip_address := NULL;
  END IF;
  IF NEW IS DISTINCT FROM expected THEN
    RAISE EXCEPTION '% is insert only', TG_TABLE_NAME;
  END IF;
  RETURN NEW;
END $$;

CREATE INDEX audit_entry_failed_sign_in ON audit_entry (at) WHERE action = 'session.failed' AND ip_address IS NOT NULL;
