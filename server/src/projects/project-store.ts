import type { Kysely } from 'kysely'
import type { Actor, RecordAudit } from '../audit/audit-store.ts'
import { Problem } from '../platform/http/problem.ts'
import { type Id, newId } from '../platform/ids.ts'
import type { ProjectTables } from './tables.ts'

export interface Project {
  id: Id<'prj'>
  name: string
  createdAt: Date
}

export class ProjectStore {
  readonly #db: Kysely<ProjectTables>
  readonly #recordAudit: RecordAudit

  constructor(db: Kysely<ProjectTables>, recordAudit: RecordAudit) {
    this.#db = db
    this.#recordAudit = recordAudit
  }

  async create(name: string, actor: Actor): Promise<Project> {
    return this.#db.transaction().execute(async (tx) => {
      const project = await tx
        .insertInto('project')
        .values({ id: newId('prj'), name })
        .returning(['id', 'name', 'created_at as createdAt'])
        .executeTakeFirstOrThrow()
      await this.#recordAudit(tx, project.id, actor, {
        action: 'project.created',
        subject: project.id,
        detail: { name },
      })
      return project
    })
  }

  async get(id: Id<'prj'>): Promise<Project> {
    const project = await this.#db
      .selectFrom('project')
      .select(['id', 'name', 'created_at as createdAt'])
      .where('id', '=', id)
      .executeTakeFirst()
    if (!project) throw noSuchProject()
    return project
  }

  /** Only for the person at the machine: a key sees its own project alone. */
  async list(): Promise<Project[]> {
    return this.#db.selectFrom('project').select(['id', 'name', 'created_at as createdAt']).orderBy('id').execute()
  }

  async rename(id: Id<'prj'>, name: string, actor: Actor): Promise<Project> {
    return this.#db.transaction().execute(async (tx) => {
      const project = await tx
        .updateTable('project')
        .set({ name })
        .where('id', '=', id)
        .returning(['id', 'name', 'created_at as createdAt'])
        .executeTakeFirst()
      if (!project) throw noSuchProject()
      await this.#recordAudit(tx, id, actor, { action: 'project.renamed', subject: id, detail: { name } })
      return project
    })
  }
}

const noSuchProject = () => new Problem('not_found', 'There is no such project.')
