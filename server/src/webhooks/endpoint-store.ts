/** The endpoints of projects, as people and API clients see and change them. */
import type { Selectable } from 'kysely'
import { sql } from 'kysely'
import { type Actor, formatActor, recordAudit } from '../audit/audit-store.ts'
import type { Database, DatabaseTransaction } from '../database/database.ts'
import type { Offboarding } from '../offboarding/offboarding.ts'
import { Problem } from '../platform/http/problem.ts'
import { type Id, isId, newId } from '../platform/ids.ts'
import {
  type Opener,
  reseal,
  type Sealer,
  type SecretBinding,
  toSealedSecret,
} from '../platform/sealed-secrets/sealed-secret.ts'
import { defaultMaxPerSecond, type Endpoint, type EndpointKind, type EventType } from './endpoint.ts'
import type { WebhookTables } from './tables.ts'

export interface NewEndpoint {
  kind: EndpointKind
  name: string
  target: string
  events: readonly EventType[]
  maxPerSecond: number | undefined
  /** The signing secret of a webhook, or the URL of a chat. Null for email. */
  secret: string | null
}

export interface EndpointChange {
  name?: string | undefined
  events?: readonly EventType[] | undefined
  maxPerSecond?: number | undefined
  isEnabled?: boolean | undefined
}

export type EndpointRow = Selectable<WebhookTables['webhook_endpoint']>

/** More than any team needs. A leaked key must not be able to multiply every event. */
const maxEndpointsPerProject = 200

export class EndpointStore {
  readonly #db: Database
  readonly #offboarding: Offboarding

  constructor(db: Database, offboarding: Offboarding) {
    this.#db = db
    this.#offboarding = offboarding
  }

  /** Newest first. */
  async list(projectId: Id<'prj'>): Promise<Endpoint[]> {
    const rows = await this.#db
      .selectFrom('webhook_endpoint')
      .selectAll()
      .where('project_id', '=', projectId)
      .orderBy('id', 'desc')
      .execute()
    return rows.map(toEndpoint)
  }

  async create(projectId: Id<'prj'>, endpoint: NewEndpoint, sealer: Sealer, actor: Actor): Promise<Endpoint> {
    const { kind, name, target, events, secret } = endpoint
    const id = newId('end')
    const sealed = secret === null ? null : await sealer.seal(secret, bindingOf({ project_id: projectId, id, kind }))
    return this.#db.transaction().execute(async (tx) => {
      await this.#offboarding.assertMayStillGrant(tx, projectId, actor)
      if (kind === 'email') await assertMember(tx, projectId, target)
      const { count } = await tx
        .selectFrom('webhook_endpoint')
        .select(sql<number>`count(*)::int`.as('count'))
        .where('project_id', '=', projectId)
        .executeTakeFirstOrThrow()
      if (count >= maxEndpointsPerProject)
        throw new Problem(
          'invalid_request',
          `The project has ${maxEndpointsPerProject} endpoints, which is the maximum. Delete some first.`,
        )
      const row = await tx
        .insertInto('webhook_endpoint')
        .values({
          project_id: projectId,
          id,
          kind,
          name,
          target,
          events: [...new Set(events)],
          max_per_second: endpoint.maxPerSecond ?? defaultMaxPerSecond[kind],
          sealed_secret: sealed && Buffer.from(sealed),
          responsible: formatActor(actor),
        })
        .returningAll()
        .executeTakeFirstOrThrow()
      const detail = { kind, name, target, events }
      await recordAudit(tx, projectId, actor, { action: 'webhook.created', subject: id, detail })
      return toEndpoint(row)
    })
  }

  /** Someone who enables an endpoint is responsible for it from then on. */
  async change(projectId: Id<'prj'>, id: string, change: EndpointChange, actor: Actor): Promise<Endpoint> {
    return this.#db.transaction().execute(async (tx) => {
      const { isEnabled, ...settings } = change
      if (isEnabled === true) await this.#offboarding.assertMayStillGrant(tx, projectId, actor)
      const before = await lockEndpoint(tx, projectId, id)
      const { name = before.name, events = before.events, maxPerSecond = before.max_per_second } = settings
      const switched = isEnabled !== undefined && isEnabled !== (before.disabled_at === null)
      if (switched && isEnabled && before.kind === 'email') await assertMember(tx, projectId, before.target)
      const row = await tx
        .updateTable('webhook_endpoint')
        .set({
          name,
          events: [...new Set(events)],
          max_per_second: maxPerSecond,
          ...(switched && (isEnabled ? enabledColumns(actor) : disabledByPerson)),
        })
        .where('id', '=', before.id)
        .returningAll()
        .executeTakeFirstOrThrow()
      const changed = Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined))
      if (Object.keys(changed).length > 0)
        await recordAudit(tx, projectId, actor, { action: 'webhook.changed', subject: before.id, detail: changed })
      if (switched)
        await recordAudit(tx, projectId, actor, {
          action: isEnabled ? 'webhook.enabled' : 'webhook.disabled',
          subject: before.id,
          detail: { name },
        })
      return toEndpoint(row)
    })
  }

  /** Replaces the signing secret. Requests are signed with both during the overlap. */
  async rotateSecret(
    projectId: Id<'prj'>,
    id: string,
    { secret, overlapHours }: { secret: string; overlapHours: number },
    sealer: Sealer,
    actor: Actor,
  ): Promise<Endpoint> {
    return this.#db.transaction().execute(async (tx) => {
      await this.#offboarding.assertMayStillGrant(tx, projectId, actor)
      const before = await lockEndpoint(tx, projectId, id)
      if (before.kind !== 'webhook')
        throw new Problem(
          'invalid_request',
          'Only webhooks have a signing secret. If the URL of a chat has leaked, revoke it there and create a new endpoint.',
        )
      const row = await tx
        .updateTable('webhook_endpoint')
        .set({
          sealed_secret: Buffer.from(await sealer.seal(secret, bindingOf(before))),
          sealed_previous_secret: overlapHours === 0 ? null : sql<Buffer>`sealed_secret`,
          previous_secret_expires_at:
            overlapHours === 0 ? null : sql<Date>`now() + make_interval(hours => ${overlapHours})`,
        })
        .where('id', '=', before.id)
        .returningAll()
        .executeTakeFirstOrThrow()
      const detail = { name: before.name, overlapHours }
      await recordAudit(tx, projectId, actor, { action: 'webhook.secret_rotated', subject: before.id, detail })
      return toEndpoint(row)
    })
  }

  /** With its delivery log. Deleting it again has no effect. */
  async delete(projectId: Id<'prj'>, id: string, actor: Actor): Promise<void> {
    if (!isId('end', id)) throw noSuchEndpoint()
    await this.#db.transaction().execute(async (tx) => {
      const deleted = await tx
        .deleteFrom('webhook_endpoint')
        .where('project_id', '=', projectId)
        .where('id', '=', id)
        .returning(['name', 'target'])
        .executeTakeFirst()
      if (deleted)
        await recordAudit(tx, projectId, actor, { action: 'webhook.deleted', subject: id, detail: { ...deleted } })
    })
  }

  /** After a new sealing key was put first. A row that is written at the same time keeps the new value. */
  async resealAll(opener: Opener, sealer: Sealer): Promise<{ resealed: number; current: number }> {
    const rows = await this.#db.selectFrom('webhook_endpoint').selectAll().execute()
    let resealed = 0
    let current = 0
    for (const row of rows)
      for (const column of ['sealed_secret', 'sealed_previous_secret'] as const) {
        const stored = row[column]
        if (stored === null) continue
        const sealed = toSealedSecret(stored)
        if (!sealer.needsResealing(sealed)) {
          current += 1
          continue
        }
        const { numUpdatedRows } = await this.#db
          .updateTable('webhook_endpoint')
          .set({ [column]: Buffer.from(await reseal(sealed, bindingOf(row), { opener, sealer })) })
          .where('id', '=', row.id)
          .where(column, '=', Buffer.from(stored))
          .executeTakeFirst()
        resealed += Number(numUpdatedRows)
      }
    return { resealed, current }
  }
}

