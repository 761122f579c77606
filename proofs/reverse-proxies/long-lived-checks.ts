/** What lasts longer than the minute after which proxies usually give up. */
import { Agent } from 'node:https'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ProxyFixture } from './fixture.ts'
import { sendOverHttp2, sendThrough } from './proxied-client.ts'
import type { RunningProxy } from './start-proxies.ts'

const maxDelaySeconds = 5

/** Follows a waiting job over HTTP/1.1 and HTTP/2, in silence, until the job is cancelled. */
export async function keepsEventStreamsOpen(
  { run, project, silenceSeconds }: ProxyFixture,
  proxy: RunningProxy,
): Promise<void> {
  const { projectId, client, key } = project
  const { id } = await client.jobs.create(projectId, { prompt: `Wait behind ${proxy.name}.` })
  const request = {
    path: `/v2/agent/${projectId}/job/${id}/events`,
    headers: { authorization: `Bearer ${key}`, accept: 'text/event-stream' },
  }
  const startedAt = performance.now()
  const seconds = () => (performance.now() - startedAt) / 1000
  const follow = async (protocol: string, send: typeof sendThrough | typeof sendOverHttp2) => {
    let text = ''
    let firstSeconds = Number.POSITIVE_INFINITY
    let endSeconds = Number.POSITIVE_INFINITY
    const onData = (received: string) => {
      firstSeconds = Math.min(firstSeconds, seconds())
      text += received
      if (text.includes('event: end')) endSeconds = Math.min(endSeconds, seconds())
    }
    const error = await send(proxy, { ...request, onData }).then(
      () => '',
      (failure: unknown) => String(failure),
    )
    return { protocol, text, firstSeconds, endSeconds, closedSeconds: seconds(), error }
  }
  const following = [follow('HTTP/1.1', sendThrough), follow('HTTP/2', sendOverHttp2)]
  await sleep(silenceSeconds * 1000)
  const cancelledSeconds = seconds()
  await client.jobs.cancel(projectId, id)
  for (const { protocol, firstSeconds, endSeconds, closedSeconds, error } of await Promise.all(following)) {
    const name = `${proxy.name}, ${protocol}`
    run.check(
      firstSeconds < 15 + maxDelaySeconds,
      `${name}: what is sent to keep a stream of events alive arrives at once: after ${firstSeconds.toFixed(1)} s`,
    )
    run.check(
      closedSeconds >= cancelledSeconds,
      `${name}: a stream of events survives ${silenceSeconds} s of silence: closed after ${closedSeconds.toFixed(1)} s ${error}`,
    )
    run.check(
      endSeconds < cancelledSeconds + maxDelaySeconds,
      `${name}: an event arrives at once: ${(endSeconds - cancelledSeconds).toFixed(1)} s after it happened`,
    )
  }
}

/**
 * A client's connection stays open between two requests, and so may those of the proxy, for which both ends have a time limit: a
 * request must not be sent on a connection that is just being closed.
 */
export async function keepsIdleConnection(
  { run, project, silenceSeconds }: ProxyFixture,
  proxy: RunningProxy,
): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const send = (via: Agent) =>
    sendThrough(proxy, {
      method: 'POST',
      path: `/v1/ingest/${project.projectId}/views`,
      headers: { authorization: `Bearer ${project.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ views: [{ path: '/docs/idle', userAgent: 'curl/8.0' }] }),
      agent: via,
    })
  try {
    const first = await send(agent)
    const second = await send(agent)
    run.check(first.localPort === second.localPort, `${proxy.name}: a client can use its connection again`)
    const statuses: number[] = []
    for (const waitSeconds of [55, 5, 5, 5, 2].map((each) => (each * silenceSeconds) / 70)) {
      await sleep(waitSeconds * 1000)
      statuses.push((await send(new Agent())).status)
    }
    await sleep(2_000)
    const all = await Promise.all(Array.from({ length: 20 }, () => send(new Agent())))
    statuses.push(...all.map(({ status }) => status))
    const failed = statuses.filter((status) => status !== 200)
    run.check(failed.length === 0, `${proxy.name}: requests after a pause succeed: ${failed.join(', ') || 'all'}`)
  } finally {
    agent.destroy()
  }
}
