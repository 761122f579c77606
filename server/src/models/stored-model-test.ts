/** Only `worker` can open a stored model's key: whoever wants one tested asks it. */
import type { AskWorker } from '../platform/ask-worker.ts'
import type { Id } from '../platform/ids.ts'

/** Undefined: it works; else what is wrong, in words. */
export type TestStoredModel = (projectId: Id<'prj'>, model: string) => Promise<string | undefined>

export const createTestStoredModel =
  (askWorker: AskWorker): TestStoredModel =>
  async (projectId, model) => {
    const asked = await askWorker('testStoredModel', [projectId, model])
    if (asked.kind === 'nobody') return 'Nobody is there to test it: is `worker` running?'
    return typeof asked.response === 'string' ? asked.response : undefined
  }
