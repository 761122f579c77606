/**
 * The jobs of a week, as they are stored after they have ended. Half of them opened a pull request, which was merged, the other
 * half produced a diff; every fifth got a second message. Projects that delete their jobs after a week also have those of the hour
 * before, which the next round deletes.
 */
import type pg from 'pg'
import { encodeIdTime, projectIdOf } from './generated-projects.ts'
import { type Plan, weekSeconds } from './plan.ts'
import { runPrefill } from './prefill-projects.ts'

export const followUpEvery = 5
export const eventUploadsPerTurn = 5
const modelCallsPerTurn = 3
const hourSeconds = 3_600
const chunkRows = 20_000

export async function insertWeekOfJobs(client: pg.Client, plan: Plan): Promise<void> {
  await client.query(
    'CREATE TEMPORARY TABLE week_job (number int, project_id text, id text, at timestamptz, PRIMARY KEY (number))',
  )
  const seconds = weekSeconds + hourSeconds
  const jobs = Math.round((plan.prefilledJobs * seconds) / weekSeconds)
  const startMs = Date.now() - seconds * 1000
  for (let from = 0; from < jobs; from += chunkRows) {
    const numbers = Array.from({ length: Math.min(chunkRows, jobs - from) }, (_, index) => from + index)
    const times = numbers.map((number) => startMs + Math.floor((number * seconds * 1000) / jobs))
    await client.query(
      'INSERT INTO week_job SELECT * FROM unnest($1::int[], $2::text[], $3::text[], $4::timestamptz[])',
      [
        numbers,
        numbers.map((number) => projectIdOf(number % plan.connectedProjects)),
        numbers.map((number, index) => `job_${encodeIdTime(times[index] ?? 0)}${String(number).padStart(14, '0')}00`),
        times.map((ms) => new Date(ms).toISOString()),
      ],
    )
  }
  await runPrefill(client, [...prepareStatements, ...jobStatements, ...turnStatements])
}

const turnIdOf = (number: string) => `'trn_' || substr(id, 5, 24) || lpad((${number})::text, 2, '0')`
const fakeCommit = "left(encode(sha256(id::bytea), 'hex'), 40)"
const bytesOf = (count: number) => `decode(repeat(md5(id), ${Math.ceil(count / 16)}), 'hex')`

const prepareStatements = [
  `CREATE TEMPORARY TABLE week_turn AS
   SELECT project_id, id AS job_id, ${turnIdOf('turn_number')} AS id, turn_number, number % 2 = 0 AS opens_pull_request,
     at + make_interval(mins => turn_number - 1) AS at
   FROM week_job, generate_series(1, CASE WHEN number % ${followUpEvery} = 0 THEN 2 ELSE 1 END) AS turn_number`,
  `INSERT INTO runner (id, name, token_hash) VALUES ('run_00000000000000000000000000', 'earlier', sha256('earlier'))`,
  'ANALYZE week_job, week_turn',
]

const jobStatements = [
  `INSERT INTO job (
     project_id, id, status, title, repository, ref, model, publish, diff, outcome, reply, pull_request_number, pull_request_url,
     pull_request_branch, pull_request_state, pull_request_text, created_at, updated_at, progressed_at
   )
   SELECT project_id, id, 'completed', 'Fix page ' || number, 'docs/handbook', 'main', 'test-model',
     CASE number % 2 WHEN 0 THEN 'pull_request' ELSE 'diff' END,
     CASE number % 2 WHEN 1 THEN repeat('+ ' || md5(id) || E'\\n', 20) END,
     CASE number % 2 WHEN 0 THEN 'pull_request' ELSE 'diff' END, 'Done.',
     CASE number % 2 WHEN 0 THEN number END,
     CASE number % 2 WHEN 0 THEN 'https://git.example.com/docs/handbook/pulls/' || number END,
     CASE number % 2 WHEN 0 THEN 'colophon/' || id END, CASE number % 2 WHEN 0 THEN 'merged' END,
     CASE number % 2 WHEN 0 THEN jsonb_build_object('title', 'Fix page ' || number, 'body', repeat('As the script says. ', 10)) END,
     at, at + interval '2 minutes', at + interval '2 minutes'
   FROM week_job ORDER BY number`,
  `INSERT INTO job_search (project_id, job_id, search_text)
   SELECT project_id, id, lower('Fix page ' || number || E'\\n' || id || E'\\nRead page ' || number || ' and fix the mistakes.')
   FROM week_job ORDER BY number`,
  `INSERT INTO audit_entry (project_id, id, at, actor, action, subject, detail, request_id)
   SELECT project_id, 'aud_' || substr(id, 5), at, 'key_00000000000000000000000000', 'job.created', id,
     '{"ref": "main", "model": "test-model"}', 'req_' || substr(id, 5) FROM week_job ORDER BY number`,
  // A day. Older ones are those that the next round deletes.
  `INSERT INTO idempotency_key (project_id, key, fingerprint, status, body, created_at)
   SELECT project_id, 'earlier-' || id, sha256(id::bytea), 201, '{"id":"' || id || '","reply":"' || repeat('text ', 120) || '"}', at
   FROM week_job WHERE at > now() - interval '25 hours' ORDER BY number`,
]

