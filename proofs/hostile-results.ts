/** A hostile runner sends anything it likes, and only its harmless results become pull requests. Honest changes pass. */

import type { CraftedCommit } from '../server/src/code-hosts/testing/craft-commit.ts'
import { hostileContentResults } from '../server/src/code-hosts/testing/hostile-contents.ts'
import { hostileResults } from '../server/src/code-hosts/testing/hostile-results.ts'
import { resultsWithExtraObjects } from '../server/src/code-hosts/testing/results-with-extra-objects.ts'
import { prepareColophon } from '../testing/harness/colophon.ts'
import { deploymentMemorySettings } from '../testing/harness/deployment-memory-settings.ts'
import { createAttackedProject } from './hostile-results/attacked-project.ts'
import { checkResults } from './hostile-results/check-results.ts'
import { floodRunnerApi } from './hostile-results/flood-runner-api.ts'
import { sendForeignBases } from './hostile-results/foreign-bases.ts'
import { openGitRepositoryReader } from './hostile-results/git-repository-reader.ts'
import { checkHonestChanges } from './hostile-results/honest-changes.ts'
import { sendHostileCalls } from './hostile-results/hostile-calls.ts'
import { watchMemory } from './hostile-results/peak-memory.ts'
import { type CraftedResult, sendResults } from './hostile-results/send-results.ts'
import type { ProofRun } from './proof.ts'

export const guarantee =
  'A hostile runner cannot publish anything except docs changes that the allow list and the content gate permit'

/** Long, so that slow attempts do not count as lost. Other proofs cover lost attempts. */
const longTimers = {
  COLOPHON_JOB_DEADLINE_SECONDS: '600',
  COLOPHON_JOB_PUBLISH_TIMEOUT_SECONDS: '600',
  COLOPHON_JOB_HEARTBEAT_TIMEOUT_SECONDS: '10',
}

const maxMemoryBytes = 512 * 1024 * 1024
const mebibytes = (bytes: number) => Math.round(bytes / (1024 * 1024))

export async function prove(run: ProofRun): Promise<void> {
  const colophon = await prepareColophon(run, 'hostile')
  const [api, worker] = await Promise.all([
    colophon.start('api'),
    colophon.start('worker', { ...longTimers, ...deploymentMemorySettings.worker }),
  ])
  const createProject = (name: string) => createAttackedProject(colophon, api.url, name)
  const memory = watchMemory(worker.process.pid ?? 0, 'worker')
  run.cleanUp(async () => memory.stop())

  const attacks: Record<string, () => Promise<void>> = {
    async results() {
      const project = await createProject('Attacked')
      const host = await openGitRepositoryReader(run, project.repository)
      const results = chooseResults(run, project.repository.base)
      run.log(`${results.length} results are prepared`)
      const ended = await sendResults(run, colophon, project, { gatewayUrl: worker.url, results, concurrentRunners: 4 })
      run.check(ended.length === results.length, `every result has an outcome: ${ended.length} of ${results.length}`)
      await checkResults(run, project, host, ended)
    },
    honest: () => checkHonestChanges(run),
    async floods() {
      await floodRunnerApi(run, colophon, await createProject('Flooded'), worker.url)
    },
    async bases() {
      await sendForeignBases(run, await createProject('Bases'), worker.url)
    },
    async calls() {
      const project = await createProject('Called')
      const others = await createProject('Others')
      await sendHostileCalls(run, colophon, { project, others, gatewayUrl: worker.url })
    },
  }
  for (const [name, attack] of Object.entries(attacks)) {
    if (run.args.length > 0 && !run.args.includes(name)) continue
    const idle = memory.readAndResetPeak()
    await attack()
    const peak = memory.readAndResetPeak()
    run.check(
      peak.bytes <= maxMemoryBytes,
      `${name}: worker and its child processes use at most 512 MiB: ${peak.largest}`,
    )
    run.figure(`memory of worker, ${name}`, `${mebibytes(idle.bytes)} MiB before, ${mebibytes(peak.bytes)} MiB peak`)
  }
}

/**
 * Each hostile result and a harmless variant of it, in random order. The stated size has all kinds of active content and some of
 * every other kind, `--full` has all.
 */
function chooseResults(run: ProofRun, base: CraftedCommit): CraftedResult[] {
  // The runner API already rejects bundles that are too large.
  const all = shuffle(
    run,
    hostileResults.filter(({ code }) => code !== 'bundle_too_large'),
  )
  const oneOfEachCode = [...new Map(all.map((result) => [result.code, result])).values()]
  const others = all.filter((result) => !hostileContentResults.includes(result))
  const selected = {
    ci: [...new Set([...oneOfEachCode, ...all])].slice(0, 12),
    stated: [...hostileContentResults, ...new Set([...oneOfEachCode, ...others])].slice(
      0,
      hostileContentResults.length + 80,
    ),
    full: all,
  }[run.size]
  return shuffle(run, [
    ...selected.flatMap(({ name, code, hostile, harmless }) => [
      craftedResult(name, hostile(base), code),
      craftedResult(`${name}, harmless variant`, harmless(base), null),
    ]),
    ...resultsWithExtraObjects.map(({ name, result }) => {
      const { bundle, hidden } = result(base)
      return craftedResult(name, bundle, null, hidden)
    }),
  ])
}

const craftedResult = (
  name: string,
  bundle: Buffer,
  expectedRefusal: CraftedResult['expectedRefusal'],
  hidden: readonly string[] = [],
): CraftedResult => {
  const [, head] = /^([0-9a-f]{40}) HEAD$/m.exec(bundle.toString('latin1', 0, 4096)) ?? []
  return { name, bundle, expectedRefusal, forbiddenObjectIds: head ? [...hidden, head] : hidden }
}

function shuffle<Item>(run: ProofRun, items: readonly Item[]): Item[] {
  return items
    .map((item) => ({ item, order: run.random() }))
    .toSorted((a, b) => a.order - b.order)
    .map(({ item }) => item)
}
