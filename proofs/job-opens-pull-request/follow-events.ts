import { setTimeout as sleep } from 'node:timers/promises'
import { createClient } from '../../sdk/src/index.ts'
import type { RunningColophon } from '../../testing/harness/colophon.ts'
import { startRelay } from '../../testing/harness/relay/relay.ts'
import { promptWithScript } from '../../testing/harness/scripted-model.ts'
import { waitForJob } from '../../testing/harness/wait-for-job.ts'
import type { Script } from '../../testing/simulators/model/script.ts'
import type { ProofRun } from '../proof.ts'
import { startScopedRunner } from './successful-turns.ts'

const cutEveryMs = 1_500

/** A client whose connection is cut repeatedly, a client with a stable connection, and the paged list get the same events. */
export async function followsEventsAcrossDisconnectsScenario(
  run: ProofRun,
  colophon: RunningColophon,
): Promise<string> {
  const project = await colophon.connectProject('Followed')
  await using _runner = await startScopedRunner(colophon)
  const relay = await startRelay(colophon.api.url)
  run.cleanUp(relay.stop)
  const script: Script = [
    ...Array.from({ length: 12 }, (_, step) => ({
      say: `Step ${step}.`,
      call: [{ tool: 'bash', arguments: { command: `sleep 0.5; seq ${step}` } }],
    })),
    { say: 'Nothing has to change.' },
  ]
  const { id } = await project.client.jobs.create(project.projectId, {
    prompt: promptWithScript('Look around.', script),
  })
  const interruptedClient = createClient({ baseUrl: relay.url, apiKey: project.key })
  let cuts = 0
  const cutting = new AbortController()
  const cutter = (async () => {
    while (!cutting.signal.aborted) {
      await sleep(cutEveryMs)
      await relay.setFault({ kind: 'cut' })
      cuts++
      await relay.setFault({ kind: 'none' })
    }
  })()
  const follow = async (client: typeof interruptedClient) => {
    const eventIds: string[] = []
    for await (const event of client.jobs.follow(project.projectId, id)) eventIds.push(event.id)
    return eventIds
  }
  const [withCuts, uninterrupted] = await Promise.all([follow(interruptedClient), follow(project.client)])
  cutting.abort()
  await cutter
  const { status, outcome } = await waitForJob(project, id)
  run.check(
    status === 'completed' && outcome === 'no_changes',
    `the job completes with no_changes, got ${status}, ${outcome}`,
  )

  const paged: string[] = []
  for (let after: string | undefined; ; ) {
    const page = await project.client.jobs.events(project.projectId, id, { limit: 7, ...(after && { after }) })
    paged.push(...page.events.map((event) => event.id))
    if (page.nextAfter === null) break
    after = page.nextAfter
  }
  run.check(
    paged.length >= 2 * script.length,
    `every step has events, got ${paged.length} events for ${script.length} steps`,
  )
  run.check(new Set(paged).size === paged.length, 'no event appears on two pages')
  run.check(
    withCuts.join() === paged.join(),
    `a client that reconnects gets every event once, got ${withCuts.length} of ${paged.length}`,
  )
  run.check(
    uninterrupted.join() === paged.join(),
    `a client that stays connected gets every event once, got ${uninterrupted.length} of ${paged.length}`,
  )
  run.check(cuts >= 3, `the connection is cut at least 3 times, got ${cuts}`)
  run.figure('events followed, connection cuts, events lost or repeated', `${paged.length}, ${cuts}, 0`)
  return `${paged.length} events across ${cuts} connection cuts, none lost or repeated`
}
