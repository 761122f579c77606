/** The final state on the GitHub simulator, and what the projects are connected to. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { HostedRepositoryState, RepositoryAuditTarget } from '../judges/hosted-repository-state.ts'
import type { GithubFixture, GithubProject } from './fixture.ts'

export async function readGithubAuditTarget(
  { control, github }: GithubFixture,
  { repositoryId, repository: { owner }, base }: GithubProject,
): Promise<RepositoryAuditTarget & { token: string }> {
  const permissions = { metadata: 'read', contents: 'read', pull_requests: 'read' } as const
  const token = await control.createFineGrainedToken(owner, { repositories: [repositoryId], permissions })
  const { fullName } = await control.repository(repositoryId)
  const pullRequests = await control.pullRequests(repositoryId)
  return {
    url: `${github.url}/${fullName}.git`,
    token,
    formerBaseCommits: base.allCommits,
    authorization: `Basic ${Buffer.from(`${owner}:${token}`).toString('base64')}`,
    pullRequests: pullRequests.map(({ number, headBranch, headSha }) => ({
      number,
      branch: headBranch,
      displayedCommit: headSha,
    })),
  }
}

/** Colophon's commits that GitHub does not show as verified. */
export async function listUnverifiedCommits(
  { control, github }: GithubFixture,
  { repositoryId }: GithubProject,
  { branches }: HostedRepositoryState,
  token: string,
): Promise<string[]> {
  const { fullName } = await control.repository(repositoryId)
  const unverified: string[] = []
  for (const { id } of [...branches.values()].flat()) {
    const url = `${github.url}/api/v3/repos/${fullName}/git/commits/${id}`
    const response = await fetch(url, { headers: { authorization: `Bearer ${token}`, 'user-agent': 'proof' } })
    const commit = (await response.json()) as { verification?: { verified: boolean } }
    if (!commit.verification?.verified) unverified.push(id)
  }
  return unverified
}

/** Whether a repository that took a former name received nothing. */
export async function isDecoyUntouched({ control }: GithubFixture, decoy: number): Promise<boolean> {
  const branches = Object.keys(await control.branches(decoy))
  return branches.length === 1 && (await control.pullRequests(decoy)).length === 0
}

const noticedWithinMs = 60_000

/** Without faults: waits until a new name is noticed and no issue is shown. Returns what is wrong with the connection. */
export async function findConnectionProblem(
  { control, owner, stores }: GithubFixture,
  { projectId, repositoryId, access, repository, names }: GithubProject,
): Promise<string | undefined> {
  const name = `docs-final-${names.length}`
  await control.rename(repositoryId, name)
  const deadline = Date.now() + noticedWithinMs
  for (;;) {
    const { repository: shown } = await owner.client.repository.get(projectId)
    const stored = await stores.repositories.find(projectId)
    const isSameRepository = shown?.owner === repository.owner && shown.access === access
    if (!isSameRepository || stored?.hostRepositoryId !== repositoryId) return JSON.stringify({ shown, stored })
    if (shown.name === name && shown.issue === null) return undefined
    if (Date.now() > deadline) return `the new name ${name} was not noticed: ${JSON.stringify(shown)}`
    await sleep(500)
  }
}
