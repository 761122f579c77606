/** Holds what clients and the code host say against what each result deserved. */
import { activeForms } from '../../../server/src/code-hosts/text/testing/active-forms.ts'
import type { ProofRun } from '../../proof.ts'
import type { AttackedProject } from './attacked-project.ts'
import type { HostCommit, HostReader } from './host-contents.ts'
import type { EndedResult } from './sent-results.ts'

const ours = 'Colophon <colophon@localhost.invalid>'

export async function judgeResults(
  run: ProofRun,
  { repository }: AttackedProject,
  host: HostReader,
  results: readonly EndedResult[],
): Promise<void> {
  const refused = results.filter(({ refusedFor }) => refusedFor !== null)
  const accepted = results.filter(({ refusedFor }) => refusedFor === null)
  for (const result of refused) run.check(isRefused(result), `${result.name}: ${wanted(result)}, not ${told(result)}`)
  run.figure('hostile results, of these refused for exactly their reason', figures(refused, refused.filter(isRefused)))

  const refs = await host.refs()
  const commits = await host.commits()
  const { base } = repository
  const expectedRefs = new Map([
    ['HEAD', base.id],
    ['refs/heads/main', base.id],
  ])
  const published: EndedResult[] = []
  for (const result of accepted) {
    const { name, bundle, job } = result
    const branch = `refs/heads/colophon/${job.id}`
    const commit = commits.get(refs.get(branch) ?? '')
    const isOpened = job.status === 'completed' && job.outcome === 'pull_request' && job.prLink !== null
    run.check(isOpened && commit !== undefined, `${name}: ${wanted(result)}, not ${told(result)}`)
    if (!commit || !job.pullRequest) continue
    expectedRefs.set(branch, commit.id).set(`refs/pull/${job.pullRequest.number}/head`, commit.id)
    const hasTree = commit.tree === (await host.treeOfBundle(bundle))
    const isOurs = isOurCommit(commit, base.id, job.id)
    run.check(hasTree, `${name}: exactly its tree is on the host`)
    run.check(isOurs, `${name}: the commit is ours alone, not ${JSON.stringify(commit)}`)
    if (isOpened && hasTree && isOurs) published.push(result)
  }
  run.figure('harmless ones, of these a pull request with that tree and our commit', figures(accepted, published))

  const known = new Set(expectedRefs.values())
  const strayRefs = [...refs].filter(([ref, id]) => expectedRefs.get(ref) !== id).map(([ref, id]) => `${ref} at ${id}`)
  const strayCommits = [...commits.values()]
    .filter(({ id }) => !known.has(id))
    .map(({ id, author }) => `${id} by ${author}`)
  const strayObjects = await objectsOfRunners(run, repository, host, results)
  for (const [what, strays] of Object.entries({ refs: strayRefs, commits: strayCommits, objects: strayObjects })) {
    run.check(strays.length === 0, `no ${what} on the host but these: ${strays.slice(0, 5).join(', ')}`)
  }
  const strays = [strayRefs, strayCommits, strayObjects].map(({ length }) => length)
  run.figure('refs, commits and objects of runners on the host that do not belong there', strays.join(', '))
  await judgeTexts(run, repository, accepted.length)
}

const figures = (all: readonly unknown[], some: readonly unknown[]) => `${all.length}, ${some.length}`

/** Those that the host has although no ref leads to them, too. */
async function objectsOfRunners(
  run: ProofRun,
  { base }: AttackedProject['repository'],
  host: HostReader,
  results: readonly EndedResult[],
): Promise<string[]> {
  run.check((await host.has(base.id)) && (await host.has(base.tree)), 'the host says what it has')
  const wantedObjects = await host.objects()
  const brought = new Set(results.flatMap(({ hidden }) => hidden).filter((id) => !wantedObjects.has(id)))
  const found: string[] = []
  for (const id of brought) if (await host.has(id)) found.push(id)
  run.say(`the host was asked for ${brought.size} objects that only runners have`)
  return found
}

async function judgeTexts(run: ProofRun, repository: AttackedProject['repository'], expected: number): Promise<void> {
  let seen = 0
  for (let page = 1; ; page++) {
    const found = (await repository.asPerson('GET', `/pulls?state=all&limit=50&page=${page}`)) as {
      title: string
      body: string
    }[]
    if (found.length === 0) break
    seen += found.length
    for (const { title, body } of found) {
      const active = [...activeForms(title), ...activeForms(body)]
      run.check(active.length === 0, `a pull request's text does nothing: ${active.join(', ')} in ${title}\n${body}`)
    }
  }
  run.check(seen === expected, `${seen} pull requests for ${expected} harmless results`)
}

const isOurCommit = ({ parents, author, committer, trailers, message }: HostCommit, base: string, jobId: string) =>
  [author, committer].every((person) => person === ours) &&
  parents === base &&
  trailers === `Colophon-Job: ${jobId}` &&
  activeForms(message).length === 0

/** The closing words are `Refused: code (path), code (path).` */
function isRefused({ refusedFor, job }: EndedResult): boolean {
  const [, words = ''] = / Refused: (.*)\.$/s.exec(job.error?.message ?? '') ?? []
  const codes = [...words.matchAll(/(?:^|, )([a-z0-9_]+)(?= \(|, |$)/g)].map(([, code]) => code)
  return (
    job.status === 'failed' &&
    job.outcome === 'error' &&
    job.error?.code === 'result_refused' &&
    job.prLink === null &&
    job.pullRequest === null &&
    codes.length > 0 &&
    codes.every((code) => code === refusedFor)
  )
}

const wanted = ({ refusedFor }: EndedResult) => (refusedFor === null ? 'accepted' : `refused for ${refusedFor}`)
const told = ({ job: { status, outcome, error, prLink } }: EndedResult) =>
  `${status}, ${outcome}, ${prLink}, ${error?.code}: ${error?.message}`
