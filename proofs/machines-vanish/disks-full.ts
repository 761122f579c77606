/** The disk of PostgreSQL is full, then the one of ClickHouse. */
import { canMountSmallDisk, type SmallDisk } from '../../testing/harness/faults/small-disk.ts'
import type { Scenario, ScenarioContext } from './scenario.ts'

export const disksFullScenario: Scenario = {
  name: 'disks full',
  isInCi: false,
  reasonToSkip: async () => ((await canMountSmallDisk()) ? undefined : 'file systems cannot be mounted'),
  async run(context) {
    const { disks, services, database } = context.fixture
    if (!disks) throw new Error('there are no small disks')
    await context.startLoad()
    const clickhouseFullAtMs = performance.now()
    await fillDisk(context, disks.clickhouse, 'ClickHouse', 25)
    context.reportRecovery('requests while the disk of ClickHouse is full', clickhouseFullAtMs, () => true, {
      maxSeconds: 1,
    })
    const waitingSeconds = await context.readOldestWaitingSeconds()
    context.figure('oldest views that wait for space', `${waitingSeconds.toFixed(1)} s`)
    context.check(waitingSeconds > 10, `views wait while ClickHouse has no space: ${waitingSeconds.toFixed(1)} s`)
    await disks.clickhouse.free()
    await ensureRunning(services.processes.clickhouse)
    await context.wait(15)

    const failed = await fillDisk(context, disks.postgres, 'PostgreSQL', 25)
    context.check(failed > 0, `writes fail while PostgreSQL has no space: ${failed}`)
    await disks.postgres.free()
    await ensureRunning(database.primary.process)
    const freedAtMs = performance.now()
    await context.wait(30)
    context.reportRecovery('all requests, from when PostgreSQL has space again', freedAtMs, () => true, {
      maxSeconds: 15,
    })
    await context.finish()
  },
}

/** Returns how many requests failed. */
async function fillDisk(context: ScenarioContext, disk: SmallDisk, service: string, seconds: number): Promise<number> {
  const from = context.load.samples.length
  await disk.fill()
  context.log(`the disk of ${service} is full`)
  for (let second = 0; second < seconds; second++) {
    await context.wait(1)
    await disk.fill() // again, because the service may have freed some
  }
  const samples = context.load.samples.slice(from)
  const failed = samples.filter(({ ok }) => !ok).length
  context.figure(`requests, failed while the disk of ${service} was full`, `${samples.length}, ${failed}`)
  return failed
}

/** A service may exit when its disk is full. Its supervisor would start it again. */
async function ensureRunning(service: { pid: number | undefined; start(): Promise<void> }): Promise<void> {
  if (service.pid === undefined) await service.start()
}
