/** The models that the operator configured, for all projects or for some. */
import { type Kysely, type Selectable, sql } from 'kysely'
import { Problem } from '../platform/http/problem.ts'
import type { Id } from '../platform/ids.ts'
import { asSealedSecret, type Opener, reseal, type Sealer } from '../platform/sealed-secrets/sealed-secret.ts'
import { defaultModel, type Model } from './model.ts'
import type { ModelTables } from './tables.ts'

/** Its key is still sealed: whoever may open it does so for one call. */
export interface StoredModel extends Model {
  sealedKey: Uint8Array | null
}

export interface InstanceModel extends Model {
  hasKey: boolean
}

export class ModelStore {
  readonly #db: Kysely<ModelTables>

  constructor(db: Kysely<ModelTables>) {
    this.#db = db
  }

  /** The key null: the provider wants none. A new default takes the old one's place. */
  async add(model: Model, key: string | null, sealer: Sealer): Promise<void> {
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
      if (!added) throw new Problem('invalid_request', `There is a model ${model.name} already: remove it first.`)
    })
  }

  /** Jobs that are for it get no more answers. */
  async remove(name: string): Promise<void> {
    const removed = await this.#db.deleteFrom('model').where('name', '=', name).returning('name').executeTakeFirst()
    if (!removed) throw noSuchModel(name)
  }

  async allow(name: string, projectIds: readonly Id<'prj'>[] | null): Promise<void> {
    const allowed = await this.#db
      .updateTable('model')
      .set({ project_ids: projectIds && [...projectIds] })
      .where('name', '=', name)
      .returning('name')
      .executeTakeFirst()
    if (!allowed) throw noSuchModel(name)
  }

  /** A new default takes the old one's place. */
  async makeDefault(name: string): Promise<void> {
    await this.#db.transaction().execute(async (tx) => {
      await tx.updateTable('model').set({ is_default: false }).where('is_default', '=', true).execute()
      const made = await tx
        .updateTable('model')
        .set({ is_default: true })
        .where('name', '=', name)
        .returning('name')
        .executeTakeFirst()
      if (!made) throw noSuchModel(name)
    })
  }

  /** Only for who runs the installation: a project sees what it may use. */
  async list(): Promise<InstanceModel[]> {
    const rows = await this.#db.selectFrom('model').selectAll().orderBy('name').execute()
    return rows.map((row) => ({ ...asModel(row), hasKey: row.sealed_key !== null }))
  }

  /** The default among them is the project's own choice, where it has one. */
  async listFor(projectId: Id<'prj'>): Promise<Model[]> {
    const [rows, chosen] = await Promise.all([
      this.#allowed(projectId).orderBy('name').execute(),
      this.find(projectId, defaultModel),
    ])
    return rows.map((row) => ({ ...asModel(row), isDefault: row.name === chosen?.name }))
  }

  /** By its name, or `default`. Undefined: there is none, or the project may not use it. */
  async find(projectId: Id<'prj'>, name: string): Promise<StoredModel | undefined> {
    const row = await this.#allowed(projectId)
      .where((where) =>
        name === defaultModel
          ? where.or([
              where('is_default', '=', true),
              where('name', '=', (from) =>
                from.selectFrom('project').select('default_model').where('id', '=', projectId),
              ),
            ])
          : where('name', '=', name),
      )
      .orderBy('is_default') // the project's own choice goes before the installation's
      .limit(1)
      .executeTakeFirst()
    return row && { ...asModel(row), sealedKey: row.sealed_key }
  }

  /** What jobs get in a project that chose none; null: nothing. */
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

  /** After a new sealing key was put first, as `CredentialStore.resealAll`. */
  async resealAll(opener: Opener, sealer: Sealer): Promise<{ resealed: number; current: number }> {
    const rows = await this.#db.selectFrom('model').selectAll().where('sealed_key', 'is not', null).execute()
    let resealed = 0
    for (const row of rows) {
      const sealed = asSealedSecret(row.sealed_key ?? new Uint8Array())
      if (!sealer.needsResealing(sealed)) continue
      const fresh = await reseal(sealed, bindingOf(asModel(row)), { opener, sealer })
      const { numUpdatedRows } = await this.#db
        .updateTable('model')
        .set({ sealed_key: Buffer.from(fresh) })
        .where('name', '=', row.name)
        .where('sealed_key', '=', Buffer.from(sealed))
        .executeTakeFirst()
      resealed += Number(numUpdatedRows)
    }
    return { resealed, current: rows.length - resealed }
  }
}

export async function openModelKey(model: StoredModel, opener: Opener): Promise<string | null> {
  return model.sealedKey === null ? null : opener.open(asSealedSecret(model.sealedKey), bindingOf(model))
}

/** With the address: whoever can write the table still cannot have a stored key sent to an address of their own. */
const bindingOf = ({ name, baseUrl }: Pick<Model, 'name' | 'baseUrl'>) => ({
  projectId: '', // the operator's, of no project
  credentialId: `${name} ${baseUrl}`,
  kind: 'model-key',
})

function asModel(row: Selectable<ModelTables['model']>): Model {
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

const noSuchModel = (name: string) => new Problem('not_found', `There is no model ${name}. See: admin model list`)
