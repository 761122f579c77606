/** Tests a stored model from `api`. Only `worker` can open the key of the model, so it performs the test. */
import type { CallWorker } from '../platform/call-worker.ts'
import type { Id } from '../platform/ids.ts'

/** Undefined if the model works, otherwise an error message. */
export type StoredModelTester = (projectId: Id<'prj'>, model: string) => Promise<string | undefined>

export const createStoredModelTester =
  (callWorker: CallWorker): StoredModelTester =>
  async (projectId, model) => {
    const result = await callWorker('testStoredModel', [projectId, model])
    if (result.kind === 'no_worker') return 'The test got no response from `worker`. Check that it is running.'
    return typeof result.response === 'string' ? result.response : undefined
  }
