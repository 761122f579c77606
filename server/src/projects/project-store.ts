import { type Actor, recordAudit } from '../audit/audit-store.ts'
import type { Database, DatabaseTransaction } from '../database/database.ts'
import { Problem } from '../platform/http/problem.ts'
import { type Id, newId } from '../platform/ids.ts'

export interface Project {
  id: Id<'prj'>
  name: string
  createdAt: Date
  /** Null: the project is not paused. */
  pausedAt: Date | null
}

export interface ProjectSettings {
  /** Instructions for the agent in every job. Null: none. */
  instructions: string | null
  /** Model of jobs that do not name one. Null: the default model of the instance. */
  defaultModel: string | null
  /** Null: jobs are kept forever. */
  jobRetentionDays: number | null
}

export const maxInstructionCharacters = 20_000

const columns = ['id', 'name', 'created_at as createdAt', 'paused_at as pausedAt'] as const

export class ProjectStore {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  /** `owner` is the signed-in person who creates the project. Undefined for `colophon-server admin`. */
  async create(name: string, actor: Actor, owner?: { id: Id<'per'>; email: string }): Promise<Project> {
    return this.#db.transaction().execute(async (tx) => {
      const project = await tx
        .insertInto('project')
        .values({ id: newId('prj'), name })
        .returning(columns)
        .executeTakeFirstOrThrow()
      await recordAudit(tx, project.id, actor, {
        action: 'project.created',
        subject: project.id,
        detail: { name },
      })
      if (owner) {
        await tx
          .insertInto('project_member')
          .values({
            project_id: project.id,
            id: newId('mbr'),
            role: 'owner',
            email: owner.email,
            person_id: owner.id,
          })
          .execute()
      }
      return project
    })
  }

  async get(id: Id<'prj'>): Promise<Project> {
    const project = await selectLive(this.#db).select(columns).where('id', '=', id).executeTakeFirst()
    if (!project) throw noSuchProject()
    return project
  }

  /** Only for `colophon-server admin`: an API key has access to only one project. */
  async list(): Promise<Project[]> {
    return selectLive(this.#db).select(columns).orderBy('id').execute()
  }

  async rename(id: Id<'prj'>, name: string, actor: Actor): Promise<Project> {
    return this.#db.transaction().execute(async (tx) => {
      const project = await tx
        .updateTable('project')
        .set({ name })
        .where('id', '=', id)
        .where('deleted_at', 'is', null)
        .returning(columns)
        .executeTakeFirst()
      if (!project) throw noSuchProject()
      await recordAudit(tx, id, actor, { action: 'project.renamed', subject: id, detail: { name } })
      return project
    })
  }

  /** Instructions for the agent in every job. Null: none. */
  async readInstructions(id: Id<'prj'>): Promise<string | null> {
    const project = await selectLive(this.#db).select('instructions').where('id', '=', id).executeTakeFirst()
    if (!project) throw noSuchProject()
    return project.instructions
  }

  async readSettings(id: Id<'prj'>): Promise<ProjectSettings> {
    const settings = await selectLive(this.#db)
      .select(['instructions', 'default_model as defaultModel', 'job_retention_days as jobRetentionDays'])
      .where('id', '=', id)
      .executeTakeFirst()
    if (!settings) throw noSuchProject()
    return settings
  }

  /** Omitted fields stay as they are. `alsoChange` runs in the same transaction. */
  async changeSettings(
    id: Id<'prj'>,
    { instructions, ...changes }: Partial<ProjectSettings>,
    actor: Actor,
    alsoChange?: (tx: DatabaseTransaction) => Promise<void>,
  ): Promise<void> {
    const { defaultModel, jobRetentionDays } = changes
    await this.#db.transaction().execute(async (tx) => {
      if (Object.keys(changes).length > 0) {
        await tx
          .updateTable('project')
          .set({
            ...(defaultModel !== undefined && { default_model: defaultModel }),
            ...(jobRetentionDays !== undefined && { job_retention_days: jobRetentionDays }),
          })
          .where('id', '=', id)
          .execute()
        await recordAudit(tx, id, actor, {
          action: 'project.settings_changed',
          subject: id,
          detail: { ...changes },
        })
      }
      if (instructions !== undefined) await this.#updateInstructions(tx, id, instructions, actor)
      await alsoChange?.(tx)
    })
  }

  /** Takes effect from the next turn. */
  async setInstructions(id: Id<'prj'>, instructions: string | null, actor: Actor): Promise<void> {
    await this.#db.transaction().execute((tx) => this.#updateInstructions(tx, id, instructions, actor))
  }

  async #updateInstructions(tx: DatabaseTransaction, id: Id<'prj'>, instructions: string | null, actor: Actor) {
    const before = await selectLive(tx).select('instructions').where('id', '=', id).forUpdate().executeTakeFirst()
    if (!before) throw noSuchProject()
    await tx.updateTable('project').set({ instructions }).where('id', '=', id).execute()
    // Both texts: instructions command the agent in every job, so a change of them has to be traceable word by word.
    const detail = { characters: instructions?.length ?? 0, from: before.instructions, to: instructions }
    await recordAudit(tx, id, actor, { action: 'project.instructions_changed', subject: id, detail })
  }
}

const selectLive = (db: Database) => db.selectFrom('project').where('deleted_at', 'is', null)

const noSuchProject = () => new Problem('not_found', 'There is no project with this ID.')
