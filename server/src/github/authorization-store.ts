/**
 * People who were redirected to GitHub and come back with our state and GitHub's code. A state is valid once, for the person
 * who was redirected and for the same purpose: a link with the state or code of another person has no effect.
 */
import { createHash, randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import type { Database } from '../database/database.ts'
import { type Id, newId } from '../platform/ids.ts'
import { type Opener, type Sealer, toSealedSecret } from '../platform/sealed-secrets/sealed-secret.ts'
import type { WritableRepository } from './tables.ts'

/** `projectId` is null when an operator creates the App of the instance. */
export interface AuthorizationOwner {
  personId: Id<'per'>
  projectId: Id<'prj'> | null
}

export interface AcceptedAuthorization {
  id: Id<'gha'>
  baseUrl: string
}

const validForMinutes = 15
const expiry = sql<Date>`now() + make_interval(mins => ${validForMinutes})`

export class GithubAuthorizationStore {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  /** Returns the state. Only its hash is stored. */
  async start({ personId, projectId }: AuthorizationOwner, baseUrl: string): Promise<string> {
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
        expires_at: expiry,
      })
      .execute()
    return state
  }

  /**
   * Undefined: the state belongs to someone else, was used, or has expired. Otherwise the validity starts again, so that there
   * is time to choose a repository.
   */
  async redeemState(
    { personId, projectId }: AuthorizationOwner,
    state: string,
  ): Promise<AcceptedAuthorization | undefined> {
    const row = await this.#db
      .updateTable('github_authorization')
      .set({ state_hash: null, expires_at: expiry })
      .where('state_hash', '=', hashOf(state))
      .where('person_id', '=', personId)
      .where('project_id', 'is not distinct from', projectId)
      .where('expires_at', '>', sql<Date>`now()`)
      .returning(['id', 'base_url'])
      .executeTakeFirst()
    return row && { id: row.id, baseUrl: row.base_url }
  }

  async storeCode(id: Id<'gha'>, code: string, sealer: Sealer): Promise<void> {
    const sealed = await sealer.seal(code, bindingOf(id))
    await this.#db
      .updateTable('github_authorization')
      .set({ sealed_code: Buffer.from(sealed) })
      .where('id', '=', id)
      .execute()
  }

  /** Returns the code once, because a code is valid for one exchange only. */
  async consumeCode(id: Id<'gha'>, opener: Opener): Promise<{ baseUrl: string; code: string } | undefined> {
    return this.#db.transaction().execute(async (tx) => {
      const row = await tx
        .selectFrom('github_authorization')
        .select(['base_url', 'sealed_code'])
        .where('id', '=', id)
        .forUpdate()
        .executeTakeFirst()
      if (!row?.sealed_code) return undefined
      await tx.updateTable('github_authorization').set({ sealed_code: null }).where('id', '=', id).execute()
      return { baseUrl: row.base_url, code: await opener.open(toSealedSecret(row.sealed_code), bindingOf(id)) }
    })
  }

  async storeRepositories(id: Id<'gha'>, repositories: readonly WritableRepository[]): Promise<void> {
    await this.#db
      .updateTable('github_authorization')
      .set({ repositories: JSON.stringify(repositories) })
      .where('id', '=', id)
      .execute()
  }

  /** Undefined: the authorization is not theirs or has expired, or the repositories have not been read from GitHub yet. */
  async findRepositories(
    { personId, projectId }: AuthorizationOwner,
    id: Id<'gha'>,
  ): Promise<{ baseUrl: string; repositories: WritableRepository[] } | undefined> {
    const row = await this.#unexpired(id)
      .where('person_id', '=', personId)
      .where('project_id', 'is not distinct from', projectId)
      .executeTakeFirst()
    return row?.repositories ? { baseUrl: row.base_url, repositories: row.repositories } : undefined
  }

  /** For `worker`, which gets only ids. */
  async findRepository(
    id: Id<'gha'>,
    repositoryId: number,
  ): Promise<{ baseUrl: string; repository: WritableRepository } | undefined> {
    const row = await this.#unexpired(id).executeTakeFirst()
    const repository = row?.repositories?.find(({ id }) => id === repositoryId)
    return row && repository && { baseUrl: row.base_url, repository }
  }

  async delete(id: Id<'gha'>): Promise<void> {
    await this.#db.deleteFrom('github_authorization').where('id', '=', id).execute()
  }

  async deleteExpired(): Promise<void> {
    await this.#db.deleteFrom('github_authorization').where('expires_at', '<', sql<Date>`now()`).execute()
  }

  #unexpired(id: Id<'gha'>) {
    return this.#db
      .selectFrom('github_authorization')
      .select(['base_url', 'repositories'])
      .where('id', '=', id)
      .where('expires_at', '>', sql<Date>`now()`)
  }
}

const hashOf = (state: string): Buffer => createHash('sha256').update(state).digest()

const bindingOf = (id: Id<'gha'>) => ({ projectId: '', credentialId: id, kind: 'github-code' })
