/**
 * npm run check:api: compares sdk/openapi.json with the merge base with main (on main, with the previous commit) and with the last
 * release. A change that breaks clients fails, unless checks/api-changes.json lists it with a reason.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { findLastRelease } from '../release/releases.ts'
import { parseVersion } from '../release/version.ts'
import { runCommand } from '../testing/services/run-command.ts'
import { findBreakingChanges, type OpenApiDocument } from './openapi-compatibility.ts'

const documentPath = 'sdk/openapi.json'

/** A change that breaks clients on purpose. */
export interface IntendedChange {
  /** The sentence that this check prints. */
  change: string
  reason: string
  /** The first version that has the change. */
  since: string
}

export interface Baseline {
  title: string
  revision: string
}

/** Returns undefined if git fails, because of a missing revision, file or repository. */
const git = (root: string, ...args: string[]) =>
  runCommand(['git', ...args], { cwd: root }).then(
    (output) => output.trim(),
    () => undefined,
  )

const findCommit = (root: string, revision: string) =>
  git(root, 'rev-parse', '--verify', '--quiet', `${revision}^{commit}`)

/** Empty in a clone without history. */
export async function findBaselines(root: string): Promise<Baseline[]> {
  const baselines = [await findBaseOfBranch(root), await findReleaseBaseline(root)]
  return baselines.filter((baseline) => baseline !== undefined)
}

async function findBaseOfBranch(root: string): Promise<Baseline | undefined> {
  const head = await findCommit(root, 'HEAD')
  const main = (await findCommit(root, 'origin/main')) ?? (await findCommit(root, 'main'))
  if (head === undefined || main === undefined) return undefined
  const mergeBase = await git(root, 'merge-base', head, main)
  if (mergeBase === undefined) return undefined
  if (mergeBase !== head) return { title: 'the merge base with main', revision: mergeBase }
  const previous = await findCommit(root, 'HEAD^')
  return previous === undefined ? undefined : { title: 'the previous commit of main', revision: previous }
}

async function findReleaseBaseline(root: string): Promise<Baseline | undefined> {
  const release = await findLastRelease(root)
  const commit = release && (await findCommit(root, release.commit))
  return release && commit !== undefined ? { title: `the release ${release.version}`, revision: commit } : undefined
}

export async function readDocumentAt(root: string, revision: string): Promise<OpenApiDocument | undefined> {
  const text = await git(root, 'show', `${revision}:${documentPath}`)
  return text === undefined ? undefined : (JSON.parse(text) as OpenApiDocument)
}

/** One sentence for each change that is not listed, and for each entry of the list that is wrong or no longer needed. */
export function findApiProblems(breakingChanges: ReadonlySet<string>, intended: readonly IntendedChange[]): string[] {
  const listed = new Set(intended.map(({ change }) => change))
  return [
    ...[...breakingChanges].filter((change) => !listed.has(change)).map((change) => `Breaks clients: ${change}`),
    ...intended.flatMap(({ change, reason, since }) => [
      ...(breakingChanges.has(change) ? [] : [`Listed but not found, so remove the entry: ${change}`]),
      ...(reason ? [] : [`Listed without a reason: ${change}`]),
      ...(parseVersion(since) ? [] : [`Listed without a version in \`since\`: ${change}`]),
    ]),
  ]
}

async function checkCompatibility(root: string): Promise<string[]> {
  const after = JSON.parse(readFileSync(join(root, documentPath), 'utf8')) as OpenApiDocument
  const breakingChanges = new Set<string>()
  let comparisons = 0
  for (const { title, revision } of await findBaselines(root)) {
    const before = await readDocumentAt(root, revision)
    if (!before) {
      console.log(`Not compared with ${title}, which does not have ${documentPath}.`)
      continue
    }
    comparisons++
    const found = findBreakingChanges(before, after)
    for (const change of found) breakingChanges.add(change)
    console.log(`Compared with ${title}: ${found.length} changes break clients.`)
  }
  if (comparisons === 0) {
    console.log('There is nothing to compare the API with: this clone has no history (git fetch --unshallow).')
    return []
  }
  const listFile = join(import.meta.dirname, 'api-changes.json')
  return findApiProblems(breakingChanges, JSON.parse(readFileSync(listFile, 'utf8')) as IntendedChange[])
}

if (import.meta.main) {
  const problems = await checkCompatibility(join(import.meta.dirname, '..'))
  for (const problem of problems) console.error(problem)
  if (problems.length > 0) {
    console.error('List a change that is intended in checks/api-changes.json, with "change", "reason" and "since".')
    process.exit(1)
  }
}
