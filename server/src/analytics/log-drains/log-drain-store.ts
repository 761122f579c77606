/** Log drains: where hosts and CDNs send the access logs of a project's site. */
import { sql } from 'kysely'
import { type Actor, formatActor, recordAudit } from '../../audit/audit-store.ts'
import type { Database } from '../../database/database.ts'
import type { KeyHash } from '../../keys/key-format.ts'
import type { Offboarding } from '../../offboarding/offboarding.ts'
import { Problem } from '../../platform/http/problem.ts'
import { type Id, newId } from '../../platform/ids.ts'
import type { LogFormat } from '../log-formats/log-format.ts'
import type { IsoDate } from '../tables.ts'
import type { LogDrainCounts } from './log-drain-activity.ts'

export interface LogDrain {
  id: Id<'drn'>
  projectId: Id<'prj'>
  name: string
  format: LogFormat
  /** Only requests for this host are counted. Null: all. */
  host: string | null
  /** Proves to the host that the URL belongs to the owner of the drain: the value that Vercel expects, or the ID of the Fastly service. */
  verification: string | null
  createdBy: string
  createdAt: Date
  /** The first and the last time at which logs arrived that could be read. Written every few seconds. */
  firstEventAt: Date | null
  lastEventAt: Date | null
}

/** What authenticates the sender of a delivery. */
interface SenderSecret {
  secretHash: KeyHash<'colophon_drain_'>
  /** The secret itself, for hosts that sign with it. Null for all others. */
  signingSecret: string | null
}
export type LogDrainWithSecret = LogDrain & SenderSecret

/** What arrived on a day (UTC). */
export interface LogDrainDay extends LogDrainCounts {
  day: IsoDate
}

export type NewLogDrain = Pick<LogDrain, 'name' | 'format' | 'host'> & SenderSecret
export type LogDrainChanges = Partial<Pick<LogDrain, 'name' | 'host' | 'verification'>>

const maxDrains = 100 // stops a client that creates drains in a loop
const shownDays = 30
/** The list is public, so it must not become long. The limit per project keeps one from taking the place of others. */
const maxFastlyServices = { ofProject: 10, ofInstance: 5_000 }

/** Whether the host signs what it delivers, with the secret of the drain. */
export const signsDeliveries = (format: LogFormat): boolean => format === 'vercel'

export class LogDrainStore {
  readonly #db: Database
  readonly #offboarding: Offboarding

  constructor(db: Database, offboarding: Offboarding) {
    this.#db = db
    this.#offboarding = offboarding
  }

  /** Oldest first. */
  async list(projectId: Id<'prj'>): Promise<LogDrain[]> {
    return this.#db
      .selectFrom('log_drain')
      .select(columns)
      .where('project_id', '=', projectId)
      .orderBy('created_at')
      .orderBy('id')
      .execute()
  }

