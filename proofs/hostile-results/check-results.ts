/** Compares what clients and the code host report with what is expected of each result. */
import { findHostTriggers } from '../../server/src/code-hosts/text/testing/active-forms.ts'
import type { ProofRun } from '../proof.ts'
import type { AttackedProject } from './attacked-project.ts'
import type { GitRepositoryReader, HostCommit } from './git-repository-reader.ts'
import type { FinishedResult } from './send-results.ts'

const colophonIdentity = 'Colophon <colophon@localhost.invalid>'

export async function checkResults(
  run: ProofRun,
  { repository }: AttackedProject,
  host: GitRepositoryReader,
  results: readonly FinishedResult[],
): Promise<void> {
  const refused = results.filter(({ expectedRefusal }) => expectedRefusal !== null)
  const accepted = results.filter(({ expectedRefusal }) => expectedRefusal === null)
  for (const result of refused)
    run.check(isRefused(result), `${result.name}: ${describeExpected(result)}, got ${describeActual(result)}`)
  run.figure('hostile results, refused with the expected code', formatCounts(refused, refused.filter(isRefused)))

  const refs = await host.refs()
  const commits = await host.commits()
  const { base } = repository
  const expectedRefs = new Map([
    ['HEAD', base.id],
    ['refs/heads/main', base.id],
  ])
  const published: FinishedResult[] = []
  for (const result of accepted) {
    const { name, bundle, job } = result
    const branch = `refs/heads/colophon/${job.id}`
    const commit = commits.get(refs.get(branch) ?? '')
    const isOpened = job.status === 'completed' && job.outcome === 'pull_request' && job.prLink !== null
    run.check(isOpened && commit !== undefined, `${name}: ${describeExpected(result)}, got ${describeActual(result)}`)
    if (!commit || !job.pullRequest) continue
    expectedRefs.set(branch, commit.id).set(`refs/pull/${job.pullRequest.number}/head`, commit.id)
    const hasTree = commit.tree === (await host.bundleTree(bundle))
    const isByColophon = isColophonCommit(commit, base.id, job.id)
    run.check(hasTree, `${name}: the published tree equals the tree of the result`)
    run.check(
      isByColophon,
      `${name}: author, committer, parent and trailer are Colophon's, got ${JSON.stringify(commit)}`,
    )
    if (isOpened && hasTree && isByColophon) published.push(result)
  }
  run.figure("harmless results, published with their tree and Colophon's commit", formatCounts(accepted, published))

  const expectedCommits = new Set(expectedRefs.values())
  const strayRefs = [...refs].filter(([ref, id]) => expectedRefs.get(ref) !== id).map(([ref, id]) => `${ref} at ${id}`)
  const strayCommits = [...commits.values()]
    .filter(({ id }) => !expectedCommits.has(id))
    .map(({ id, author }) => `${id} by ${author}`)
  const strayObjects = await findRunnerObjects(run, repository, host, results)
  for (const [kind, strays] of Object.entries({ refs: strayRefs, commits: strayCommits, objects: strayObjects })) {
    run.check(strays.length === 0, `the host has no unexpected ${kind}, found ${strays.slice(0, 5).join(', ')}`)
  }
  const strays = [strayRefs, strayCommits, strayObjects].map(({ length }) => length)
  run.figure('unexpected refs, commits and runner objects on the host', strays.join(', '))
  await checkTexts(run, repository, accepted.length)
}

const formatCounts = (all: readonly unknown[], matching: readonly unknown[]) => `${all.length}, ${matching.length}`

/** Includes objects that no ref reaches. */
async function findRunnerObjects(
  run: ProofRun,
  { base }: AttackedProject['repository'],
  host: GitRepositoryReader,
  results: readonly FinishedResult[],
): Promise<string[]> {
  run.check((await host.hasObject(base.id)) && (await host.hasObject(base.tree)), 'the host serves objects by id')
  const publishedObjects = await host.objects()
  const uploaded = new Set(
    results.flatMap(({ forbiddenObjectIds }) => forbiddenObjectIds).filter((id) => !publishedObjects.has(id)),
  )
  const found: string[] = []
  for (const id of uploaded) if (await host.hasObject(id)) found.push(id)
  run.log(`requested ${uploaded.size} objects from the host that only runners have`)
  return found
}

async function checkTexts(run: ProofRun, repository: AttackedProject['repository'], expected: number): Promise<void> {
  let count = 0
  for (let page = 1; ; page++) {
    const pullRequests = (await repository.callAsAdmin('GET', `/pulls?state=all&limit=50&page=${page}`)) as {
      title: string
      body: string
    }[]
    if (pullRequests.length === 0) break
    count += pullRequests.length
    for (const { title, body } of pullRequests) {
      const active = [...findHostTriggers(title), ...findHostTriggers(body)]
      run.check(
        active.length === 0,
        `the text of a pull request has no active forms, found ${active.join(', ')} in ${title}\n${body}`,
      )
    }
  }
  run.check(count === expected, `${expected} harmless results have one pull request each, got ${count}`)
}

const isColophonCommit = ({ parents, author, committer, trailers, message }: HostCommit, base: string, jobId: string) =>
  [author, committer].every((person) => person === colophonIdentity) &&
  parents === base &&
  trailers === `Colophon-Job: ${jobId}` &&
  findHostTriggers(message).length === 0

/** The message ends with `Refused: path: reason (code); path: reason (code).` */
function isRefused({ expectedRefusal, job }: FinishedResult): boolean {
  const [, refusals = ''] = / Refused: (.*)\.$/s.exec(job.error?.message ?? '') ?? []
  const codes = [...refusals.matchAll(/ \(([a-z0-9_]+)\)(?=; |$)/g)].map(([, code]) => code)
  return (
    job.status === 'failed' &&
    job.outcome === 'error' &&
    job.error?.code === 'result_refused' &&
    job.prLink === null &&
    job.pullRequest === null &&
    codes.length > 0 &&
    codes.every((code) => code === expectedRefusal)
  )
}

const describeExpected = ({ expectedRefusal }: FinishedResult) =>
  expectedRefusal === null ? 'accepted' : `refused for ${expectedRefusal}`
const describeActual = ({ job: { status, outcome, error, prLink } }: FinishedResult) =>
  `${status}, ${outcome}, ${prLink}, ${error?.code}: ${error?.message}`
