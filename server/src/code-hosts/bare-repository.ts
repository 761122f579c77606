/**
 * Turns a result into a branch, in a bare repository in a temporary directory. The result is never checked out, so nothing
 * in it can run here. Every step is idempotent: it reads the current state before it changes anything.
 */
import { createHash } from 'node:crypto'
import {
  type ChangeRefusal,
  type ChangeRefusalCode,
  type ChangeToCheck,
  escapePathForDisplay,
  findChangeRefusals,
  maxChangedFiles,
} from '../content-gate/allow-list/allow-list.ts'
import type { ChangeRules } from '../content-gate/change-rules.ts'
import { type ContentRefusalCode, canBeApproved, maxListedRefusals } from '../content-gate/content-refusal.ts'
import { decodeUtf8 } from '../content-gate/decode-utf8.ts'
import type { Site } from '../site-generators/site-generator.ts'
import type { CommitChange, CommitId, PreparedCommit } from './code-host.ts'
import { ContentInspector } from './content-inspector.ts'
import { type ComparisonLimits, type ComparisonRefusal, compareTrees, type FileChange } from './git/compare-trees.ts'
import {
  type CommitDetails,
  GitRepository,
  type GitRepositoryDeps,
  type MergedTree,
  type Patch,
  type TreeFile,
  type UnpackRefusal,
} from './git/git-repository.ts'
import type { ObjectReader } from './git/object-reader.ts'
import { type BundleRefusal, readBundle } from './git/read-bundle.ts'

export type ResultRefusalCode =
  | BundleRefusal
  | UnpackRefusal
  | ComparisonRefusal
  | ChangeRefusalCode
  | ContentRefusalCode
  | 'not_shown_in_diff'
  | 'unresolved_conflict'

/** `path` is printable. Empty: the refusal concerns the whole result. */
export type ResultRefusal = {
  code: ResultRefusalCode
  path: string
  line?: number | undefined
  /** What was found in the file. */
  text?: string
}

export type SubmittedResult = {
  bundle: Uint8Array
  /** As reported by the runner. */
  base: CommitId
  /**
   * The branch that the work started from. Undefined: an earlier attempt at the same turn has accepted the result already, and
   * the branch may have been deleted since.
   */
  branch: string | undefined
  /** The agent resolved conflicts: `commit`, which the runner reported, was merged from this branch. */
  merge?: { commit: CommitId; branch: string } | undefined
  rules: ChangeRules
}

export type AcceptedResult = {
  base: CommitId
  /** The runner's own commit. Only its tree is used: the runner chose author, message and date. */
  head: CommitId
  tree: string
  rules: ChangeRules
  /** The commit that was merged, and the tree that git alone makes of it, with conflict markers. */
  merge: { commit: CommitId; tree: string } | undefined
  /** Relative to `merge.commit` if there is one, otherwise to `base`. */
  changes: readonly CommitChange[]
  /** Hosts in links and images that no page of the repository named before. */
  newHosts: readonly string[]
  /** What would be refused, but may be pushed when a person has approved it. Empty unless the project holds active content. */
  toApprove: readonly ResultRefusal[]
}

export type AcceptanceOutcome =
  | { kind: 'accepted'; result: AcceptedResult }
  | { kind: 'no_changes' }
  | { kind: 'refused'; refusals: readonly ResultRefusal[] }
  /** The branch does not contain the commit that the runner reports as its base; no longer, or it never did. */
  | { kind: 'base_gone' }

export type CommitPreparation =
  /** The caller records the commit, then puts it on the branch. */
  | { kind: 'ready'; commit: PreparedCommit }
  /**
   * An earlier attempt succeeded. `head` is the current head of the branch, `ownCommit` the id of our commit on the host.
   * Undefined: other commits made the same changes.
   */
  | { kind: 'published'; head: CommitId; ownCommit: CommitId | undefined }
  /** People changed the branch in a way that conflicts with the result. */
  | { kind: 'branch_moved' }

const comparisonLimits: ComparisonLimits = {
  maxChanges: maxChangedFiles,
  maxDepth: 30,
  maxTrees: 5_000,
  maxTreeBytes: 64 * 1024 * 1024,
}
const maxPatchBytes = 2 * 1024 * 1024
/** How far back the common ancestor of a merge is searched. The runner fetches as much. */
const maxMergeHistory = 500
/** Our base is searched this far back. A branch with more commits on top of it counts as a different branch. */
const maxForeignCommits = 50

