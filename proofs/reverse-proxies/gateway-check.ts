/** A runner behind TLS: its model is silent for longer than a proxy usually waits, and its events are followed through the proxy. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { formatFinalAgentReply, promptWithScript } from '../../testing/harness/scripted-model.ts'
import { waitForJob } from '../../testing/harness/wait-for-job.ts'
import type { ProxyFixture } from './fixture.ts'
import { sendThrough } from './proxied-client.ts'
import { gatewayName, type RunningProxy } from './start-proxies.ts'

const maxDelaySeconds = 3

export async function runsJobThroughGateway(
  { run, colophon, silenceSeconds }: ProxyFixture,
  proxy: RunningProxy,
): Promise<void> {
  const project = await colophon.connectProject(`Docs behind ${proxy.name}`)
  const authorityFile = join(colophon.directory, `${proxy.name}.pem`)
  writeFileSync(authorityFile, proxy.authorityPem)
  await colophon.startRunner({
    COLOPHON_GATEWAY_URL: `https://${gatewayName}:${proxy.gatewayPort}`,
    COLOPHON_GATEWAY_CA_BUNDLE_FILE: authorityFile,
    COLOPHON_RUNNER_TOKEN: await colophon.createRunnerToken([project.projectId], `behind ${proxy.name}`),
  })
  const { id } = await project.client.jobs.create(project.projectId, {
    prompt: promptWithScript('Write a page.', [
      { call: [{ tool: 'read', arguments: { path: 'docs/index.md' } }] },
      {
        call: [{ tool: 'write', arguments: { path: 'docs/page.md', content: '# Page\n' } }],
        fault: { kind: 'silence', afterChunks: 0, milliseconds: silenceSeconds * 1000 },
      },
      { say: formatFinalAgentReply('Write a page', 'As asked.') },
    ]),
  })
  const path = `/v2/agent/${project.projectId}/job/${id}/events`
  const headers = { authorization: `Bearer ${project.key}`, accept: 'text/event-stream' }
  const [direct, proxied] = await Promise.all([
    recordArrivals((onData) => fetchStream(`${colophon.api.url}${path}`, headers, onData)),
    recordArrivals((onData) => sendThrough(proxy, { path, headers, onData })),
  ])
  const job = await waitForJob(project, id, { withinSeconds: 60 })
  run.check(
    job.outcome === 'pull_request',
    `${proxy.name}: a runner behind TLS completes a job whose model is silent for ${silenceSeconds} s: ${job.status}, ${job.outcome}, ${JSON.stringify(job.error)}`,
  )
  const delays = [...direct].map(([event, seconds]) => (proxied.get(event) ?? Number.POSITIVE_INFINITY) - seconds)
  const longest = Math.max(...delays)
  run.check(
    delays.length > 0 && longest < maxDelaySeconds,
    `${proxy.name}: the events of a job arrive at once: ${delays.length} events, the last one ${longest.toFixed(1)} s later than without the proxy`,
  )
}

/** Seconds until each event arrived, by its ID. */
async function recordArrivals(
  follow: (onData: (text: string) => void) => Promise<unknown>,
): Promise<ReadonlyMap<string, number>> {
  const arrivals = new Map<string, number>()
  const startedAt = performance.now()
  let text = ''
  await follow((received) => {
    text += received
    for (const [, id = ''] of text.matchAll(/^id: (.+)$/gm))
      if (!arrivals.has(id)) arrivals.set(id, (performance.now() - startedAt) / 1000)
  })
  return arrivals
}

async function fetchStream(
  url: string,
  headers: Record<string, string>,
  onData: (text: string) => void,
): Promise<void> {
  const { body } = await fetch(url, { headers })
  if (body) for await (const chunk of body.pipeThrough(new TextDecoderStream())) onData(chunk)
}
