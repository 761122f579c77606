import type {
  AddModelData,
  InstanceModel,
  ListInstanceModelsData,
  ListInstanceModelsResponse,
  ModelTest,
  RemoveModelData,
  RemoveModelResponse,
  SetDefaultModelData,
  SetDefaultModelResponse,
  TestModelData,
} from './generated/types.gen.ts'
import type { OperationCaller } from './operation.ts'
import type { CallOptions } from './request.ts'

export type InstanceModelCalls = ReturnType<typeof createInstanceModelCalls>

/** For operators. */
export const createInstanceModelCalls = (call: OperationCaller) => ({
  /**
   * The models of the instance.
   * @example
   * const { models } = await client.models.list()
   */
  list: (options?: CallOptions) =>
    call<ListInstanceModelsData, ListInstanceModelsResponse>('GET', { url: '/v2/models' }, options),

  /**
   * Tests the model with one tiny call. Nothing is stored.
   * @example
   * const test = await client.models.test(model)
   */
  test: (body: TestModelData['body'], options?: CallOptions) =>
    call<TestModelData, ModelTest>('POST', { url: '/v2/model-tests', body }, options),

  /**
   * Tests the model, then stores it. The key is sealed.
   * @example
   * await client.models.add(model)
   */
  add: (body: AddModelData['body'], options?: CallOptions) =>
    call<AddModelData, InstanceModel>('POST', { url: '/v2/models', body }, options),

  /**
   * Jobs that use the model fail at their next model call.
   * @example
   * await client.models.remove('large')
   */
  remove: (modelName: string, options?: CallOptions) =>
    call<RemoveModelData, RemoveModelResponse>(
      'DELETE',
      { url: '/v2/models/{modelName}', path: { modelName } },
      options,
    ),

  /**
   * Makes a model the default: jobs use it if neither the job nor its project names one. Returns all models.
   * @example
   * await client.models.setDefault('large')
   */
  setDefault: (modelName: string, options?: CallOptions) =>
    call<SetDefaultModelData, SetDefaultModelResponse>(
      'POST',
      { url: '/v2/models/{modelName}/default', path: { modelName } },
      options,
    ),
})
