-- Models that the operator configured. Jobs know one by its name; its provider may know it by another.
CREATE TABLE model (
  name text PRIMARY KEY CHECK (name ~ '^[A-Za-z0-9][A-Za-z0-9._:/-]{0,99}$' AND name <> 'default'),
  format text NOT NULL CHECK (format IN ('anthropic-messages', 'openai-completions', 'openai-responses')),
  base_url text NOT NULL,
  provider_model text NOT NULL,
  context_window_tokens int NOT NULL CHECK (context_window_tokens > 0),
  most_output_tokens int NOT NULL CHECK (most_output_tokens > 0),
  -- US dollars per million tokens; null: not known.
  input_price numeric CHECK (input_price >= 0),
  output_price numeric CHECK (output_price >= 0),
  cache_read_price numeric CHECK (cache_read_price >= 0),
  cache_write_price numeric CHECK (cache_write_price >= 0),
  -- Null: its provider wants no key. Bound to name and address: moved to another row or address, it does not open.
  sealed_key bytea,
  -- Null: for all projects.
  project_ids text[],
  is_default boolean NOT NULL DEFAULT false,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX model_default ON model (is_default) WHERE is_default;

-- What a project may use. Null: the operator's setting for all projects.
CREATE TABLE project_budget (
  project_id text PRIMARY KEY REFERENCES project ON DELETE CASCADE,
  job_most_tokens bigint CHECK (job_most_tokens >= 0),
  month_most_tokens bigint CHECK (month_most_tokens >= 0),
  month_most_usd numeric CHECK (month_most_usd >= 0)
);

-- One call of a model: written before the call with the most that it can use, corrected after it with what it used. A row that
-- is never corrected, because its gateway died, goes on counting as it was written.
CREATE TABLE model_call (
  project_id text NOT NULL,
  id text NOT NULL,
  job_id text NOT NULL,
  turn_id text NOT NULL,
  model text NOT NULL,
  month date NOT NULL,
  -- Neither read from the provider's cache nor written to it.
  input_tokens bigint NOT NULL,
  cache_read_tokens bigint NOT NULL DEFAULT 0,
  cache_write_tokens bigint NOT NULL DEFAULT 0,
  output_tokens bigint NOT NULL,
  tokens bigint NOT NULL GENERATED ALWAYS AS (input_tokens + cache_read_tokens + cache_write_tokens + output_tokens) STORED,
  -- Null: a price was not known.
  cost_usd numeric,
  reserved_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  settled_at timestamptz,
  PRIMARY KEY (project_id, id),
  FOREIGN KEY (project_id, job_id) REFERENCES job (project_id, id) ON DELETE CASCADE
);
CREATE INDEX model_call_of_job ON model_call (project_id, job_id);

-- Without the calls under way: what they may use is not what they used. One that is older than any call can be never ends, and
-- has used what was counted.
CREATE VIEW job_usage AS
  SELECT project_id, job_id,
    -- All that was read: also what came from the provider's cache and what went into it.
    sum(tokens - output_tokens) AS input_tokens,
    sum(output_tokens) AS output_tokens,
    CASE WHEN count(*) = count(cost_usd) THEN sum(cost_usd) END AS cost_usd
  FROM model_call
  WHERE settled_at IS NOT NULL OR reserved_at < clock_timestamp() - interval '1 hour'
  GROUP BY project_id, job_id;

-- The sums of a project's calls by calendar month (UTC), changed in the transactions that change the calls: adding up
-- a busy month's calls before each new one would take longer than the call. Outlives jobs that are deleted: the money is spent.
CREATE TABLE model_month (
  project_id text NOT NULL REFERENCES project ON DELETE CASCADE,
  month date NOT NULL,
  tokens bigint NOT NULL,
  cost_usd numeric NOT NULL,
  PRIMARY KEY (project_id, month)
);

-- Turns that were refused a call because a budget was used up; the first refusal of each.
CREATE TABLE turn_out_of_budget (
  turn_id text PRIMARY KEY REFERENCES turn (id) ON DELETE CASCADE,
  budget text NOT NULL CHECK (budget IN ('job_tokens', 'month_tokens', 'month_usd')),
  at timestamptz NOT NULL DEFAULT now()
);
