/**
 * Where a result becomes a branch: a bare repository in a temporary directory. Nothing of the result is ever checked out,
 * so nothing of it can run here. Every step looks before it acts; done twice, it changes nothing.
 */
import { createHash } from 'node:crypto'
import {
  type AllowPolicy,
  type ChangeRefusal,
  type ChangeRefusalCode,
  type CheckedChange,
  maxChangedFiles,
  printable,
  refusalsOf,
} from './allow-list/allow-list.ts'
import { hasCodeInFront, mayHaveFrontMatter } from './allow-list/front-matter.ts'
import type { CommitChange, CommitId, PreparedCommit } from './code-host.ts'
import { type ComparisonLimits, type ComparisonRefusal, compareTrees, type FileChange } from './git/compare-trees.ts'
import { type CommitDetails, GitRepository, type GitRepositoryDeps, type UnpackRefusal } from './git/git-repository.ts'
import type { ObjectReader } from './git/object-reader.ts'
import { type BundleRefusal, readBundle } from './git/read-bundle.ts'

export type ResultRefusalCode =
  | BundleRefusal
  | UnpackRefusal
  | ComparisonRefusal
  | ChangeRefusalCode
  | 'front_matter_code'

/** `path` is printable, and empty where the whole result is meant. */
export type ResultRefusal = { code: ResultRefusalCode; path: string }

export type OfferedResult = {
  bundle: Uint8Array
  /** As the runner says. */
  base: CommitId
  /** That the work began on; undefined: what an earlier attempt at the same turn accepted, and the branch may be gone. */
  branch: string | undefined
  policy: AllowPolicy
}

export type AcceptedResult = {
  base: CommitId
  /** The runner's own commit. Only its tree is used: author, message and date are whatever a runner liked. */
  head: CommitId
  tree: string
  policy: AllowPolicy
  changes: readonly CommitChange[]
}

export type Acceptance =
  | { kind: 'accepted'; result: AcceptedResult }
  | { kind: 'no_changes' }
  | { kind: 'refused'; refusals: readonly ResultRefusal[] }
  /** The branch does not lead to the commit that the work is said to have begun on; not any more, or it never did. */
  | { kind: 'base_gone' }

export type Placement =
  /** To be recorded, then put on the branch. */
  | { kind: 'ready'; commit: PreparedCommit }
  /**
   * An earlier attempt got through. `head` is what the branch has now, `ours` what the host calls our commit on it; undefined:
   * what we wanted to change is there, by other commits.
   */
  | { kind: 'published'; head: CommitId; ours: CommitId | undefined }
  /** People changed the branch, and the two do not fit together. */
  | { kind: 'branch_moved' }

const comparisonLimits: ComparisonLimits = {
  changes: maxChangedFiles,
  depth: 30,
  trees: 5_000,
  treeBytes: 64 * 1024 * 1024,
}
const maxListedRefusals = 20
const maxPatchBytes = 2 * 1024 * 1024
/** Further back our base is not looked for: such a branch counts as another one. */
const maxForeignCommits = 50

export class BareRepository implements AsyncDisposable {
  readonly #git: GitRepository

  private constructor(git: GitRepository) {
    this.#git = git
  }

  static async open(deps: GitRepositoryDeps): Promise<BareRepository> {
    return new BareRepository(await GitRepository.open(deps))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#git.close()
  }

