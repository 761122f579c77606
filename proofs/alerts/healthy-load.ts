/** What a healthy instance does all the time: jobs that open pull requests, page views, reports, sign-ins, a few requests that are wrong. */
import { setTimeout as sleep } from 'node:timers/promises'
import { createFirstOwner, type SignedInPerson } from '../../testing/harness/people.ts'
import { formatFinalAgentReply, promptWithScript } from '../../testing/harness/scripted-model.ts'
import { waitForJob } from '../../testing/harness/wait-for-job.ts'
import type { AlertsFixture } from './fixture.ts'

export interface HealthyLoad {
  jobs: number
  requests: number
  failures: string[]
  stop(): Promise<void>
}

/** At most 100 jobs of a project are accepted per hour. */
const jobEverySeconds = 45
const browser = 'Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0'

export const writePagePrompt = (name: string, seconds = 0): string =>
  promptWithScript(`Write page ${name}.`, [
    ...(seconds > 0 ? [{ call: [{ tool: 'bash', arguments: { command: `sleep ${seconds}` } }] }] : []),
    { call: [{ tool: 'write', arguments: { path: `docs/${name}.md`, content: `# ${name}\n` } }] },
    { say: formatFinalAgentReply(`Write ${name}`, 'As asked.') },
  ])

export function startHealthyLoad({ project, colophon, api }: AlertsFixture): HealthyLoad {
  const stopping = new AbortController()
  const load: HealthyLoad = { jobs: 0, requests: 0, failures: [], stop: async () => {} }
  let person: SignedInPerson | undefined
  const repeat = async (seconds: number, work: (round: number) => Promise<unknown>) => {
    for (let round = 0; !stopping.signal.aborted; round++) {
      await work(round).catch((error: unknown) => load.failures.push(String(error)))
      await sleep(seconds * 1000, undefined, { signal: stopping.signal }).catch(() => {})
    }
  }
  const runJob = async (round: number) => {
    const { id } = await project.client.jobs.create(project.projectId, { prompt: writePagePrompt(`healthy-${round}`) })
    const job = await waitForJob(project, id, { withinSeconds: 300 })
    load.jobs += 1
    if (job.outcome !== 'pull_request') load.failures.push(`job ${id} ended with ${job.outcome}`)
  }
  const request = async () => {
    await project.client.views.ingest(project.projectId, {
      views: Array.from({ length: 20 }, (_, index) => ({ path: `/docs/page-${index}`, userAgent: browser })),
    })
    await project.client.jobs.list(project.projectId)
    await project.client.jobs.get(project.projectId, 'job_00000000000000000000000000').catch(() => {}) // not found
    load.requests += 3
  }
  const signIn = async () => {
    person ??= await createFirstOwner(api.url, colophon)
    await person.signInAgain()
  }
  const loops = [repeat(jobEverySeconds, runJob), repeat(0.5, request), repeat(30, signIn)]
  load.stop = async () => {
    stopping.abort()
    await Promise.all(loops)
  }
  return load
}