/** The current secret and, during a rotation, the previous one. Empty for email. */
export async function openEndpointSecrets(row: EndpointRow, opener: Opener): Promise<string[]> {
  const hasPrevious = row.previous_secret_expires_at !== null && row.previous_secret_expires_at > new Date()
  const sealed = [row.sealed_secret, hasPrevious ? row.sealed_previous_secret : null].filter(
    (secret) => secret !== null,
  )
  return Promise.all(sealed.map((secret) => opener.open(toSealedSecret(secret), bindingOf(row))))
}

const bindingOf = ({ project_id, id, kind }: Pick<EndpointRow, 'project_id' | 'id' | 'kind'>): SecretBinding => ({
  projectId: project_id,
  credentialId: id,
  kind: `${kind}-endpoint`,
})

export async function lockEndpoint(tx: DatabaseTransaction, projectId: Id<'prj'>, id: string): Promise<EndpointRow> {
  if (!isId('end', id)) throw noSuchEndpoint()
  const row = await tx
    .selectFrom('webhook_endpoint')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('id', '=', id)
    .forNoKeyUpdate() // does not block the transactions that add deliveries
    .executeTakeFirst()
  if (!row) throw noSuchEndpoint()
  return row
}

/** Emails go to members only: an address that is not confirmed could be anyone's. */
async function assertMember(tx: DatabaseTransaction, projectId: Id<'prj'>, email: string): Promise<void> {
  const member = await tx
    .selectFrom('project_member')
    .innerJoin('person', 'person.id', 'project_member.person_id')
    .select('project_member.id')
    .where('project_member.project_id', '=', projectId)
    .where('person.email', '=', email)
    .where('person.disabled_at', 'is', null)
    .executeTakeFirst()
  if (member) return
  const message = 'is not the address of a member who has joined the project: invite the person first'
  throw new Problem('invalid_request', `body/target ${message}.`, { errors: [{ path: 'body/target', message }] })
}

const enabledColumns = (actor: Actor) => ({
  disabled_at: null,
  disabled_reason: null,
  notice_due_at: null,
  notice_attempts: 0,
  failing_since: null,
  consecutive_failures: 0,
  retry_at: null,
  responsible: formatActor(actor),
})

const disabledByPerson = { disabled_at: sql<Date>`now()`, disabled_reason: 'by_person' } as const

export const noSuchEndpoint = () => new Problem('not_found', 'The project has no endpoint with this ID.')

export const toEndpoint = (row: EndpointRow): Endpoint => ({
  projectId: row.project_id,
  id: row.id,
  kind: row.kind,
  name: row.name,
  target: row.target,
  events: row.events,
  maxPerSecond: row.max_per_second,
  responsible: row.responsible,
  createdAt: row.created_at,
  disabled: row.disabled_at && row.disabled_reason && { at: row.disabled_at, reason: row.disabled_reason },
  failingSince: row.failing_since,
  previousSecretExpiresAt:
    row.previous_secret_expires_at !== null && row.previous_secret_expires_at > new Date()
      ? row.previous_secret_expires_at
      : null,
})
