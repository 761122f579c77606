/** `api` is restarted while clients send requests through the proxies. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { ProxyFixture } from './fixture.ts'
import { sendThrough } from './proxied-client.ts'
import type { RunningProxy } from './start-proxies.ts'

const everyMs = 100
const recoverWithinSeconds = 2
/** What a proxy responds while there is no `api`: clients retry these. */
const retriedStatuses = [502, 503, 504]

interface Observation {
  seconds: number
  /** Or why there was no response. */
  status: number | string
}

export async function survivesRestart(
  { run, colophon, project }: ProxyFixture,
  proxies: readonly RunningProxy[],
): Promise<void> {
  const startedAt = performance.now()
  const seconds = () => (performance.now() - startedAt) / 1000
  let isOver = false
  const observing = proxies.map(async (proxy) => {
    const observations: Observation[] = []
    while (!isOver) {
      const status = await sendThrough(proxy, {
        path: `/v2/agent/${project.projectId}/jobs`,
        headers: { authorization: `Bearer ${project.key}` },
      }).then(
        (response) => response.status,
        (error: unknown) => String(error),
      )
      observations.push({ seconds: seconds(), status })
      await sleep(everyMs)
    }
    return { proxy, observations }
  })
  await sleep(1_000)
  const stoppedSeconds = seconds()
  await colophon.api.process.restart()
  const readySeconds = seconds()
  await sleep(5_000)
  isOver = true
  for (const { proxy, observations } of await Promise.all(observing)) {
    const describe = (some: readonly Observation[]) =>
      some.map(({ status, seconds: at }) => `${status} at ${at.toFixed(1)} s`).join(', ') || 'none'
    const unexpected = observations.filter(
      ({ status }) => status !== 200 && !(typeof status === 'number' && retriedStatuses.includes(status)),
    )
    run.check(
      unexpected.length === 0,
      `${proxy.name}: a restart of api causes no other error than 502: ${describe(unexpected)}`,
    )
    const before = observations.filter(({ seconds: at, status }) => at < stoppedSeconds && status !== 200)
    run.check(before.length === 0, `${proxy.name}: requests before the restart succeed: ${describe(before)}`)
    const after = observations.filter(
      ({ seconds: at, status }) => at > readySeconds + recoverWithinSeconds && status !== 200,
    )
    run.check(
      after.length === 0 && observations.some(({ seconds: at }) => at > readySeconds + recoverWithinSeconds),
      `${proxy.name}: requests succeed ${recoverWithinSeconds} s after api is back: ${describe(after)}`,
    )
    const failed = observations.filter(({ status }) => status !== 200)
    run.figure(
      `responses 502 during a restart of ${(readySeconds - stoppedSeconds).toFixed(1)} s, ${proxy.name}`,
      failed.length,
    )
  }
}
