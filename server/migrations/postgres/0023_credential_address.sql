-- The base URL that a secret is sealed for. Null: sealed by an earlier version, for any address. `worker` seals such a secret again
-- when it has opened it.
ALTER TABLE credential ADD COLUMN base_url text;

-- Left behind by connections that failed: nobody uses them, so nothing would ever seal them again.
DELETE FROM credential WHERE created_at < now() - interval '1 hour' AND NOT EXISTS (
  SELECT FROM repository
  WHERE repository.project_id = credential.project_id AND repository.token_credential_id = credential.id);
