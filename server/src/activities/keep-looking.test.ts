import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { type Id, newId } from '../platform/ids.ts'
import { createLog } from '../platform/log.ts'
import { keepLooking } from './keep-looking.ts'

const log = createLog('test', { level: 'error' })
const slow = newId('prj')
const quick = newId('prj')
const never = new Promise<void>(() => {})

test('a project takes one place, a look that hangs gives it up, and nobody waits for it at the end', async () => {
  const begun: Id<'prj'>[] = []
  const aborted: boolean[] = []
  const keeper = keepLooking({
    what: 'things',
    takeDue: async (limit, busy) =>
      [slow, quick]
        .filter((projectId) => !busy.includes(projectId))
        .slice(0, limit)
        .map((projectId) => ({ projectId })),
    async look({ projectId }, signal) {
      begun.push(projectId)
      if (projectId === quick) {
        await sleep(20)
        throw new Error('as hosts do')
      }
      signal.addEventListener('abort', () => aborted.push(true))
      await never
    },
    log,
    limits: { maxConcurrent: 2, deadlineMs: 300, stopWithinMs: 50 },
  })
  await sleep(200)
  expect(begun.filter((one) => one === slow)).toHaveLength(1)
  expect(begun.filter((one) => one === quick).length).toBeGreaterThan(1)
  await expect.poll(() => begun.filter((one) => one === slow).length, { timeout: 5_000 }).toBeGreaterThan(1)
  expect(aborted.length).toBeGreaterThan(0)
  const before = performance.now()
  await keeper.stop()
  expect(performance.now() - before).toBeLessThan(2_000)
})
