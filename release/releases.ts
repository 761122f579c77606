/**
 * The commit of each release. Checks and proofs compare with the last release, and not every clone has the tags: the clones of CI and of
 * forks often do not. 0.1.0 has none at all.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { runCommand } from '../testing/services/run-command.ts'
import { isNewer } from './version.ts'

export interface Release {
  version: string
  /** All 40 digits. */
  commit: string
}

export const releasesFile = 'release/releases.json'

/** From the oldest to the newest. */
export const readReleases = (root: string): Release[] =>
  JSON.parse(readFileSync(join(root, releasesFile), 'utf8')) as Release[]

/** Without the release that is checked out itself: a release is compared with the one before it. */
export async function findLastRelease(root: string): Promise<Release | undefined> {
  const head = await readHead(root)
  return readReleases(root).findLast(({ commit }) => commit !== head)
}

/** Undefined outside of git. */
const readHead = (root: string) =>
  runCommand(['git', 'rev-parse', 'HEAD'], { cwd: root }).then(
    (output) => output.trim(),
    () => undefined,
  )

/** Fetches a commit that the clone does not have: many clones in CI have no history. */
export async function ensureCommit(root: string, commit: string): Promise<void> {
  const hasCommit = await runCommand(['git', 'cat-file', '-e', `${commit}^{commit}`], { cwd: root }).then(
    () => true,
    () => false,
  )
  if (!hasCommit) await runCommand(['git', 'fetch', '--quiet', '--depth=1', 'origin', commit], { cwd: root })
}

/** Returns the new contents of the file. */
export function addRelease(text: string, release: Release): string {
  const releases = JSON.parse(text) as Release[]
  const newest = releases.at(-1)
  if (newest && !isNewer(release.version, newest.version))
    throw new Error(`${release.version} is not newer than ${newest.version}, the last release in ${releasesFile}.`)
  return `${JSON.stringify([...releases, release], null, 2)}\n`
}
