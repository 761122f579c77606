/** One fault at a time, each over before the next one. `api 2`, `worker 2` and the runner with the agent are never restarted. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { ManagedProcess } from '../../testing/services/managed-process.ts'
import type { LongHaulFixture } from './fixture.ts'

export interface Fault {
  name: string
  run(fixture: LongHaulFixture): Promise<void>
}

/** Longer than the timeouts after which others take over. */
const silentMs = 10_000
const slowMs = 8_000

async function restart(process: ManagedProcess): Promise<void> {
  await process.kill()
  await sleep(1_000)
  await process.start()
}

export const faults: readonly Fault[] = [
  { name: 'api 1 is killed', run: ({ vanish }) => restart(vanish.apis[0].machine.process) },
  {
    name: 'api 1 is stopped and started',
    async run({ vanish }) {
      await vanish.apis[0].machine.process.stop()
      await vanish.apis[0].machine.process.start()
    },
  },
  {
    name: 'worker 1 is killed',
    async run(fixture) {
      fixture.workerKills++
      await restart(fixture.vanish.workers[0].machine.process)
    },
  },
  {
    name: 'a test runner is killed',
    async run({ vanish }) {
      const [runner] = vanish.runners
      await runner?.machine.process.kill()
      await sleep(1_000)
      await runner?.start()
    },
  },
  ...([0, 1] as const).map((index) => ({
    name: `api ${index + 1} has no network`,
    async run({ vanish }: LongHaulFixture) {
      await vanish.apis[index].machine.vanish()
      await sleep(silentMs)
      await vanish.apis[index].machine.comeBack()
    },
  })),
  ...([0, 1] as const).map((index) => ({
    name: `worker ${index + 1} has no network`,
    async run({ vanish }: LongHaulFixture) {
      await vanish.workers[index].machine.vanish()
      await sleep(silentMs)
      await vanish.workers[index].machine.comeBack()
    },
  })),
  { name: 'ClickHouse is killed', run: ({ vanish }) => restart(vanish.services.processes.clickhouse) },
  { name: 'Temporal is killed', run: ({ vanish }) => restart(vanish.services.processes.temporal) },
  { name: 'Gitea is killed', run: ({ vanish }) => restart(vanish.services.processes.gitea) },
  { name: 'PostgreSQL is killed', run: ({ vanish }) => restart(vanish.database.primary.process) },
  {
    name: 'the code host is slow',
    async run({ vanish }) {
      await vanish.codeHost.setFault({ kind: 'delay', delayMs: 1_000 })
      await sleep(slowMs)
      await vanish.codeHost.setFault({ kind: 'none' })
    },
  },
  {
    name: 'ClickHouse is slow',
    async run({ vanish }) {
      const relays = [...vanish.apis, ...vanish.workers].map(({ clickhouse }) => clickhouse)
      await Promise.all(relays.map((relay) => relay.setFault({ kind: 'delay', delayMs: 1_000 })))
      await sleep(slowMs)
      await Promise.all(relays.map((relay) => relay.setFault({ kind: 'none' })))
    },
  },
]
