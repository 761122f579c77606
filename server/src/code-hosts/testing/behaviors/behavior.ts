import { docsFolderRules } from '../../../content-gate/testing/change-rules.ts'
import type { Egress } from '../../../platform/egress/egress.ts'
import { EgressError } from '../../../platform/egress/egress-error.ts'
import { type AcceptedResult, BareRepository, type CommitPreparation } from '../../bare-repository.ts'
import type { CodeHost, PullRequestSpec, PutCommitResult } from '../../code-host.ts'
import { CodeHostError } from '../../code-host-error.ts'
import { type CraftedCommit, type CraftedFiles, craftCommit, createChangeBundle } from '../craft-commit.ts'
import type { HostTestRepository, HostVariant } from '../host-test-repository.ts'

/** A behavior that all code hosts have in common, as far as they support it. */
export type HostBehavior = {
  name: string
  /** Why a host does not support it. */
  unsupported?: Partial<Record<HostVariant, string>>
  run(stage: BehaviorContext): Promise<void>
}

export type BehaviorContext = {
  /** Shared with other behaviors: each uses its own branches, and does not change `main`. */
  repository: HostTestRepository
  /** Creates a repository for this behavior only. */
  createRepository(): Promise<HostTestRepository>
}

export const docsRules = docsFolderRules('docs')

export const sampleCommitDetails = {
  message: 'Say more\n\nColophon-Job: job_1\n',
  identity: { name: 'Colophon', email: 'colophon@localhost.invalid' },
  date: new Date('2026-01-02T03:04:05Z'),
}

export type FileChanges = Parameters<typeof createChangeBundle>[1]

type Attempt = { branch: string; change: FileChanges; recorded?: string | undefined; host?: CodeHost }

/** Publishes up to the point where our commit is about to be put on the branch. */
export async function withPreparedCommit<Result>(
  repository: HostTestRepository,
  { branch, change, recorded, host = repository.host }: Attempt,
  use: (placement: CommitPreparation, placeAgain: (recorded?: string) => Promise<CommitPreparation>) => Promise<Result>,
): Promise<Result> {
  const { egress, base } = repository
  const signal = AbortSignal.timeout(60_000)
  await using bare = await BareRepository.open({ remote: await host.gitRemote(), egress, signal })
  const bundle = createChangeBundle(base, change)
  const acceptance = await bare.accept({ bundle, base: base.id, branch: 'main', rules: docsRules })
  if (acceptance.kind !== 'accepted') throw new Error(`The change was not accepted: ${acceptance.kind}.`)
  const result: AcceptedResult = acceptance.result
  const place = (earlier?: string) => bare.prepareCommit(result, branch, sampleCommitDetails, earlier)
  return await use(await place(recorded), place)
}

export type PublishOutcome = {
  placement: CommitPreparation['kind']
  ownCommit?: string | undefined
  recorded?: string
  put?: PutCommitResult
}

/** Publishes like the activity, without retries. */
export const publishWithoutRetries = (repository: HostTestRepository, attempt: Attempt): Promise<PublishOutcome> =>
  withPreparedCommit(repository, attempt, async (placement) => {
    if (placement.kind === 'branch_moved') return { placement: placement.kind }
    if (placement.kind === 'published') return { placement: placement.kind, ownCommit: placement.ownCommit }
    const put = await (attempt.host ?? repository.host).putCommit(placement.commit, attempt.branch)
    return {
      placement: placement.kind,
      recorded: placement.commit.id,
      put,
      ...(put.kind === 'put' && { ownCommit: put.commit }),
    }
  })

export const craftChildCommit = (parent: CraftedCommit, change: CraftedFiles): CraftedCommit =>
  craftCommit({ ...parent.files, ...change }, [parent.id])

/** Pushes a branch with a change, and returns the spec of its pull request. */
export async function pushPullRequestBranch(
  repository: HostTestRepository,
  branch: string,
  overrides: Partial<PullRequestSpec> = {},
): Promise<PullRequestSpec> {
  await repository.pushAsPerson(craftChildCommit(repository.base, { [`docs/${branch}.md`]: `# ${branch}\n` }), branch)
  const text = { title: 'Add a page', body: 'It was missing.' }
  return { branch, baseBranch: 'main', ...text, draft: false, labels: [], reviewers: [], ...overrides }
}

type Call = { method: string; url: string }

/** Sends all requests, but loses the responses to those that match. */
export const createLossyEgress = (egress: Egress, isLost: (call: Call) => boolean): Egress => ({
  ...egress,
  async fetch(url, request) {
    const response = await egress.fetch(url, request)
    if (!isLost({ method: request?.method ?? 'GET', url: String(url) })) return response
    await response.arrayBuffer()
    throw new EgressError('connection_lost', 'The connection broke before the response was complete.')
  },
})

/** Responds to matching requests itself. */
export const createInterceptingEgress = (
  egress: Egress,
  matches: (call: Call) => boolean,
  response: () => Response,
): Egress => ({
  ...egress,
  fetch: async (url, request) =>
    matches({ method: request?.method ?? 'GET', url: String(url) }) ? response() : await egress.fetch(url, request),
})

export async function catchCodeHostError(work: Promise<unknown>): Promise<CodeHostError> {
  try {
    await work
  } catch (error) {
    if (error instanceof CodeHostError) return error
    throw error
  }
  throw new Error('Expected a failure.')
}

export async function pollUntil(condition: () => Promise<boolean> | boolean, description: string): Promise<void> {
  const deadline = Date.now() + 15_000
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`Timed out waiting until ${description}.`)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}
