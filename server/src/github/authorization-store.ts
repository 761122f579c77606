/**
 * People who were sent to GitHub, and come back with a state of ours and a code of GitHub's. The state is good once, for who
 * was sent and for what they were sent for: a link with somebody else's state or code in it leads nowhere.
 */
import { createHash, randomBytes } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import { type Id, newId } from '../platform/ids.ts'
import { asSealedSecret, type Opener, type Sealer } from '../platform/sealed-secrets/sealed-secret.ts'
import type { FoundRepository, GithubTables } from './tables.ts'

/** Null: they make the installation's App. */
export interface Visitor {
  personId: Id<'per'>
  projectId: Id<'prj'> | null
}

export interface ArrivedVisit {
  id: Id<'gha'>
  baseUrl: string
}

const goodForMinutes = 15
const inAWhile = sql<Date>`now() + make_interval(mins => ${goodForMinutes})`

export class GithubVisitStore {
  readonly #db: Kysely<GithubTables>

  constructor(db: Kysely<GithubTables>) {
    this.#db = db
  }

  /** Returns the state. Only its hash is kept. */
  async start({ personId, projectId }: Visitor, baseUrl: string): Promise<string> {
    const state = randomBytes(32).toString('base64url')
    await this.#db
      .insertInto('github_authorization')
      .values({
        id: newId('gha'),
        person_id: personId,
        project_id: projectId,
        base_url: baseUrl,
        state_hash: hashOf(state),
        sealed_code: null,
        repositories: null,
        expires_at: inAWhile,
      })
      .execute()
    return state
  }

  /** Undefined: the state is not theirs, was used, or is too old. From here on there is time to choose. */
  async arrive({ personId, projectId }: Visitor, state: string): Promise<ArrivedVisit | undefined> {
    const row = await this.#db
      .updateTable('github_authorization')
      .set({ state_hash: null, expires_at: inAWhile })
      .where('state_hash', '=', hashOf(state))
      .where('person_id', '=', personId)
      .where('project_id', 'is not distinct from', projectId)
      .where('expires_at', '>', sql<Date>`now()`)
      .returning(['id', 'base_url'])
      .executeTakeFirst()
    return row && { id: row.id, baseUrl: row.base_url }
  }

  async keepCode(id: Id<'gha'>, code: string, sealer: Sealer): Promise<void> {
    const sealed = await sealer.seal(code, bindingOf(id))
    await this.#db
      .updateTable('github_authorization')
      .set({ sealed_code: Buffer.from(sealed) })
      .where('id', '=', id)
      .execute()
  }

  /** Once: a code is good for one exchange, and whoever took it has it. */
  async takeCode(id: Id<'gha'>, opener: Opener): Promise<{ baseUrl: string; code: string } | undefined> {
    return this.#db.transaction().execute(async (tx) => {
      const row = await tx
        .selectFrom('github_authorization')
        .select(['base_url', 'sealed_code'])
        .where('id', '=', id)
        .forUpdate()
        .executeTakeFirst()
      if (!row?.sealed_code) return undefined
      await tx.updateTable('github_authorization').set({ sealed_code: null }).where('id', '=', id).execute()
      return { baseUrl: row.base_url, code: await opener.open(asSealedSecret(row.sealed_code), bindingOf(id)) }
    })
  }

  async keepFound(id: Id<'gha'>, found: readonly FoundRepository[]): Promise<void> {
    await this.#db
      .updateTable('github_authorization')
      .set({ repositories: JSON.stringify(found) })
      .where('id', '=', id)
      .execute()
  }

  /** Undefined: there is no such visit of theirs any more, or GitHub has not been asked. */
  async found(
    { personId, projectId }: Visitor,
    id: Id<'gha'>,
  ): Promise<{ baseUrl: string; repositories: FoundRepository[] } | undefined> {
    const row = await this.#live(id)
      .where('person_id', '=', personId)
      .where('project_id', 'is not distinct from', projectId)
      .executeTakeFirst()
    return row?.repositories ? { baseUrl: row.base_url, repositories: row.repositories } : undefined
  }

  /** For `worker`, which is told ids alone. */
  async foundOne(
    id: Id<'gha'>,
    repositoryId: number,
  ): Promise<{ baseUrl: string; repository: FoundRepository } | undefined> {
    const row = await this.#live(id).executeTakeFirst()
    const repository = row?.repositories?.find(({ id }) => id === repositoryId)
    return row && repository && { baseUrl: row.base_url, repository }
  }

  async end(id: Id<'gha'>): Promise<void> {
    await this.#db.deleteFrom('github_authorization').where('id', '=', id).execute()
  }

  async forgetExpired(): Promise<void> {
    await this.#db.deleteFrom('github_authorization').where('expires_at', '<', sql<Date>`now()`).execute()
  }

  #live(id: Id<'gha'>) {
    return this.#db
      .selectFrom('github_authorization')
      .select(['base_url', 'repositories'])
      .where('id', '=', id)
      .where('expires_at', '>', sql<Date>`now()`)
  }
}

const hashOf = (state: string): Buffer => createHash('sha256').update(state).digest()

const bindingOf = (id: Id<'gha'>) => ({ projectId: '', credentialId: id, kind: 'github-code' })