  /** The last days on which something arrived, newest first. */
  async listDays(projectId: Id<'prj'>): Promise<Map<Id<'drn'>, LogDrainDay[]>> {
    const { rows } = await sql<LogDrainDay & { drainId: Id<'drn'> }>`
      SELECT log_drain_id AS "drainId", day::text AS day, counted::float8 AS counted, repeated::float8 AS repeated,
        dropped::float8 AS dropped, ignored::float8 AS ignored, unreadable::float8 AS unreadable
      FROM log_drain_day
      WHERE project_id = ${projectId} AND day > (now() AT TIME ZONE 'UTC')::date - ${shownDays}::int
      ORDER BY day DESC`.execute(this.#db)
    const days = Map.groupBy(rows, ({ drainId }) => drainId)
    return new Map([...days].map(([id, list]) => [id, list.map(({ drainId: _, ...day }) => day)]))
  }

  /** How many views of a project its drains have counted today (UTC). */
  async readCountedToday(projectId: Id<'prj'>): Promise<number> {
    const { rows } = await sql<{ counted: number }>`
      SELECT coalesce(sum(counted), 0)::float8 AS counted FROM log_drain_day
      WHERE project_id = ${projectId} AND day = (now() AT TIME ZONE 'UTC')::date`.execute(this.#db)
    return rows[0]?.counted ?? 0
  }

  /** The IDs of the Fastly services that send logs, the first of each project. */
  async listFastlyServices(): Promise<string[]> {
    const { rows } = await sql<{ service: string }>`
      SELECT service FROM (
        SELECT verification AS service, created_at, row_number() OVER (PARTITION BY project_id ORDER BY created_at, id) AS number
        FROM log_drain WHERE format = 'fastly' AND verification IS NOT NULL
      ) AS services
      WHERE number <= ${maxFastlyServices.ofProject}
      GROUP BY service ORDER BY min(created_at) LIMIT ${maxFastlyServices.ofInstance}`.execute(this.#db)
    return rows.map(({ service }) => service)
  }

  /** For deliveries. The sender is not authenticated yet. */
  async find(id: Id<'drn'>): Promise<LogDrainWithSecret | undefined> {
    return this.#db
      .selectFrom('log_drain')
      .select([...columns, 'secret_hash as secretHash', 'signing_secret as signingSecret'])
      .where('id', '=', id)
      .executeTakeFirst()
  }

  async create(projectId: Id<'prj'>, drain: NewLogDrain, actor: Actor): Promise<LogDrain> {
    const { name, format, host, secretHash, signingSecret } = drain
    return this.#db.transaction().execute(async (tx) => {
      await this.#offboarding.assertMayStillGrant(tx, projectId, actor)
      const { count } = await tx
        .selectFrom('log_drain')
        .select((eb) => eb.fn.countAll<string>().as('count'))
        .where('project_id', '=', projectId)
        .executeTakeFirstOrThrow()
      if (Number(count) >= maxDrains)
        throw new Problem('invalid_request', `A project can have at most ${maxDrains} log drains. Delete one first.`)
      const created = await tx
        .insertInto('log_drain')
        .values({
          id: newId('drn'),
          project_id: projectId,
          name,
          format,
          host,
          secret_hash: secretHash,
          signing_secret: signingSecret,
          created_by: formatActor(actor),
        })
        .returning(columns)
        .executeTakeFirstOrThrow()
      await recordAudit(tx, projectId, actor, {
        action: 'log_drain.created',
        subject: created.id,
        detail: { name, format, host },
      })
      return created
    })
  }

  async change(projectId: Id<'prj'>, id: Id<'drn'>, changes: LogDrainChanges, actor: Actor): Promise<LogDrain> {
    return this.#db.transaction().execute(async (tx) => {
      const changed = await tx
        .updateTable('log_drain')
        .set(changes)
        .where('project_id', '=', projectId)
        .where('id', '=', id)
        .returning(columns)
        .executeTakeFirst()
      if (!changed) throw drainNotFound()
      assertVerification(changed)
      await recordAudit(tx, projectId, actor, { action: 'log_drain.changed', subject: id, detail: changes })
      return changed
    })
  }

  async delete(projectId: Id<'prj'>, id: Id<'drn'>, actor: Actor): Promise<void> {
    await this.#db.transaction().execute(async (tx) => {
      const { numDeletedRows } = await tx
        .deleteFrom('log_drain')
        .where('project_id', '=', projectId)
        .where('id', '=', id)
        .executeTakeFirst()
      if (numDeletedRows === 0n) throw drainNotFound()
      await recordAudit(tx, projectId, actor, { action: 'log_drain.deleted', subject: id, detail: {} })
    })
  }
}

/** The IDs of Fastly's services are public in the list, so nothing else may be in it. */
function assertVerification({ format, verification }: LogDrain): void {
  if (verification === null || format === 'vercel') return
  if (format !== 'fastly')
    throw new Problem('invalid_request', `Log drains of the format ${format} have no \`verification\`.`)
  if (!/^[A-Za-z0-9]{10,40}$/.test(verification))
    throw new Problem('invalid_request', 'The ID of a Fastly service has only letters and digits, usually 22.')
}

export const drainNotFound = () => new Problem('not_found', 'This project does not have that log drain.')

const columns = [
  'id',
  'project_id as projectId',
  'name',
  'format',
  'host',
  'verification',
  'created_by as createdBy',
  'created_at as createdAt',
  'first_event_at as firstEventAt',
  'last_event_at as lastEventAt',
] as const
