/** ClickHouse responds, but so slowly that the calls of Colophon time out, and later normally. */
import type { Scenario } from './scenario.ts'

const bytesPerSecond = 4

export const clickhouseSlowScenario: Scenario = {
  name: 'clickhouse slow',
  isInCi: false,
  async run(context) {
    const { apis, workers } = context.fixture
    const relays = [...apis, ...workers].map(({ clickhouse }) => clickhouse)
    await context.startLoad()
    const faultAtMs = performance.now()
    await Promise.all(relays.map((relay) => relay.setFault({ kind: 'trickle', bytesPerSecond })))
    context.log(`responses arrive with ${bytesPerSecond} bytes per second`)
    await context.wait(50)
    context.reportRecovery('requests that do not need ClickHouse', faultAtMs, () => true, { maxSeconds: 1 })
    const waitingMeanwhileSeconds = await context.readOldestWaitingSeconds()
    context.figure('oldest views that are not counted meanwhile', `${waitingMeanwhileSeconds.toFixed(1)} s`)
    await Promise.all(relays.map((relay) => relay.setFault({ kind: 'delay', delayMs: 1_500 })))
    context.log('everything arrives 1.5 s later')
    await context.wait(20)
    await Promise.all(relays.map((relay) => relay.setFault({ kind: 'none' })))
    await context.wait(10)
    const waitingSeconds = await context.readOldestWaitingSeconds()
    context.figure('oldest views that are not counted 10 s later', `${waitingSeconds.toFixed(1)} s`)
    context.check(waitingSeconds < 10, `soon after ClickHouse is normal, no views wait: ${waitingSeconds.toFixed(1)} s`)
    await context.finish()
  },
}
