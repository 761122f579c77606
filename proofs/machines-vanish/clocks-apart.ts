/** The clocks of the machines differ by twenty minutes, more than a turn may take. */
import { canSkewClock, clockSkewEnvironment } from '../../testing/harness/faults/clock-skew.ts'
import type { Scenario } from './scenario.ts'

const skewSeconds = 600

export const clocksApartScenario: Scenario = {
  name: 'clocks apart',
  isInCi: false,
  reasonToSkip: async () => ((await canSkewClock()) ? undefined : 'libfaketime is not available'),
  async run(context) {
    const { apis, workers, runners } = context.fixture
    const ahead = await clockSkewEnvironment({ skewSeconds })
    const behind = await clockSkewEnvironment({ skewSeconds: -skewSeconds })
    for (const [index, environment] of [ahead, behind].entries())
      await Promise.all([apis[index], workers[index], runners[index]].map((machine) => machine?.start(environment)))
    try {
      context.log(`the first machine of each kind is ${skewSeconds} s ahead, and the second one as much behind`)
      for (const [index, expectedSeconds] of [skewSeconds, -skewSeconds].entries()) {
        const seconds = await readSkewSeconds(apis[index]?.url ?? '')
        context.check(
          Math.abs(seconds - expectedSeconds) < 10,
          `the clock of api ${index + 1} is ${expectedSeconds} s ahead: ${seconds} s`,
        )
      }
      await context.startLoad()
      const startedAtMs = performance.now()
      await context.wait(60)
      context.reportRecovery('all requests', startedAtMs, () => true, { maxSeconds: 1 })
      await context.finish()
    } finally {
      for (const index of [0, 1])
        await Promise.all([apis[index], workers[index], runners[index]].map((machine) => machine?.start()))
    }
  },
}

async function readSkewSeconds(apiUrl: string): Promise<number> {
  const { headers } = await fetch(`${apiUrl}/healthz`)
  return Math.round((Date.parse(headers.get('date') ?? '') - Date.now()) / 1000)
}
