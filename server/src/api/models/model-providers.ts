/** What routes need of those who sell models; `main` brings it, as routes know of none. */
import type { Model } from '../../models/model.ts'

export interface ModelProviders {
  /** One tiny call. Undefined: it works; else what is wrong, in words. */
  test(model: Model, key: string | null): Promise<string | undefined>
  /** Its key is sealed. */
  save(model: Model, key: string | null): Promise<void>
}
