import { setTimeout as sleep } from 'node:timers/promises'
import type { Script } from '../../../dev-services/model/script.ts'
import { createClient } from '../../../sdk/src/index.ts'
import type { ProofRun } from '../../proof.ts'
import { startCuttableRelay } from '../cuttable-relay.ts'
import { type AgentService, played } from './agent-service.ts'
import { endedJob } from './ended-job.ts'
import { runnerFor } from './good-turns.ts'

const cutEveryMs = 1_500

/** One reader on a line that breaks again and again, one on a whole line, and the pages afterwards: all see the same. */
export async function followedWithCuts(run: ProofRun, service: AgentService): Promise<string> {
  const project = await service.connectProject('Followed')
  await using _runner = await runnerFor(service)
  const relay = await startCuttableRelay(new URL(service.api.url).host)
  run.cleanUp(relay.stop)
  const script: Script = [
    ...Array.from({ length: 12 }, (_, step) => ({
      say: `Step ${step}.`,
      call: [{ tool: 'bash', arguments: { command: `sleep 0.5; seq ${step}` } }],
    })),
    { say: 'Nothing has to change.' },
  ]
  const { id } = await project.client.jobs.create(project.projectId, { prompt: played('Look around.', script) })
  const cutOff = createClient({ baseUrl: `http://${relay.address}`, apiKey: project.key })
  let cuts = 0
  const cutting = new AbortController()
  const cutter = (async () => {
    while (!cutting.signal.aborted) {
      await sleep(cutEveryMs)
      await relay.cut()
      cuts++
      await relay.mend()
    }
  })()
  const read = async (client: typeof cutOff) => {
    const seen: string[] = []
    for await (const event of client.jobs.follow(project.projectId, id)) seen.push(event.id)
    return seen
  }
  const [withCuts, whole] = await Promise.all([read(cutOff), read(project.client)])
  cutting.abort()
  await cutter
  const { status, outcome } = await endedJob(project, id)
  run.check(status === 'completed' && outcome === 'no_changes', `nothing was changed: ${status}, ${outcome}`)

  const paged: string[] = []
  for (let after: string | undefined; ; ) {
    const page = await project.client.jobs.events(project.projectId, id, { limit: 7, ...(after && { after }) })
    paged.push(...page.events.map((event) => event.id))
    if (page.nextAfter === null) break
    after = page.nextAfter
  }
  run.check(paged.length >= 2 * script.length, `each step is told: ${paged.length} events`)
  run.check(new Set(paged).size === paged.length, 'no page repeats an event')
  run.check(withCuts.join() === paged.join(), `a line that breaks loses and repeats nothing: ${withCuts.length}`)
  run.check(whole.join() === paged.join(), `nor does one that stays: ${whole.length}`)
  run.check(cuts >= 3, `the line was cut ${cuts} times`)
  run.figure('events followed live, cuts, missing or repeated', `${paged.length}, ${cuts}, 0`)
  return `${paged.length} events over ${cuts} cuts, as the pages have them`
}
