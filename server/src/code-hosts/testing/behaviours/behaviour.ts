import type { Egress } from '../../../platform/egress/egress.ts'
import { EgressError } from '../../../platform/egress/egress-error.ts'
import { type AcceptedResult, BareRepository, type Placement } from '../../bare-repository.ts'
import type { CodeHost, PutCommit, WantedPullRequest } from '../../code-host.ts'
import { CodeHostError } from '../../code-host-error.ts'
import { bundleOfChange, type CraftedCommit, type CraftedFiles, craftCommit } from '../craft-commit.ts'
import type { HostRepository, HostWay } from '../host-repository.ts'

/** What every code host does in the same way, as far as it can. */
export type HostBehaviour = {
  name: string
  /** Why a host cannot. */
  cannot?: Partial<Record<HostWay, string>>
  play(stage: Stage): Promise<void>
}

export type Stage = {
  /** Shared with other behaviours: each works on branches of its own, and leaves `main` alone. */
  repository: HostRepository
  /** For one behaviour alone. */
  another(): Promise<HostRepository>
}

export const policy = { docsFolder: 'docs', alsoAllowed: [] }

export const details = {
  message: 'Say more\n\nColophon-Job: job_1\n',
  identity: { name: 'Colophon', email: 'colophon@localhost.invalid' },
  date: new Date('2026-01-02T03:04:05Z'),
}

export type Change = Parameters<typeof bundleOfChange>[1]

type Attempt = { branch: string; change: Change; recorded?: string | undefined; host?: CodeHost }

/** Up to where our commit is about to be put on the branch. */
export async function withPlacement<Result>(
  repository: HostRepository,
  { branch, change, recorded, host = repository.host }: Attempt,
  use: (placement: Placement, again: (recorded?: string) => Promise<Placement>) => Promise<Result>,
): Promise<Result> {
  const { egress, base } = repository
  const signal = AbortSignal.timeout(60_000)
  await using bare = await BareRepository.open({ remote: await host.gitRemote(), egress, signal })
  const bundle = bundleOfChange(base, change)
  const acceptance = await bare.accept({ bundle, base: base.id, branch: 'main', policy })
  if (acceptance.kind !== 'accepted') throw new Error(`The change was not taken: ${acceptance.kind}.`)
  const result: AcceptedResult = acceptance.result
  const place = (before?: string) => bare.place(result, branch, details, before)
  return await use(await place(recorded), place)
}

export type Published = { placement: Placement['kind']; ours?: string | undefined; recorded?: string; put?: PutCommit }

/** As an activity does it, once. */
export const publish = (repository: HostRepository, attempt: Attempt): Promise<Published> =>
  withPlacement(repository, attempt, async (placement) => {
    if (placement.kind === 'branch_moved') return { placement: placement.kind }
    if (placement.kind === 'published') return { placement: placement.kind, ours: placement.ours }
    const put = await (attempt.host ?? repository.host).putCommit(placement.commit, attempt.branch)
    return {
      placement: placement.kind,
      recorded: placement.commit.id,
      put,
      ...(put.kind === 'put' && { ours: put.commit }),
    }
  })

export const commitOn = (parent: CraftedCommit, change: CraftedFiles): CraftedCommit =>
  craftCommit({ ...parent.files, ...change }, [parent.id])

/** A branch with a change, and what is wanted of its pull request. */
export async function wantedFrom(
  repository: HostRepository,
  branch: string,
  change: Partial<WantedPullRequest> = {},
): Promise<WantedPullRequest> {
  await repository.pushAsPerson(commitOn(repository.base, { [`docs/${branch}.md`]: `# ${branch}\n` }), branch)
  const text = { title: 'Add a page', body: 'It was missing.' }
  return { branch, baseBranch: 'main', ...text, draft: false, labels: [], reviewers: [], ...change }
}

type Call = { method: string; url: string }

/** Does what it is asked, and loses the answers to these calls. */
export const losing = (egress: Egress, isLost: (call: Call) => boolean): Egress => ({
  ...egress,
  async fetch(url, request) {
    const response = await egress.fetch(url, request)
    if (!isLost({ method: request?.method ?? 'GET', url: String(url) })) return response
    await response.arrayBuffer()
    throw new EgressError('connection_lost', 'The connection broke before the answer was complete.')
  },
})

/** Answers these calls itself. */
export const answering = (egress: Egress, isMeant: (call: Call) => boolean, response: () => Response): Egress => ({
  ...egress,
  fetch: async (url, request) =>
    isMeant({ method: request?.method ?? 'GET', url: String(url) }) ? response() : await egress.fetch(url, request),
})

export async function failureOf(work: Promise<unknown>): Promise<CodeHostError> {
  try {
    await work
  } catch (error) {
    if (error instanceof CodeHostError) return error
    throw error
  }
  throw new Error('It did not fail.')
}

export async function until(isSo: () => Promise<boolean> | boolean, what: string): Promise<void> {
  const end = Date.now() + 15_000
  while (!(await isSo())) {
    if (Date.now() > end) throw new Error(`It took too long until ${what}.`)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}
