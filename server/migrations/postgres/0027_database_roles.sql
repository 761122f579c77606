-- What `api` and `worker` need from the owner of the tables, although they connect with other roles. The functions run with the rights
-- of the owner, who is the role that runs the migrations. `server/src/database/grants.ts` says which role may call which.

-- The only changes of audit entries. Neither role has the privilege to change them: the trigger allows any text to be replaced, because
-- it does not know who is being deleted.

-- The email address of a person is replaced by their ID. It cannot happen without the deletion of the person, nor without the entry that
-- records the deletion.
CREATE FUNCTION delete_person(deleted_id text) RETURNS void LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
  deleted_email text;
  email_json text;
BEGIN
  DELETE FROM person WHERE id = deleted_id RETURNING email INTO deleted_email;
  IF deleted_email IS NULL THEN
    RAISE EXCEPTION 'there is no person %', deleted_id;
  END IF;
  -- Anything else could be a role or the name of a setting, in the entries of others.
  IF strpos(deleted_email, '@') = 0 THEN
    RAISE EXCEPTION '% is not an email address', deleted_email;
  END IF;
  -- The entry of this transaction: `at` is the time of its start.
  IF NOT EXISTS (SELECT FROM audit_entry WHERE at = now() AND action = 'person.deleted' AND subject = deleted_id) THEN
    RAISE EXCEPTION 'the deletion of % is not in the audit log', deleted_id;
  END IF;
  email_json := to_json(deleted_email)::text;
  PERFORM set_config('colophon.anonymized_email', deleted_email, true), set_config('colophon.anonymized_as', deleted_id, true);
  UPDATE audit_entry SET
    actor = CASE WHEN actor = deleted_email THEN deleted_id ELSE actor END,
    ip_address = CASE WHEN actor IN (deleted_email, 'anonymous') THEN NULL ELSE ip_address END,
    detail = replace(detail::text, email_json, to_json(deleted_id)::text)::jsonb
  WHERE actor = deleted_email OR strpos(detail::text, email_json) > 0;
  PERFORM set_config('colophon.anonymized_email', '', true);
END $$;

-- Old failed sign-ins become anonymous: the trigger allows it after 90 days. Returns how many did.
CREATE FUNCTION anonymize_failed_sign_ins(min_age_days int, max_entries int) RETURNS int LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
  changed int;
BEGIN
  PERFORM set_config('colophon.anonymized_email', '', true), set_config('colophon.audit_retention', 'on', true);
  UPDATE audit_entry SET detail = detail - 'email', ip_address = NULL WHERE (project_id, id) IN (
    SELECT project_id, id FROM audit_entry
    WHERE action = 'session.failed' AND ip_address IS NOT NULL AND at < now() - make_interval(days => min_age_days)
    LIMIT max_entries);
  GET DIAGNOSTICS changed = ROW_COUNT;
  PERFORM set_config('colophon.audit_retention', '', true);
  RETURN changed;
END $$;

CREATE FUNCTION add_delivery_partition(parent text, starts_at timestamptz, ends_at timestamptz) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
  IF parent NOT IN ('beacon_delivery', 'batch_delivery') THEN
    RAISE EXCEPTION '% is not a table of delivery IDs', parent;
  END IF;
  EXECUTE format('CREATE TABLE IF NOT EXISTS %I PARTITION OF %I FOR VALUES FROM (%L) TO (%L)',
    parent || to_char(starts_at AT TIME ZONE 'UTC', '_YYYYMMDD_HH24MI'), parent, starts_at, ends_at);
END $$;

CREATE FUNCTION drop_delivery_partition(name text) RETURNS void LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
  -- Otherwise another worker has dropped it, or it is another table.
  IF EXISTS (
    SELECT FROM pg_inherits WHERE inhrelid = to_regclass(quote_ident(name))
      AND inhparent IN ('beacon_delivery'::regclass, 'batch_delivery'::regclass)
  ) THEN
    EXECUTE format('DROP TABLE IF EXISTS %I', name);
  END IF;
END $$;

-- A fixed search path, so that a caller cannot put tables or functions of their own in the place of ours.
DO $$
DECLARE
  name text;
BEGIN
  FOREACH name IN ARRAY ARRAY[
    'delete_person(text)', 'anonymize_failed_sign_ins(int, int)', 'add_delivery_partition(text, timestamptz, timestamptz)',
    'drop_delivery_partition(text)'
  ] LOOP
    EXECUTE format('ALTER FUNCTION %s SET search_path = %I, pg_temp', name, current_schema());
    EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', name);
  END LOOP;
END $$;
