/** The model providers as routes use them. `main` provides the implementation, because routes must not call providers. */
import type { Actor } from '../../audit/audit-store.ts'
import type { Model } from '../../models/model.ts'

export interface ModelConnector {
  /** Makes one small model call. Returns a message that says what is wrong, or undefined if the model works. */
  test(model: Model, key: string | null): Promise<string | undefined>
  /** Stores the key sealed. */
  save(model: Model, key: string | null, actor: Actor): Promise<void>
}
