/** A random stream of batches, many of them repeated in part, while `api` and `worker` are killed. At the end every line has counted once. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Colophon } from '../../testing/harness/colophon.ts'
import { hasRow } from '../../testing/harness/has-row.ts'
import { type KillTarget, ProcessKiller } from '../../testing/harness/process-killer.ts'
import { type Replica, RetryingClient } from '../../testing/harness/retrying-client.ts'
import { waitUntilLoaded } from '../ingest-rate/backlog.ts'
import { type ProofRun, seededRandom } from '../proof.ts'
import { createDrainProject, readCounts } from './create-drain.ts'
import { type LogHost, logHosts } from './log-hosts.ts'

const linesPerBatch = 2_000
/** Of a host that sends each line by itself. */
const linesPerRound = 100
const pages = 200
const concurrency = 3
const maxMinutes = 300
const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:150.0) Gecko/20100101 Firefox/150.0'
const gptbot = 'Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)'

export async function streamDeliveries(
  run: ProofRun,
  colophon: Colophon,
  { lines, kills }: { lines: number; kills: number },
): Promise<void> {
  const replicas: Replica[] = []
  const targets: KillTarget[] = []
  for (let number = 1; number <= 2; number++) {
    const api = await colophon.prepare('api')
    const replica = { url: api.url, openWrites: 0 }
    replicas.push(replica)
    targets.push({ kind: 'api', process: api.process, hasWorkInFlight: () => replica.openWrites > 0 })
    const worker = await colophon.prepare('worker')
    const isLoading = () => hasRow(colophon.postgresUrl, 'SELECT FROM view_block')
    targets.push({ kind: 'worker', process: worker.process, hasWorkInFlight: isLoading })
  }
  const killer = new ProcessKiller(seededRandom(run.seed + 1))
  await Promise.all(targets.map((target) => killer.start(target)))
  const [first] = replicas
  if (!first) throw new Error('there is no api')
  const client = new RetryingClient(replicas, AbortSignal.timeout(maxMinutes * 60_000))
  const hosts = logHosts.filter(({ hasIds }) => hasIds)
  const projects = await Promise.all(
    hosts.map(async (host) => ({
      host,
      project: await createDrainProject(colophon, first.url, { format: host.format }),
      human: new Map<string, number>(),
      ai: new Map<string, number>(),
    })),
  )

  const random = seededRandom(run.seed + 2)
  const progress = { lines: 0, sent: 0, repeated: 0 }
  const startedAt = performance.now()
  const killing = new AbortController()
  const pause = () => waitForLines(progress, (random() * 2 * lines) / kills, killing.signal)
  const timer = setInterval(
    () =>
      run.log(
        `${progress.lines} of ${lines} lines, ${killer.inFlightCount} kills in flight, ${client.retries} retries`,
      ),
    15_000,
  )
  /** A batch has new lines and, in every third, half of the previous ones again, in another order. */
  const sendBatches = async (number: number) => {
    const earlier = new Map<LogHost, string[]>()
    while (progress.lines < lines || killer.inFlightCount < kills) {
      const target = projects[Math.floor(random() * projects.length)]
      if (!target) return
      const { host, project } = target
      const newLines = host.sendsLinesAlone ? linesPerRound : linesPerBatch
      progress.lines += newLines
      const batch: string[] = []
      for (let index = 0; index < newLines; index++) {
        const isAi = random() < 0.5
        const isPage = random() < 0.3
        const page = `/page/${Math.floor(random() ** 2 * pages)}`
        if (isPage) {
          const counts = isAi ? target.ai : target.human
          counts.set(page, (counts.get(page) ?? 0) + 1)
        }
        batch.push(
          host.writeLine({
            id: `${number}-${progress.lines}-${host.repeatsIds ? index >> 1 : index}`,
            at: new Date(Date.now() - Math.floor(random() * 3_600_000)),
            method: 'GET',
            host: 'docs.example.com',
            path: isPage ? page : `${page}.css`,
            status: 200,
            userAgent: isAi ? gptbot : firefox,
          }),
        )
      }
      const repeated = random() < 0.33 ? (earlier.get(host) ?? []).filter(() => random() < 0.5) : []
      progress.repeated += repeated.length
      for (const { method = 'POST', query, headers, body } of host.deliver(
        [...repeated.reverse(), ...batch],
        project.secret,
      )) {
        const response = await client.send({ method, path: project.path + query, headers, body })
        run.check(response.status === 200, `${host.name}: a delivery is accepted: ${response.status} ${response.text}`)
        progress.sent++
      }
      earlier.set(host, batch)
    }
  }
  try {
    await Promise.all([
      Promise.all(Array.from({ length: concurrency }, (_, number) => sendBatches(number))).finally(() =>
        killing.abort(),
      ),
      killer.killInRounds(targets, pause, killing.signal),
    ])
  } finally {
    clearInterval(timer)
  }
  const seconds = (performance.now() - startedAt) / 1000
  await waitUntilLoaded(colophon.pool, 600)

  for (const { host, project, human, ai } of projects) {
    const counts = await readCounts(first.url, project)
    const paths = new Set([...human.keys(), ...ai.keys(), ...Object.keys(counts)])
    const wrong = [...paths].filter((path) => counts[path] !== `${human.get(path) ?? 0} human, ${ai.get(path) ?? 0} AI`)
    const example = wrong[0]
    run.check(
      wrong.length === 0,
      `${host.name}: every line has counted once: ${wrong.length} pages differ, ` +
        `${example}: ${example && counts[example]}, expected ${example && human.get(example)} human, ${example && ai.get(example)} AI`,
    )
  }
  const crashed = killer.unexpectedExits
  run.check(crashed.length === 0, `api and worker never exit by themselves: ${crashed.join(', ')}`)
  run.check(killer.inFlightCount >= kills, `at least ${kills} kills hit work in flight: ${killer.inFlightCount}`)
  run.check(client.serverErrors.length === 0, `the only server error is 503: ${client.serverErrors[0]}`)
  run.figure('lines', `${progress.lines}, and ${progress.repeated} again, in ${progress.sent} deliveries`)
  run.figure('kills', `${killer.count}, ${killer.inFlightCount} of them with work in flight; ${client.retries} retries`)
  run.figure('lines per second', Math.round((progress.lines + progress.repeated) / seconds))
}

async function waitForLines(progress: { lines: number }, count: number, signal: AbortSignal): Promise<void> {
  const until = progress.lines + count
  while (progress.lines < until && !signal.aborted) await sleep(50)
}
