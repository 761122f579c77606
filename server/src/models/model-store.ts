/** The models that the operator configured, for all projects or for some. */
import { type Selectable, sql } from 'kysely'
import { type Actor, recordInstanceAudit } from '../audit/audit-store.ts'
import type { Database } from '../database/database.ts'
import { Problem } from '../platform/http/problem.ts'
import type { Id } from '../platform/ids.ts'
import { type Opener, reseal, type Sealer, toSealedSecret } from '../platform/sealed-secrets/sealed-secret.ts'
import { defaultModelAlias, type Model } from './model.ts'
import type { ModelTables } from './tables.ts'

/** Its key is still sealed. It is opened for one call at a time. */
export interface StoredModel extends Model {
  sealedKey: Uint8Array | null
}

export interface InstanceModel extends Model {
  hasKey: boolean
}

export class ModelStore {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  /** `key` is null for a provider that needs none. A new default replaces the old one. */
  async add(model: Model, key: string | null, sealer: Sealer, actor: Actor): Promise<void> {
    const sealed = key === null ? null : await sealer.seal(key, bindingOf(model))
    await this.#db.transaction().execute(async (tx) => {
      if (model.isDefault)
        await tx.updateTable('model').set({ is_default: false }).where('is_default', '=', true).execute()
      const added = await tx
        .insertInto('model')
        .values({
          name: model.name,
          format: model.format,
          base_url: model.baseUrl,
          provider_model: model.providerModel,
          context_window_tokens: model.contextWindowTokens,
          max_output_tokens: model.maxOutputTokens,
          input_price: model.prices.input,
          output_price: model.prices.output,
          cache_read_price: model.prices.cacheRead,
          cache_write_price: model.prices.cacheWrite,
          sealed_key: sealed && Buffer.from(sealed),
          project_ids: model.projectIds && [...model.projectIds],
          is_default: model.isDefault,
        })
        .onConflict((conflict) => conflict.column('name').doNothing())
        .returning('name')
        .executeTakeFirst()
      if (!added) throw new Problem('invalid_request', `A model named ${model.name} already exists. Remove it first.`)
      const { name, baseUrl, providerModel, projectIds, isDefault } = model
      const detail = { baseUrl, providerModel, projectIds, isDefault, hasKey: key !== null }
      await recordInstanceAudit(tx, actor, { action: 'model.added', subject: name, detail })
    })
  }

  /** Jobs that use the model can make no more calls. */
  async remove(name: string, actor: Actor): Promise<void> {
    await this.#db.transaction().execute(async (tx) => {
      const removed = await tx.deleteFrom('model').where('name', '=', name).returning('base_url').executeTakeFirst()
      if (!removed) throw noSuchModel(name)
      const detail = { baseUrl: removed.base_url }
      await recordInstanceAudit(tx, actor, { action: 'model.removed', subject: name, detail })
    })
  }

  async setAllowedProjects(name: string, projectIds: readonly Id<'prj'>[] | null, actor: Actor): Promise<void> {
    await this.#db.transaction().execute(async (tx) => {
      const allowed = await tx
        .updateTable('model')
        .set({ project_ids: projectIds && [...projectIds] })
        .where('name', '=', name)
        .returning('name')
        .executeTakeFirst()
      if (!allowed) throw noSuchModel(name)
      const entry = { action: 'model.projects_changed', subject: name, detail: { projectIds } } as const
      await recordInstanceAudit(tx, actor, entry)
    })
  }

  /** Replaces the current default. */
  async setDefault(name: string, actor: Actor): Promise<void> {
    await this.#db.transaction().execute(async (tx) => {
      await tx.updateTable('model').set({ is_default: false }).where('is_default', '=', true).execute()
      const updated = await tx
        .updateTable('model')
        .set({ is_default: true })
        .where('name', '=', name)
        .returning('name')
        .executeTakeFirst()
      if (!updated) throw noSuchModel(name)
      await recordInstanceAudit(tx, actor, { action: 'model.made_default', subject: name, detail: {} })
    })
  }

  /** For operators only: members of a project see the models that it may use. */
  async list(): Promise<InstanceModel[]> {
    const rows = await this.#db.selectFrom('model').selectAll().orderBy('name').execute()
    return rows.map((row) => ({ ...toModel(row), hasKey: row.sealed_key !== null }))
  }

  /** `isDefault` is true for the default of the project, or else for that of the instance. */
  async listFor(projectId: Id<'prj'>): Promise<Model[]> {
    const [rows, projectDefault] = await Promise.all([
      this.#allowed(projectId).orderBy('name').execute(),
      this.find(projectId, defaultModelAlias),
    ])
    return rows.map((row) => ({ ...toModel(row), isDefault: row.name === projectDefault?.name }))
  }

  /** By name, or `default`. Undefined: the model does not exist, or the project may not use it. */
  async find(projectId: Id<'prj'>, name: string): Promise<StoredModel | undefined> {
    const row = await this.#allowed(projectId)
      .where((where) =>
        name === defaultModelAlias
          ? where.or([
              where('is_default', '=', true),
              where('name', '=', (from) =>
                from.selectFrom('project').select('default_model').where('id', '=', projectId),
              ),
            ])
          : where('name', '=', name),
      )
      .orderBy('is_default') // the default of the project has priority over that of the instance
      .limit(1)
      .executeTakeFirst()
    return row && { ...toModel(row), sealedKey: row.sealed_key }
  }

  /** The model of jobs in a project without a default of its own. Null: none. */
  async instanceDefault(projectId: Id<'prj'>): Promise<string | null> {
    const row = await this.#allowed(projectId).where('is_default', '=', true).executeTakeFirst()
    return row?.name ?? null
  }

  #allowed(projectId: Id<'prj'>) {
    return this.#db
      .selectFrom('model')
      .selectAll()
      .where((where) => where.or([where('project_ids', 'is', null), sql<boolean>`${projectId} = ANY (project_ids)`]))
  }

  /** For key rotation, when a new sealing key has been put first. Like `CredentialStore.resealAll`. */
  async resealAll(opener: Opener, sealer: Sealer): Promise<{ resealed: number; current: number }> {
    const rows = await this.#db.selectFrom('model').selectAll().where('sealed_key', 'is not', null).execute()
    let resealed = 0
    for (const row of rows) {
      const sealed = toSealedSecret(row.sealed_key ?? new Uint8Array())
      if (!sealer.needsResealing(sealed)) continue
      const resealedKey = await reseal(sealed, bindingOf(toModel(row)), { opener, sealer })
      const { numUpdatedRows } = await this.#db
        .updateTable('model')
        .set({ sealed_key: Buffer.from(resealedKey) })
        .where('name', '=', row.name)
        .where('sealed_key', '=', Buffer.from(sealed))
        .executeTakeFirst()
      resealed += Number(numUpdatedRows)
    }
    return { resealed, current: rows.length - resealed }
  }
}

export async function openModelKey(model: StoredModel, opener: Opener): Promise<string | null> {
  return model.sealedKey === null ? null : opener.open(toSealedSecret(model.sealedKey), bindingOf(model))
}

/** Includes the URL: an attacker who can write the table still cannot have a stored key sent to a URL of their choice. */
const bindingOf = ({ name, baseUrl }: Pick<Model, 'name' | 'baseUrl'>) => ({
  projectId: '', // belongs to the instance, not to a project
  credentialId: `${name} ${baseUrl}`,
  kind: 'model-key',
})

function toModel(row: Selectable<ModelTables['model']>): Model {
  return {
    name: row.name,
    format: row.format,
    baseUrl: row.base_url,
    providerModel: row.provider_model,
    contextWindowTokens: row.context_window_tokens,
    maxOutputTokens: row.max_output_tokens,
    prices: {
      input: row.input_price,
      output: row.output_price,
      cacheRead: row.cache_read_price,
      cacheWrite: row.cache_write_price,
    },
    projectIds: row.project_ids,
    isDefault: row.is_default,
  }
}

const noSuchModel = (name: string) =>
  new Problem('not_found', `There is no model named ${name}. List them with \`colophon-server admin model list\`.`)
