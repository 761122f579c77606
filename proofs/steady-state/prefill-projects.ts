/** The projects, and what a week of their page views has left in PostgreSQL: what each table keeps for as long as it keeps it. */
import type pg from 'pg'
import { pagesPerProject, postgresProject } from './generated-projects.ts'
import type { Plan } from './plan.ts'

/** Runs statements one after another, in a session that skips foreign keys and triggers: the rows are consistent by construction. */
export async function runPrefill(client: pg.Client, statements: readonly string[]): Promise<void> {
  await client.query('SET session_replication_role = replica; SET synchronous_commit = off; SET jit = off')
  for (const statement of statements) await client.query(statement)
  await client.query('RESET session_replication_role; RESET synchronous_commit')
}

/** The last number of a project in this load, for `generate_series`. */
const allProjects = ({ projects }: Plan) => `generate_series(0, ${projects - 1}) AS project`

export const projectStatements = (plan: Plan): string[] => [
  // Half of the projects delete their jobs after a week.
  `INSERT INTO project (id, name, created_at, job_retention_days)
   SELECT ${postgresProject.id('project')}, 'Project ' || project, timestamptz '2026-01-01',
     CASE WHEN project % 2 = 0 THEN 7 END FROM ${allProjects(plan)}`,
  `INSERT INTO analytics_settings (project_id, human_source)
   SELECT ${postgresProject.id('project')}, 'script' FROM ${allProjects(plan)}`,
  `INSERT INTO site_key (key, project_id, created_at)
   SELECT ${postgresProject.siteKey('project')}, ${postgresProject.id('project')}, timestamptz '2026-01-01'
   FROM ${allProjects(plan)}`,
  `INSERT INTO audit_entry (project_id, id, at, actor, action, subject, detail)
   SELECT ${postgresProject.id('project')}, 'aud_' || right(${postgresProject.id('project')}, 26 - 1) || ordinal,
     timestamptz '2026-01-01', 'operator', action,
     CASE action WHEN 'site_key.created' THEN ${postgresProject.siteKey('project')} ELSE ${postgresProject.id('project')} END,
     detail::jsonb
   FROM ${allProjects(plan)}, (VALUES
     (1, 'project.created', '{"name": "A project"}'),
     (2, 'site_key.created', '{}'),
     (3, 'analytics.settings_changed', '{"humanSource": "script", "reason": "first_site_key"}')
   ) AS entries (ordinal, action, detail)`,
]

export const viewStatements = (plan: Plan): string[] => [
  // Forever: the days on which each project had views, and the pages that it has.
  `INSERT INTO source_coverage (project_id, source, month, first_day, last_day, counts_humans)
   SELECT ${postgresProject.id('project')}, 'script', month, min(day), max(day), true
   FROM ${allProjects(plan)}, LATERAL (
     SELECT day::date AS day, date_trunc('month', day)::date AS month FROM generate_series(
       (now() AT TIME ZONE 'UTC')::date - 7, (now() AT TIME ZONE 'UTC')::date, interval '1 day') AS day
   ) AS days GROUP BY project, month`,
  `INSERT INTO script_page (project_id, page, first_seen_on)
   SELECT ${postgresProject.id('project')}, substring(sha256(convert_to('/docs/page-' || page, 'UTF8')) FOR 16),
     (now() AT TIME ZONE 'UTC')::date - 7 + page % 7
   FROM ${allProjects(plan)}, generate_series(0, ${pagesPerProject - 1}) AS page`,
  `INSERT INTO source_last_event (project_id, source, last_event_at)
   SELECT ${postgresProject.id('project')}, 'script', now() FROM ${allProjects(plan)}`,
  // Eight days. The rows of the hour before are those that the next round deletes.
  `INSERT INTO source_event_count (project_id, source, hour, outcome, events)
   SELECT ${postgresProject.id('project')}, 'script', hour, 'counted', 1 + (random() * 1000)::int
   FROM generate_series(date_trunc('hour', now()) - interval '8 days 1 hour', now(), interval '1 hour') AS hour,
     ${allProjects(plan)}`,
  ...deliveryStatements(plan),
]

const slotSeconds = 1_800
const overlapSeconds = 300

/**
 * The IDs of beacons are in partitions of half an hour, kept for another half hour, so there are those of the last slot and of the
 * current one. In the first five minutes of a slot an ID is in both. A partition that has expired is the one that the next round
 * drops.
 */
function deliveryStatements({ beaconsPerSecond }: Plan): string[] {
  const nowSeconds = Date.now() / 1000
  const slot = Math.floor(nowSeconds / slotSeconds) * slotSeconds
  const elapsedSeconds = nowSeconds - slot
  const insertIds = (slotStart: number, seconds: number) =>
    `INSERT INTO beacon_delivery (slot, delivery)
     SELECT to_timestamp(${slotStart}), gen_random_uuid() FROM generate_series(1, ${Math.round(seconds * beaconsPerSecond)})`
  const expiredSlot = slot - 3 * slotSeconds
  return [
    `CREATE TABLE beacon_delivery_${formatSlot(expiredSlot)} PARTITION OF beacon_delivery
     FOR VALUES FROM ('${toIso(expiredSlot)}') TO ('${toIso(expiredSlot + slotSeconds)}')`,
    insertIds(expiredSlot, overlapSeconds),
    insertIds(slot - slotSeconds, slotSeconds + Math.min(elapsedSeconds, overlapSeconds)),
    insertIds(slot, elapsedSeconds),
  ]
}

const toIso = (seconds: number) => new Date(seconds * 1000).toISOString()
/** As in the names of partitions: `20261118_0130`. */
const formatSlot = (seconds: number) =>
  toIso(seconds).slice(0, 16).replaceAll('-', '').replace('T', '_').replace(':', '')
