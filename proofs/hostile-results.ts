/** A runner that is an enemy: it sends what it likes, and only its harmless results become pull requests. */
import type { CraftedCommit } from '../server/src/code-hosts/testing/craft-commit.ts'
import { hostileResults } from '../server/src/code-hosts/testing/hostile-results.ts'
import { stowaways } from '../server/src/code-hosts/testing/stowaways.ts'
import { asDeployed } from './kit/as-deployed.ts'
import { attackedProject } from './kit/hostile/attacked-project.ts'
import { floods } from './kit/hostile/floods.ts'
import { foreignBases } from './kit/hostile/foreign-bases.ts'
import { openHost } from './kit/hostile/host-contents.ts'
import { hostileCalls } from './kit/hostile/hostile-calls.ts'
import { judgeResults } from './kit/hostile/judge-results.ts'
import { watchMemory } from './kit/hostile/peak-memory.ts'
import { type SentResult, sendResults } from './kit/hostile/sent-results.ts'
import { runningService } from './kit/running-service.ts'
import type { ProofRun } from './proof.ts'

export const promise = 'A hostile runner gets nothing but harmless docs changes into a repository'

/** So that what is slow here is not taken for dead: that has its proofs elsewhere. */
const longTimers = {
  COLOPHON_JOB_DEADLINE_SECONDS: '600',
  COLOPHON_JOB_PUBLISH_TIMEOUT_SECONDS: '600',
  COLOPHON_JOB_HEARTBEAT_TIMEOUT_SECONDS: '10',
}

const maxMemoryBytes = 512 * 1024 * 1024
const megabytes = (bytes: number) => Math.round(bytes / (1024 * 1024))

export async function prove(run: ProofRun): Promise<void> {
  const service = await runningService(run, 'hostile')
  const [api, worker] = await Promise.all([
    service.startApi(),
    service.startWorker({ ...longTimers, ...asDeployed.worker }),
  ])
  const makeProject = (name: string) => attackedProject(run, service, api.url, name)
  const memory = watchMemory(worker.part.pid ?? 0, 'worker')
  run.cleanUp(async () => memory.stop())

  const parts: Record<string, () => Promise<void>> = {
    async results() {
      const project = await makeProject('Attacked')
      const host = await openHost(run, service, project.repository)
      const results = chooseResults(run, project.repository.base)
      run.say(`${results.length} results are made`)
      const ended = await sendResults(run, service, project, { gatewayUrl: worker.url, results, runnersAtOnce: 4 })
      run.check(ended.length === results.length, `${ended.length} of ${results.length} results were heard of again`)
      await judgeResults(run, project, host, ended)
    },
    async floods() {
      await floods(run, service, await makeProject('Flooded'), worker.url)
    },
    async bases() {
      await foreignBases(run, service, await makeProject('Bases'), worker.url)
    },
    async calls() {
      const project = await makeProject('Called')
      const others = await makeProject('Others')
      await hostileCalls(run, service, { project, others, gatewayUrl: worker.url })
    },
  }
  for (const [name, play] of Object.entries(parts)) {
    if (run.words.length > 0 && !run.words.includes(name)) continue
    const idle = memory.takePeak()
    await play()
    const peak = memory.takePeak()
    run.check(peak.bytes <= maxMemoryBytes, `worker stays within 512 MB with all it starts: ${peak.parts}`)
    run.figure(`memory of worker, ${name}`, `${megabytes(idle.bytes)} MB before, at most ${megabytes(peak.bytes)} MB`)
  }
}

/** Each hostile result with its twin, in any order. The stated size has some of every kind, `--full` has all. */
function chooseResults(run: ProofRun, base: CraftedCommit): SentResult[] {
  // More bytes than a bundle may have do not get through the runner API at all.
  const all = shuffled(
    run,
    hostileResults.filter(({ code }) => code !== 'bundle_too_large'),
  )
  const ofEveryKind = [...new Map(all.map((result) => [result.code, result])).values()]
  const chosen = [...new Set([...ofEveryKind, ...all])].slice(0, { ci: 12, stated: 80, full: all.length }[run.size])
  return shuffled(run, [
    ...chosen.flatMap(({ name, code, hostile, harmless }) => [
      sent(name, hostile(base), code),
      sent(`${name}, the harmless twin`, harmless(base), null),
    ]),
    ...stowaways.map(({ name, result }) => {
      const { bundle, hidden } = result(base)
      return sent(name, bundle, null, hidden)
    }),
  ])
}

const sent = (
  name: string,
  bundle: Buffer,
  refusedFor: SentResult['refusedFor'],
  hidden: readonly string[] = [],
): SentResult => {
  const [, head] = /^([0-9a-f]{40}) HEAD$/m.exec(bundle.toString('latin1', 0, 4096)) ?? []
  return { name, bundle, refusedFor, hidden: head ? [...hidden, head] : hidden }
}

function shuffled<Item>(run: ProofRun, items: readonly Item[]): Item[] {
  return items
    .map((item) => ({ item, place: run.random() }))
    .toSorted((one, other) => one.place - other.place)
    .map(({ item }) => item)
}
