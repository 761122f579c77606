import type { Model } from '../../models/model.ts'
import type { Egress } from '../../platform/egress/egress.ts'
import { EgressError } from '../../platform/egress/egress-error.ts'
import { callProvider, wordsOf } from './call-provider.ts'
import { parseObject } from './json.ts'
import { ModelError } from './model-error.ts'
import type { Wire } from './wire.ts'
import { wires } from './wires.ts'

const ordinaryPatienceMs = 60_000

/** One tiny call. Says what is wrong, in words for the operator; undefined: nothing is. */
export async function testModel(
  model: Model,
  key: string | null,
  egress: Egress,
  patienceMs = ordinaryPatienceMs,
): Promise<string | undefined> {
  const wire = wires.find(({ format }) => format === model.format) as Wire
  const { providerModel, maxOutputTokens } = model
  const { body } = wire.rebuild(wire.smallest, { providerModel, maxOutputTokens, cacheKey: 'test' })
  const call = { wire, model, key, body: JSON.stringify(body), signal: AbortSignal.timeout(patienceMs) }
  try {
    const response = await callProvider(egress, call, (fault, answer) => {
      const status = answer ? `answered ${answer.status}` : 'reported an error'
      return new ModelError('refused', { message: `The provider ${status}: ${wordsOf(fault, key) || 'nothing more'}` })
    })
    const { outputTokens } = wire.usageIn(parseObject(await response.text()) ?? {})
    if (outputTokens !== undefined) return undefined
    return `The provider answered, but not as ${model.format} has it: is it another format?`
  } catch (error) {
    if (call.signal.aborted) return `The provider did not answer within ${patienceMs / 1000} s.`
    if (error instanceof ModelError || error instanceof EgressError) return error.message
    throw error
  }
}
