import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { type Id, newId } from '../platform/ids.ts'
import { QueuedAttemptWatcher, type WaitingRunner } from './queued-attempt-watcher.ts'

const docs = newId('prj')
const other = newId('prj')
const isConnected = { isDisconnected: () => false }

function createWatcher() {
  const queued = new Map<Id<'prj'>, number>()
  const state = { queries: 0 }
  const watcher = new QueuedAttemptWatcher({
    async countQueued() {
      state.queries++
      return [...queued].map(([projectId, attempts]) => ({ projectId, attempts }))
    },
  })
  const woken: string[] = []
  const wait = (name: string, runner: WaitingRunner) => watcher.wait(runner, 2_000).then(() => woken.push(name))
  return { watcher, queued, state, woken, wait }
}

test('wakes as many runners as there are attempts, those that have waited longest first', async () => {
  const { watcher, queued, woken, wait } = createWatcher()
  const waiting = ['first', 'second', 'third'].map((name) => wait(name, { projectIds: null, ...isConnected }))
  queued.set(docs, 2)
  watcher.notify()
  await Promise.all(waiting.slice(0, 2))
  expect(woken).toEqual(['first', 'second'])
})

test('wakes only runners of the project, and does not count one that has disconnected', async () => {
  const { watcher, queued, woken, wait } = createWatcher()
  const ofOther = wait('of another project', { projectIds: [other], ...isConnected })
  const gone = wait('gone', { projectIds: [docs], isDisconnected: () => true })
  const ofDocs = wait('of the project', { projectIds: [docs], ...isConnected })
  queued.set(docs, 1)
  watcher.notify()
  await Promise.all([gone, ofDocs])
  expect(woken).toEqual(['gone', 'of the project'])
  queued.set(other, 1)
  watcher.notify()
  await ofOther
})

test('finds what other processes queue with one query for all runners, and none while nobody waits', async () => {
  const { queued, state, wait } = createWatcher()
  const waiting = Array.from({ length: 50 }, (_, index) => wait(`${index}`, { projectIds: null, ...isConnected }))
  await sleep(700)
  expect(state.queries).toBe(1)
  queued.set(docs, 50)
  await Promise.all(waiting)
  const { queries } = state
  await sleep(700)
  expect(state.queries).toBe(queries)
})