  /** Takes a runner's bundle in, if all that it changes is allowed. */
  async accept(offered: OfferedResult): Promise<Acceptance> {
    const { bundle, base, branch, policy } = offered
    const reading = await readBundle(bundle, base)
    if (reading.kind === 'refused') return refused(reading.code)
    const { head, pack } = reading

    if ((await this.#git.fetch(base, 1)) === 'gone') return { kind: 'base_gone' }
    // A commit of somebody else's branch would bring all of it along into our pull request.
    if (branch !== undefined && !(await this.#git.isOnBranch(base, branch))) return { kind: 'base_gone' }
    const unpacked = await this.#git.unpack(pack)
    if (unpacked !== 'unpacked') return refused(unpacked)

    const objects = this.#git.openObjects()
    try {
      if ((await objects.info(head))?.type !== 'commit') return refused('broken_objects')
      if (!(await this.#git.isAncestor(base, head))) return refused('wrong_base')
      const baseTree = await treeOf(objects, base)
      const tree = await treeOf(objects, head)
      if (tree === baseTree) return { kind: 'no_changes' }
      const check = await this.#check(objects, baseTree, tree, policy)
      if (check.refusals.length > 0) return { kind: 'refused', refusals: check.refusals.slice(0, maxListedRefusals) }
      return { kind: 'accepted', result: { base, head, tree, policy, changes: check.changes } }
    } finally {
      objects.close()
    }
  }

  /** For people to read: what the result changes since then, which is its base unless said otherwise. */
  async diff({ base, head }: AcceptedResult, since: CommitId = base): Promise<{ patch: string; isWhole: boolean }> {
    const isHere = since === base || (await this.#git.fetch(since, 1)) !== 'gone'
    return await this.#git.patch(isHere ? since : base, head, maxPatchBytes)
  }

  /**
   * Makes our own commit of an accepted result: on its base, or on the branch's head if people pushed to it meanwhile.
   * `recorded` is the commit that an earlier attempt at the same turn was about to put there.
   */
  async place(
    result: AcceptedResult,
    branch: string,
    details: CommitDetails,
    recorded: CommitId | undefined,
  ): Promise<Placement> {
    const { base, tree, changes } = result
    const commit = await this.#prepare({ parent: base, tree, changes }, details)
    const head = await this.#git.remoteHead(branch)
    if (head === undefined || head === base) return { kind: 'ready', commit }
    if (head === commit.id || head === recorded) return { kind: 'published', head, ours: head }

    if ((await this.#git.fetch(head, maxForeignCommits)) === 'gone') return { kind: 'branch_moved' }
    const ours = await this.#findOurs(head, base, commit.id, recorded)
    if (ours) return { kind: 'published', head, ours }
    // Rebased or started over: what people did since the base can no longer be told from what they undid.
    if (!(await this.#git.isAncestor(base, head))) return { kind: 'branch_moved' }
    return await this.#placeOn(head, commit.id, result, details)
  }

  /**
   * A host that makes commits itself, to sign them, gives them names that are not known beforehand, and its answer may have
   * been lost. So of each commit on the branch: what would ours be called, with its parent and its tree?
   */
  async #findOurs(
    head: CommitId,
    base: CommitId,
    commit: CommitId,
    recorded: CommitId | undefined,
  ): Promise<CommitId | undefined> {
    const wanted = recorded ? [commit, recorded] : [commit]
    const objects = this.#git.openObjects()
    try {
      const contents = await objects.contents(commit)
      const details = contents.subarray(contents.indexOf('\nauthor ')).toString('latin1')
      const found = (await this.#git.listCommits(head, base)).find(({ id, tree, parents }) => {
        const [parent, ...others] = parents
        if (wanted.includes(id)) return true
        return parent !== undefined && others.length === 0 && wanted.includes(commitIdOf(tree, parent, details))
      })
      return found?.id
    } finally {
      objects.close()
    }
  }

  async #prepare(
    { parent, tree, changes }: Pick<PreparedCommit, 'parent' | 'tree' | 'changes'>,
    details: CommitDetails,
  ): Promise<PreparedCommit> {
    const id = await this.#git.commitTree(tree, parent, details)
    return {
      id,
      parent,
      tree,
      changes,
      message: details.message,
      contentsOf: (blob) => this.#contentsOf(blob),
      push: async (branch) => ((await this.#git.push(id, branch)) === 'pushed' ? 'pushed' : 'branch_moved'),
    }
  }

  async #contentsOf(blob: string): Promise<Buffer | undefined> {
    const objects = this.#git.openObjects()
    try {
      return (await objects.info(blob)) ? await objects.contents(blob) : undefined
    } finally {
      objects.close()
    }
  }

  async #placeOn(
    head: CommitId,
    commit: CommitId,
    { policy }: AcceptedResult,
    details: CommitDetails,
  ): Promise<Placement> {
    const merged = await this.#git.mergeTrees(head, commit)
    if (merged === undefined) return { kind: 'branch_moved' }
    const objects = this.#git.openObjects()
    try {
      const headTree = await treeOf(objects, head)
      if (merged === headTree) return { kind: 'published', head, ours: undefined }
      // Once more, on what would be pushed: a page that people moved takes our change along to its new place.
      const { refusals, changes } = await this.#check(objects, headTree, merged, policy)
      if (refusals.length > 0) return { kind: 'branch_moved' }
      return { kind: 'ready', commit: await this.#prepare({ parent: head, tree: merged, changes }, details) }
    } finally {
      objects.close()
    }
  }

  async #check(
    objects: ObjectReader,
    before: string,
    after: string,
    policy: AllowPolicy,
  ): Promise<{ refusals: readonly ResultRefusal[]; changes: readonly CommitChange[] }> {
    const comparison = await compareTrees(objects, before, after, comparisonLimits)
    if (comparison.kind === 'refused') {
      return { refusals: [{ code: comparison.code, path: printable(comparison.path) }], changes: [] }
    }
    const { changes, grown } = comparison
    const sizes = await this.#newBytes(objects, changes, before)
    const missing = changes.filter(({ after: now }) => now && sizes.get(now.id) === undefined)
    if (missing.length > 0) {
      return { refusals: missing.map(({ path }) => ({ code: 'missing_object', path: printable(path) })), changes: [] }
    }
    const checked = changes.map((change): CheckedChange => {
      const { path, before: old, after: now } = change
      return { path, beforeMode: old?.mode, afterMode: now?.mode, newBytes: now ? (sizes.get(now.id) ?? 0) : 0 }
    })
    const refusals: readonly ChangeRefusal[] = refusalsOf(checked, grown, policy)
    // Only now is it known that all pages together are small.
    return {
      refusals: refusals.length > 0 ? refusals : await codeInPages(objects, changes),
      changes: changes.map(asCommitChange),
    }
  }

  /** By id. What the base has already, under whatever name, is nothing new; nor need it be here to be asked. */
  async #newBytes(objects: ObjectReader, changes: readonly FileChange[], base: string): Promise<Map<string, number>> {
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
    const inBase = await this.#git.listFileIds(base)
    for (const id of absent) if (inBase.has(id)) sizes.set(id, 0)
    return sizes
  }
}

function refused(code: ResultRefusalCode): Acceptance {
  return { kind: 'refused', refusals: [{ code, path: '' }] }
}

async function codeInPages(objects: ObjectReader, changes: readonly FileChange[]): Promise<ResultRefusal[]> {
  const refusals: ResultRefusal[] = []
  for (const { path, after } of changes) {
    // A page that is not here was only moved.
    if (!after || !mayHaveFrontMatter(path.toString()) || !(await objects.info(after.id))) continue
    if (!hasCodeInFront(await objects.contents(after.id))) continue
    refusals.push({ code: 'front_matter_code', path: printable(path) })
  }
  return refusals
}

/** Names that are not UTF-8 are refused above, also of files that are only changed. */
const asCommitChange = ({ path, before, after }: FileChange): CommitChange => ({
  path: path.toString('utf8'),
  mode: (after ?? before)?.mode ?? '100644',
  blob: after?.id ?? null,
})

function commitIdOf(tree: string, parent: CommitId, details: string): CommitId {
  const contents = Buffer.from(`tree ${tree}\nparent ${parent}${details}`, 'latin1')
  return createHash('sha1').update(`commit ${contents.length}\0`).update(contents).digest('hex')
}

async function treeOf(objects: ObjectReader, commit: CommitId): Promise<string> {
  return (await objects.contents(commit)).toString('latin1', 'tree '.length, 'tree '.length + 40)
}
