/** What stands on the stand-in at the end, and whom the projects are bound to. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { AuditedRepository, HostState } from '../host-audit.ts'
import type { GithubProject, GithubStage } from './stage.ts'

export async function onGithub(
  { control, github }: GithubStage,
  { repositoryId, repository: { owner }, base }: GithubProject,
): Promise<AuditedRepository & { token: string }> {
  const permissions = { metadata: 'read', contents: 'read', pull_requests: 'read' } as const
  const token = await control.makeFineGrainedToken(owner, { repositories: [repositoryId], permissions })
  const { fullName } = await control.repository(repositoryId)
  const pullRequests = await control.pullRequests(repositoryId)
  return {
    url: `${github.url}/${fullName}.git`,
    token,
    formerBase: base.ever,
    authorization: `Basic ${Buffer.from(`${owner}:${token}`).toString('base64')}`,
    pullRequests: pullRequests.map(({ number, headBranch, headSha }) => ({
      number,
      branch: headBranch,
      shownCommit: headSha,
    })),
  }
}

/** Of our commits, those that GitHub does not vouch for. */
export async function listUnverified(
  { control, github }: GithubStage,
  { repositoryId }: GithubProject,
  { branches }: HostState,
  token: string,
): Promise<string[]> {
  const { fullName } = await control.repository(repositoryId)
  const unverified: string[] = []
  for (const [branch, ours] of branches) {
    const url = `${github.url}/api/v3/repos/${fullName}/commits?sha=${encodeURIComponent(branch)}&per_page=100`
    const response = await fetch(url, { headers: { authorization: `Bearer ${token}`, 'user-agent': 'proof' } })
    const commits = (await response.json()) as { sha: string; commit: { verification?: { verified: boolean } } }[]
    const verified = new Set(commits.filter(({ commit }) => commit.verification?.verified).map(({ sha }) => sha))
    unverified.push(...ours.filter(({ id }) => !verified.has(id)).map(({ id }) => id))
  }
  return unverified
}

/** What a repository that only has the old name was given: nothing, or somebody's work is in the wrong place. */
export async function isUntouched({ control }: GithubStage, decoy: number): Promise<boolean> {
  const branches = Object.keys(await control.branches(decoy))
  return branches.length === 1 && (await control.pullRequests(decoy)).length === 0
}

const knownWithinMs = 60_000

/** All is well again: a new name gets around, and so does that nothing is wrong. */
export async function isBoundAsConnected(
  { control, owner, stores }: GithubStage,
  { projectId, repositoryId, access, repository, names }: GithubProject,
): Promise<string | undefined> {
  const name = `docs-at-last-${names.length}`
  await control.rename(repositoryId, name)
  const until = Date.now() + knownWithinMs
  for (;;) {
    const { repository: shown } = await owner.client.repository.get(projectId)
    const stored = await stores.repositories.find(projectId)
    const isTheSame = shown?.owner === repository.owner && shown.access === access
    if (!isTheSame || stored?.hostRepositoryId !== repositoryId) return JSON.stringify({ shown, stored })
    if (shown.name === name && shown.issue === null) return undefined
    if (Date.now() > until) return `${JSON.stringify(shown)}, ${name} is not known`
    await sleep(500)
  }
}
