/** Why a pushed tag must not be released. Uses no packages: it runs before any are installed. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { runCommand } from '../testing/services/run-command.ts'
import { imageRepository, imageTargets } from './released-images.ts'

export interface PushedTag {
  name: string
  commit: string
  /** `owner/name` on GitHub. */
  repository: string
}

export interface TagCheckDeps {
  /** A clone with the tagged commit checked out, and with `origin/main`. */
  directory: string
  githubApiUrl: string
  registryUrl: string
  user: string
  /** Can read the runs of workflows, and packages. */
  token: string
}

export async function findTagProblems(tag: PushedTag, deps: TagCheckDeps): Promise<string[]> {
  const problems = await Promise.all([
    findVersionProblems(tag, deps),
    findBranchProblems(tag, deps),
    findCiProblems(tag, deps),
    ...imageTargets.map((target) => findImageProblems(imageRepository(tag.repository, target), tag, deps)),
  ])
  return problems.flat()
}

const versionOf = (tag: PushedTag) => tag.name.replace(/^v/, '')

function findVersionProblems(tag: PushedTag, { directory }: TagCheckDeps): string[] {
  const { version } = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')) as { version: string }
  return tag.name === `v${version}` ? [] : [`The tag is ${tag.name}, but package.json has version ${version}.`]
}

async function findBranchProblems({ commit }: PushedTag, { directory }: TagCheckDeps): Promise<string[]> {
  const base = await runCommand(['git', 'merge-base', commit, 'origin/main'], { cwd: directory }).catch(() => '')
  return base.trim() === commit ? [] : [`Commit ${commit} is not on the branch main.`]
}

async function findCiProblems({ commit, repository }: PushedTag, deps: TagCheckDeps): Promise<string[]> {
  // A run for a pull request may have checked another merge, so only a push to main counts.
  const query = new URLSearchParams({ head_sha: commit, branch: 'main', event: 'push', status: 'success' })
  const url = `${deps.githubApiUrl}/repos/${repository}/actions/workflows/ci.yml/runs?${query}`
  const response = await fetch(url, { headers: { authorization: `Bearer ${deps.token}` } })
  if (!response.ok) throw new Error(`GitHub responded to ${url} with ${response.status}.`)
  const { total_count: runs } = (await response.json()) as { total_count: number }
  return runs > 0 ? [] : [`CI has not passed for commit ${commit} on main. When it has, run this job again.`]
}

/** A registry may respond with 404 for an existing image if the client does not accept its type. */
const manifestTypes = [
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.oci.image.manifest.v1+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
  'application/vnd.docker.distribution.manifest.v2+json',
]

async function findImageProblems(name: string, tag: PushedTag, deps: TagCheckDeps): Promise<string[]> {
  const credentials = Buffer.from(`${deps.user}:${deps.token}`).toString('base64')
  const tokenUrl = `${deps.registryUrl}/token?${new URLSearchParams({ scope: `repository:${name}:pull` })}`
  const tokenResponse = await fetch(tokenUrl, { headers: { authorization: `Basic ${credentials}` } })
  // The registry denies access to a package that does not exist, as before the first release. It would also deny access to
  // a package of others, but then the images could not be pushed either.
  if (tokenResponse.status === 403) return []
  if (!tokenResponse.ok) throw new Error(`The registry responded to ${tokenUrl} with ${tokenResponse.status}.`)
  const { token } = (await tokenResponse.json()) as { token: string }

  const manifestUrl = `${deps.registryUrl}/v2/${name}/manifests/${versionOf(tag)}`
  const headers = { authorization: `Bearer ${token}`, accept: manifestTypes.join(', ') }
  const { status } = await fetch(manifestUrl, { method: 'HEAD', headers })
  if (status === 404 || status === 403) return []
  if (status !== 200) throw new Error(`The registry responded to ${manifestUrl} with ${status}.`)
  return [`The image ${name}:${versionOf(tag)} exists already. A version is released once: release the next one.`]
}
