import type { FastifyBaseLogger } from 'fastify'
import { expect, test, vi } from 'vitest'
import type { ModelCallStore, Reservation } from '../../models/model-call-store.ts'
import { UsageMeter } from './usage-meter.ts'

const prices = { input: '3', output: '15', cacheRead: null, cacheWrite: null }
const reservation = {
  id: 'mcl_1',
  model: { name: 'a model', prices },
  maxUsage: { inputTokens: 100, outputTokens: 50 },
}

/** A meter whose database fails a number of times. */
function createMeter(failures: number) {
  const settle = vi.fn<ModelCallStore['settle']>().mockResolvedValue()
  for (let failure = 0; failure < failures; failure++) settle.mockRejectedValueOnce(new Error('timeout'))
  const log = { warn: vi.fn(), error: vi.fn() }
  const meter = new UsageMeter(
    { settle } as unknown as ModelCallStore,
    reservation as unknown as Reservation,
    log as unknown as FastifyBaseLogger,
  )
  return { meter, settle, log }
}

test('a call is settled although the database fails for a moment', async () => {
  const { meter, settle, log } = createMeter(2)
  meter.reportUsage({ inputTokens: 7, outputTokens: 3 })
  await meter.settleComplete()
  await meter.settleInterrupted()
  expect(settle).toHaveBeenCalledTimes(3)
  expect(settle.mock.lastCall?.[1]).toMatchObject({ inputTokens: 7, outputTokens: 3 })
  expect(log.error).not.toHaveBeenCalled()
})

test('when the database keeps failing, the reservation counts, and an error is logged', async () => {
  const { meter, settle, log } = createMeter(100)
  await meter.settleUnused()
  expect(settle).toHaveBeenCalledTimes(4)
  expect(log.error).toHaveBeenCalledOnce()
})
