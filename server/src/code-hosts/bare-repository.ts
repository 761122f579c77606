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
import type { Site } from '../site-generators/site-generator.ts'
import type { CommitChange, CommitId, PreparedCommit } from './code-host.ts'
import { ContentInspector } from './content-inspector.ts'
import { type ComparisonLimits, type ComparisonRefusal, compareTrees, type FileChange } from './git/compare-trees.ts'
import {
  type CommitDetails,
  GitRepository,
  type GitRepositoryDeps,
  type MergedTree,
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
const conflictMarker = /^(?:<{7}|>{7}) /m
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
    const merged = merge && (await this.#merge(base, merge))
    if (merge && !merged) return { kind: 'base_gone' }
    const unpacked = await this.#git.unpack(pack)
    if (unpacked !== 'unpacked') return refused(unpacked)

    const objects = this.#git.openObjects()
    try {
      if ((await objects.info(head))?.type !== 'commit') return refused('invalid_objects')
      if (!(await this.#git.isAncestor(base, head))) return refused('wrong_base')
      const baseTree = await treeOf(objects, base)
      const tree = await treeOf(objects, head)
      if (tree === baseTree) return { kind: 'no_changes' }
      // Of a merge, only what the agent changed is checked: the rest is on one of the two branches already.
      const check = await this.#check(objects, merged?.tree ?? baseTree, tree, rules)
      const unresolved = merged ? await this.#findConflictMarkers(objects, tree, merged.conflicts) : []
      const refusals = [...unresolved, ...check.refusals]
      const { newHosts } = check
      if (refusals.length > 0 && !(rules.activeContent === 'hold' && canBeApproved(refusals)))
        return { kind: 'refused', refusals: refusals.slice(0, maxListedRefusals) }
      const changes = merge ? await listChanges(objects, await treeOf(objects, merge.commit), tree) : check.changes
      if (!changes) return refused('too_many_files')
      const accepted = { base, head, tree, rules, newHosts, changes, toApprove: refusals }
      return {
        kind: 'accepted',
        result: { ...accepted, merge: merge && merged && { commit: merge.commit, tree: merged.tree } },
      }
    } finally {
      objects.close()
    }
  }

  /** Undefined: the commit is not on its branch, or git finds no common ancestor. */
  async #merge(
    base: CommitId,
    { commit, branch }: { commit: CommitId; branch: string },
  ): Promise<MergedTree | undefined> {
    for (const id of [base, commit]) if ((await this.#git.fetch(id, maxMergeHistory)) === 'gone') return undefined
    if (!(await this.#git.isOnBranch(commit, branch))) return undefined
    return await this.#git.mergeWithConflicts(base, commit)
  }

  /** Files that git could not merge, and that the agent left as they are. */
  async #findConflictMarkers(
    objects: ObjectReader,
    tree: string,
    conflicts: readonly string[],
  ): Promise<ResultRefusal[]> {
    const files = await this.#git.listFiles(tree)
    const unresolved: ResultRefusal[] = []
    for (const path of conflicts) {
      const blob = files.get(path)
      // A blob that is not here is one that the code host has, without markers.
      if (blob === undefined || !(await objects.info(blob))) continue
      if (conflictMarker.test((await objects.contents(blob)).toString('latin1')))
        unresolved.push({ code: 'unresolved_conflict', path: escapePathForDisplay(Buffer.from(path, 'latin1')) })
    }
    return unresolved
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
  async diff(
    { base, head, tree, merge }: AcceptedResult,
    since?: CommitId,
  ): Promise<{ patch: string; isComplete: boolean }> {
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
      if (!refusals.every(isApproved)) return { kind: 'branch_moved' }
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
    if (refusals.length > 0) return { refusals, changes: [], newHosts: [] }
    // Contents are read only now that their total size is known to be small.
    const content = await inspector.inspect(changes, this.#signal)
    return { ...content, changes: changes.map(toCommitChange) }
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
}

const refuseChanges = (paths: readonly Buffer[], code: ResultRefusalCode): CheckedChanges => ({
  refusals: paths.map((path) => ({ code, path: escapePathForDisplay(path) })),
  changes: [],
  newHosts: [],
})

/** Undefined: there are too many. */
async function listChanges(objects: ObjectReader, before: string, after: string): Promise<CommitChange[] | undefined> {
  const comparison = await compareTrees(objects, before, after, comparisonLimits)
  return comparison.kind === 'refused' ? undefined : comparison.changes.map(toCommitChange)
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