const turnStatements = [
  `INSERT INTO turn (
     project_id, job_id, id, number, prompt, status, outcome, reply, created_at, started_at, publishing_started_at, ended_at,
     deadline_at, start_branch, branch, commit_id
   )
   SELECT project_id, job_id, id, turn_number, 'Read page ' || id || ' and fix the mistakes.', 'completed',
     CASE WHEN opens_pull_request THEN 'pull_request' ELSE 'diff' END, 'Done.', at, at, at, at + interval '1 minute',
     at + interval '30 minutes', 'main', CASE WHEN opens_pull_request THEN 'colophon/' || job_id END, ${fakeCommit}
   FROM week_turn ORDER BY at`,
  `INSERT INTO audit_entry (project_id, id, at, actor, action, subject, detail, request_id)
   SELECT project_id, 'aud_' || substr(id, 5), at, 'key_00000000000000000000000000', 'job.message_sent', job_id, '{}',
     'req_' || substr(id, 5) FROM week_turn WHERE turn_number > 1 ORDER BY at`,
  `INSERT INTO turn_attempt (
     project_id, turn_id, number, task_token, token_hash, runner_id, queued_at, claimed_at, ended_at, event_count, event_bytes,
     runner_process, heard_at
   )
   SELECT project_id, id, 1, ${bytesOf(320)}, sha256(id::bytea), 'run_00000000000000000000000000', at, at, at + interval '1 minute',
     ${eventUploadsPerTurn * 2}, 2000, 'earlier', at + interval '1 minute' FROM week_turn ORDER BY at`,
  `INSERT INTO job_event (project_id, job_id, turn_number, attempt, last_index, events, size_bytes, created_at)
   SELECT project_id, job_id, turn_number, 1, upload * 2 - 1, jsonb_build_array(
     jsonb_build_object('type', 'text', 'at', at, 'text', repeat('I read the page. ', 8)),
     jsonb_build_object('type', 'notice', 'at', at, 'text', 'Page ' || upload)), 330, at + make_interval(secs => upload)
   FROM week_turn, generate_series(1, ${eventUploadsPerTurn}) AS upload ORDER BY at, upload`,
  `INSERT INTO turn_result (turn_id, project_id, base_commit, bundle_bytes, title, summary, reply, created_at)
   SELECT id, project_id, ${fakeCommit}, 1024, 'Fix the page', 'As the script says.', 'Done.', at FROM week_turn ORDER BY at`,
  `INSERT INTO turn_result_chunk (turn_id, part, number, bytes)
   SELECT id, 'bundle', 0, ${bytesOf(1_024)} FROM week_turn ORDER BY at`,
  `INSERT INTO model_call (
     project_id, id, job_id, turn_id, model, month, input_tokens, output_tokens, cost_usd, reserved_at, settled_at
   )
   SELECT project_id, 'mcl_' || substr(id, 5, 24) || turn_number || call, job_id, id, 'test-model', date_trunc('month', at)::date,
     4000, 500, 0.02, at, at + interval '5 seconds'
   FROM week_turn, generate_series(1, ${modelCallsPerTurn}) AS call ORDER BY at, call`,
  `INSERT INTO model_month (project_id, month, tokens, cost_usd)
   SELECT project_id, month, sum(tokens), sum(cost_usd) FROM model_call GROUP BY project_id, month`,
]
