import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { type Id, newId } from '../platform/ids.ts'
import { createLog } from '../platform/log.ts'
import { startPoller } from './poller.ts'

const log = createLog('test', { level: 'error' })
const slow = newId('prj')
const quick = newId('prj')
const never = new Promise<void>(() => {})

test('uses one slot per project, frees the slot of a poll that hangs, and does not wait for it when stopping', async () => {
  const started: Id<'prj'>[] = []
  const aborted: boolean[] = []
  const poller = startPoller({
    subject: 'things',
    claimDue: async (limit, busy) =>
      [slow, quick]
        .filter((projectId) => !busy.includes(projectId))
        .slice(0, limit)
        .map((projectId) => ({ projectId })),
    async poll({ projectId }, signal) {
      started.push(projectId)
      if (projectId === quick) {
        await sleep(20)
        throw new Error('code host unavailable')
      }
      signal.addEventListener('abort', () => aborted.push(true))
      await never
    },
    log,
    limits: { maxConcurrent: 2, deadlineMs: 2_000, stopWithinMs: 50 },
  })
  await sleep(500)
  expect(started.filter((projectId) => projectId === slow)).toHaveLength(1)
  expect(started.filter((projectId) => projectId === quick).length).toBeGreaterThan(1)
  await expect.poll(() => started.filter((projectId) => projectId === slow).length).toBeGreaterThan(1)
  expect(aborted.length).toBeGreaterThan(0)
  const stoppedAtMs = performance.now()
  await poller.stop()
  expect(performance.now() - stoppedAtMs).toBeLessThan(2_000)
})