export class BareRepository implements AsyncDisposable {
  readonly #git: GitRepository
  readonly #signal: AbortSignal

  private constructor(git: GitRepository, signal: AbortSignal) {
    this.#git = git
    this.#signal = signal
  }

  static async open(deps: GitRepositoryDeps): Promise<BareRepository> {
    return new BareRepository(await GitRepository.open(deps), deps.signal)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#git.close()
  }

  /** Accepts a runner's bundle if everything that it changes is allowed. */
  async accept(offered: SubmittedResult): Promise<AcceptanceOutcome> {
    const { bundle, base, branch, merge, rules } = offered
    const reading = await readBundle(bundle, base)
    if (reading.kind === 'refused') return refused(reading.code)
    const { head, pack } = reading

    if ((await this.#git.fetch(base, 1)) === 'gone') return { kind: 'base_gone' }
    // A base on another branch would bring all commits of that branch into our pull request.
    if (branch !== undefined && !(await this.#git.isOnBranch(base, branch))) return { kind: 'base_gone' }
    // As for the base: if an earlier attempt has accepted the result, the branch may have been deleted since.
    if (merge && branch !== undefined && !(await this.#git.isOnBranch(merge.commit, merge.branch)))
      return { kind: 'base_gone' }
    const merged = merge && (await this.#merge(base, merge.commit))
    if (merge && !merged) return { kind: 'base_gone' }
    const unpacked = await this.#git.unpack(pack)
    if (unpacked !== 'unpacked') return refused(unpacked)

    const objects = this.#git.openObjects()
    try {
      if ((await objects.info(head))?.type !== 'commit') return refused('invalid_objects')
      if (!(await this.#git.isAncestor(base, head))) return refused('wrong_base')
      const baseTree = await treeOf(objects, base)
      const tree = await treeOf(objects, head)
      // A merge in favor of the branch changes no file, but resolves the conflict.
      if (tree === baseTree && (!merge || (await this.#git.isAncestor(merge.commit, base))))
        return { kind: 'no_changes' }
      const check = merged
        ? await this.#checkMerge(objects, { base, baseTree, tree, commit: merge.commit, merged }, rules)
        : await this.#check(objects, baseTree, tree, rules)
      const { refusals, newHosts } = check
      if (refusals.length > 0 && !(rules.activeContent === 'hold' && canBeApproved(refusals)))
        return { kind: 'refused', refusals: refusals.slice(0, maxListedRefusals) }
      const changes = merge ? await listChanges(objects, await treeOf(objects, merge.commit), tree) : check.changes
      if (typeof changes === 'string') return refused(changes)
      const accepted = { base, head, tree, rules, newHosts, changes, toApprove: refusals }
      return {
        kind: 'accepted',
        result: { ...accepted, merge: merge && merged && { commit: merge.commit, tree: merged.tree } },
      }
    } finally {
      objects.close()
    }
  }

  /** Undefined: git finds no common ancestor. */
  async #merge(base: CommitId, commit: CommitId): Promise<MergedTree | undefined> {
    // After every other fetch: the last one decides how much of the history is here.
    if ((await this.#git.fetch([base, commit], maxMergeHistory)) === 'gone') return undefined
    return await this.#git.mergeWithConflicts(base, commit)
  }

  /**
   * What git merged by itself is on one of the two branches already, or is a combination of both in the same file. Everything else
   * counts as a change of the agent: files with conflicts, whatever git made of them; files whose changes git applied at another
   * path; and pages that git combined, because two harmless changes may not be harmless together. Each is compared with its version on
   * either branch, and refused only if it is refused in comparison with both.
   */
  async #checkMerge(objects: ObjectReader, parts: MergeToCheck, rules: ChangeRules): Promise<CheckedChanges> {
    const { base, baseTree, tree, commit, merged } = parts
    const ours = await this.#git.listEntries(baseTree)
    const theirs = await this.#git.listEntries(await treeOf(objects, commit))
    const byGit = await this.#git.listEntries(merged.tree)
    const result = await this.#git.listEntries(tree)
    const conflicts = new Set(merged.conflicts)
    const combined = [...byGit].flatMap(([path, { id }]) =>
      id === ours.get(path)?.id || id === theirs.get(path)?.id ? [] : [path],
    )
    const inspector = await ContentInspector.open(this.#git, objects, baseTree, rules)
    const unresolved: ResultRefusal[] = []
    const compared: string[] = []
    for (const path of new Set([...conflicts, ...combined])) {
      const isConflict = conflicts.has(path) || !ours.has(path) || !theirs.has(path)
      const file = result.get(path)
      const isAllowed = isChangeAllowed(path, ours.get(path) ?? theirs.get(path), file, rules, inspector)
      const hasMarkers = file !== undefined && (await hasConflictMarkers(objects, file.id, base, commit))
      if (isConflict && (!isAllowed || hasMarkers))
        unresolved.push({ code: 'unresolved_conflict', path: escapePathForDisplay(Buffer.from(path, 'latin1')) })
      else if (isAllowed) compared.push(path)
    }
    if (unresolved.length > 0) return { refusals: unresolved, changes: [], newHosts: [], isInspected: false }
    const compareWith = async (side: ReadonlyMap<string, TreeFile>) => {
      const before = await this.#git.replaceEntries(
        merged.tree,
        new Map(compared.map((path) => [path, side.get(path)])),
      )
      return before === tree ? noChanges : await this.#check(objects, before, tree, rules)
    }
    return intersectChecks(await compareWith(ours), await compareWith(theirs))
  }

  /** Undefined: the branch does not exist. */
  async recognizeSite(branch: string, rules: ChangeRules): Promise<Site | undefined> {
    const head = await this.#git.remoteHead(branch)
    if (head === undefined || (await this.#git.fetch(head, 1)) === 'gone') return undefined
    const objects = this.#git.openObjects()
    try {
      const inspector = await ContentInspector.open(this.#git, objects, await treeOf(objects, head), rules)
      return inspector.site
    } finally {
      objects.close()
    }
  }

  /** A diff for people: what the result changes relative to `since`. By default, what the agent changed. */
  async diff({ base, head, tree, merge }: AcceptedResult, since?: CommitId): Promise<Patch> {
    if (since === undefined && merge) return await this.#git.patch(merge.tree, tree, maxPatchBytes)
    const isFetched = since !== undefined && (since === base || (await this.#git.fetch(since, 1)) !== 'gone')
    return await this.#git.patch(isFetched ? since : base, head, maxPatchBytes)
  }

  /**
   * Creates our own commit from an accepted result: on its base, or on the head of the branch if people have pushed to it in
   * the meantime. `recorded` is the commit that an earlier attempt at the same turn was about to put there.
   */
  async prepareCommit(
    result: AcceptedResult,
    branch: string,
    details: CommitDetails,
    recorded: CommitId | undefined,
  ): Promise<CommitPreparation> {
    const { base, tree, changes, merge } = result
    const parents = merge ? ([base, merge.commit] as const) : ([base] as const)
    const commit = await this.#createCommit({ parents, tree, changes, changedFrom: merge?.commit ?? base }, details)
    const head = await this.#git.remoteHead(branch)
    if (head === undefined || head === base) return { kind: 'ready', commit }
    if (head === commit.id || head === recorded) return { kind: 'published', head, ownCommit: head }

    if ((await this.#git.fetch(head, maxForeignCommits)) === 'gone') return { kind: 'branch_moved' }
    const ownCommit = await this.#findOwnCommit(head, base, commit.id, recorded)
    if (ownCommit) return { kind: 'published', head, ownCommit }
    // Rebased or recreated: it is no longer possible to distinguish what people changed since the base from what they reverted.
    if (!(await this.#git.isAncestor(base, head))) return { kind: 'branch_moved' }
    // A merge of a merge would need another review of what git alone has merged.
    if (merge) return { kind: 'branch_moved' }
    return await this.#prepareOnHead(head, commit.id, result, details)
  }

  /**
   * A host that creates commits itself, to sign them, assigns ids that are not known beforehand, and its response may have been
   * lost. So for each commit on the branch, compute the id that ours would have with the same parent and tree.
   */
  async #findOwnCommit(
    head: CommitId,
    base: CommitId,
    commit: CommitId,
    recorded: CommitId | undefined,
  ): Promise<CommitId | undefined> {
    const ourIds = recorded ? [commit, recorded] : [commit]
    const objects = this.#git.openObjects()
    try {
      const contents = await objects.contents(commit)
      const details = contents.subarray(contents.indexOf('\nauthor ')).toString('latin1')
      const found = (await this.#git.listCommits(head, base)).find(
        ({ id, tree, parents }) => ourIds.includes(id) || ourIds.includes(computeCommitId(tree, parents, details)),
      )
      return found?.id
    } finally {
      objects.close()
    }
  }

  async #createCommit(
    { parents, tree, changes, changedFrom }: Pick<PreparedCommit, 'parents' | 'tree' | 'changes' | 'changedFrom'>,
    details: CommitDetails,
  ): Promise<PreparedCommit> {
    const id = await this.#git.commitTree(tree, parents, details)
    return {
      id,
      parents,
      tree,
      changes,
      changedFrom,
      message: details.message,
      readBlob: (blob) => this.#readBlob(blob),
      push: async (branch) => ((await this.#git.push(id, branch)) === 'pushed' ? 'pushed' : 'branch_moved'),
    }
  }

  async #readBlob(blob: string): Promise<Buffer | undefined> {
    const objects = this.#git.openObjects()
    try {
      return (await objects.info(blob)) ? await objects.contents(blob) : undefined
    } finally {
      objects.close()
    }
  }

  async #prepareOnHead(
    head: CommitId,
    commit: CommitId,
    { rules, toApprove }: AcceptedResult,
    details: CommitDetails,
  ): Promise<CommitPreparation> {
    const merged = await this.#git.mergeTrees(head, commit)
    if (merged === undefined) return { kind: 'branch_moved' }
    const objects = this.#git.openObjects()
    try {
      const headTree = await treeOf(objects, head)
      if (merged === headTree) return { kind: 'published', head, ownCommit: undefined }
      // Check again what would be pushed: if people moved a page, the merge applies our change at the new path.
      const { refusals, changes } = await this.#check(objects, headTree, merged, rules)
      const isApproved = ({ code, text }: ResultRefusal) =>
        toApprove.some((approved) => approved.code === code && approved.text === text)
      const areApproved = refusals.length <= toApprove.length && canBeApproved(refusals) && refusals.every(isApproved)
      if (!areApproved) return { kind: 'branch_moved' }
      const parts = { parents: [head] as const, tree: merged, changes, changedFrom: head }
      return { kind: 'ready', commit: await this.#createCommit(parts, details) }
    } finally {
      objects.close()
    }
  }

  async #check(objects: ObjectReader, before: string, after: string, rules: ChangeRules): Promise<CheckedChanges> {
    const comparison = await compareTrees(objects, before, after, comparisonLimits)
    if (comparison.kind === 'refused') return refuseChanges([comparison.path], comparison.code)
    const { changes, additions } = comparison
    const sizes = await this.#readNewBytes(objects, changes, before)
    const missing = changes.filter((change) => change.after && sizes.get(change.after.id) === undefined)
    if (missing.length > 0)
      return refuseChanges(
        missing.map(({ path }) => path),
        'missing_object',
      )
    const checked = changes.map((change): ChangeToCheck => {
      const { path, before: oldFile, after: newFile } = change
      const newBytes = newFile ? (sizes.get(newFile.id) ?? 0) : 0
      return { path, beforeMode: oldFile?.mode, afterMode: newFile?.mode, newBytes }
    })
    const inspector = await ContentInspector.open(this.#git, objects, before, rules)
    const refusals: readonly ChangeRefusal[] = findChangeRefusals(checked, additions, {
      docsFolders: rules.docsFolders,
      allowedPaths: rules.allowedPaths,
      isSiteNavigation: (path) => inspector.isSiteNavigation(path),
    })
    if (refusals.length > 0) return { refusals, changes: [], newHosts: [], isInspected: false }
    // Contents are read only now that their total size is known to be small.
    const content = await inspector.inspect(changes, this.#signal)
    return { ...content, changes: changes.map(toCommitChange), isInspected: true }
  }

  /** Sizes by blob id. A blob that the base already contains, under any path, counts as 0; it need not have been fetched. */
  async #readNewBytes(
    objects: ObjectReader,
    changes: readonly FileChange[],
    base: string,
  ): Promise<Map<string, number>> {
    const sizes = new Map<string, number>()
    for (const { before } of changes) if (before) sizes.set(before.id, 0)
    const absent = new Set<string>()
    for (const { after } of changes) {
      if (!after || sizes.has(after.id)) continue
      if (after.mode === '160000') sizes.set(after.id, 0) // a submodule's commit is in another repository
      const info = await objects.info(after.id)
      if (info?.type === 'blob') sizes.set(after.id, info.sizeBytes)
      else if (!info) absent.add(after.id)
    }
    if (absent.size === 0) return sizes
    const inBase = new Set((await this.#git.listFiles(base)).values())
    for (const id of absent) if (inBase.has(id)) sizes.set(id, 0)
    return sizes
  }
}

function refused(code: ResultRefusalCode): AcceptanceOutcome {
  return { kind: 'refused', refusals: [{ code, path: '' }] }
}

type CheckedChanges = {
  refusals: readonly ResultRefusal[]
  changes: readonly CommitChange[]
  newHosts: readonly string[]
  /** Whether the contents were inspected. They are not if a path is refused. */
  isInspected: boolean
}

const noChanges: CheckedChanges = { refusals: [], changes: [], newHosts: [], isInspected: true }

type MergeToCheck = { base: CommitId; baseTree: string; tree: string; commit: CommitId; merged: MergedTree }

/** What is refused in both comparisons. A comparison that was not inspected, or only in part, does not excuse anything. */
function intersectChecks(one: CheckedChanges, other: CheckedChanges): CheckedChanges {
  const isUsable = ({ isInspected, refusals }: CheckedChanges) => isInspected && refusals.length < maxListedRefusals
  if (!isUsable(one)) return other
  if (!isUsable(other)) return one
  const isSame = (a: ResultRefusal, b: ResultRefusal) => a.code === b.code && a.path === b.path && a.text === b.text
  return {
    ...one,
    refusals: one.refusals.filter((refusal) => other.refusals.some((found) => isSame(refusal, found))),
    newHosts: one.newHosts.filter((host) => other.newHosts.includes(host)),
  }
}

function isChangeAllowed(
  path: string,
  before: TreeFile | undefined,
  after: TreeFile | undefined,
  { docsFolders, allowedPaths }: ChangeRules,
  inspector: ContentInspector,
): boolean {
  const change = { path: Buffer.from(path, 'latin1'), beforeMode: before?.mode, afterMode: after?.mode, newBytes: 0 }
  const isSiteNavigation = (navigation: string) => inspector.isSiteNavigation(navigation)
  return findChangeRefusals([change], [], { docsFolders, allowedPaths, isSiteNavigation }).length === 0
}

/** The runner names both commits in the markers. A blob that is not here is one that the code host has, without markers. */
async function hasConflictMarkers(
  objects: ObjectReader,
  blob: string,
  base: CommitId,
  commit: CommitId,
): Promise<boolean> {
  if ((await objects.info(blob))?.type !== 'blob') return false
  const contents = await objects.contents(blob)
  return contents.includes(`<<<<<<< ${base}`) || contents.includes(`>>>>>>> ${commit}`)
}

const refuseChanges = (paths: readonly Buffer[], code: ResultRefusalCode): CheckedChanges => ({
  refusals: paths.map((path) => ({ code, path: escapePathForDisplay(path) })),
  changes: [],
  newHosts: [],
  isInspected: false,
})

/** Or why they cannot be listed. People may have committed to the branch as well. */
async function listChanges(
  objects: ObjectReader,
  before: string,
  after: string,
): Promise<CommitChange[] | ResultRefusalCode> {
  const comparison = await compareTrees(objects, before, after, comparisonLimits)
  if (comparison.kind === 'refused') return comparison.code
  if (comparison.changes.some(({ path }) => decodeUtf8(path) === undefined)) return 'not_utf8'
  return comparison.changes.map(toCommitChange)
}

/** Paths that are not UTF-8 were refused before, including those of existing files. */
const toCommitChange = ({ path, before, after }: FileChange): CommitChange => ({
  path: path.toString('utf8'),
  mode: (after ?? before)?.mode ?? '100644',
  blob: after?.id ?? null,
})

function computeCommitId(tree: string, parents: readonly CommitId[], details: string): CommitId {
  const lines = [`tree ${tree}`, ...parents.map((parent) => `parent ${parent}`)]
  const contents = Buffer.from(`${lines.join('\n')}${details}`, 'latin1')
  return createHash('sha1').update(`commit ${contents.length}\0`).update(contents).digest('hex')
}

async function treeOf(objects: ObjectReader, commit: CommitId): Promise<string> {
  return (await objects.contents(commit)).toString('latin1', 'tree '.length, 'tree '.length + 40)
}
