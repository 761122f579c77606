/** The Git database API: each operation runs git plumbing commands. */
import { randomBytes } from 'node:crypto'
import { actorOf, notAccessible, permissionsOn } from '../access.ts'
import { defineRepositoryOperation, type Operations, type RepositoryCall } from '../api-call.ts'
import { ApiError, notFound } from '../api-error.ts'
import { processBranchChanges } from '../branch-changes.ts'
import {
  deleteRef,
  findNewWorkflow,
  GitError,
  type GitIdentity,
  isAncestor,
  isValidRefName,
  objectType,
  readCommit,
  readTree,
  refSha,
  type TreeChange,
  updateRef,
  writeBlob,
  writeCommit,
  writeTree,
} from '../git.ts'
import { emailOf, gitCommitResponse, refResponse } from '../responses/commit.ts'
import { repositoryApiUrl } from '../responses/repository.ts'

const workflows = '.github/workflows/'

function requireWorkflowPermission({ state, caller, repository }: RepositoryCall): void {
  const canWrite = permissionsOn(state, caller, repository)?.workflows === 'write'
  if (!canWrite) throw notAccessible(caller)
}

interface TreeEntryInput {
  path: string
  mode: string
  sha?: string | null
  content?: string
}

interface PersonInput {
  name: string
  email: string
  date?: string
}

const toPerson = ({ name, email, date }: PersonInput): GitIdentity => ({
  name,
  email,
  date: date ? new Date(date) : new Date(),
})

/** A random signature that does not verify. It only makes the commit ID unpredictable, as a real signature does. */
const newSignature = () =>
  `-----BEGIN PGP SIGNATURE-----\n\n${randomBytes(48).toString('base64')}\n-----END PGP SIGNATURE-----\n`

const unprocessable = (message: string) => new ApiError(422, message)

export const gitDatabaseOperations: Operations = {
  'git/create-blob': defineRepositoryOperation('contents:write', async ({ state, repository, body }) => {
    const { content, encoding } = body as { content: string; encoding?: string }
    const sha = await writeBlob(repository.directory, Buffer.from(content, encoding === 'base64' ? 'base64' : 'utf8'))
    return { status: 201, body: { sha, url: `${repositoryApiUrl(state, repository)}/git/blobs/${sha}` } }
  }),

  'git/create-tree': defineRepositoryOperation('contents:write', async (call) => {
    const { repository, body } = call
    const { tree, base_tree: base } = body as { tree: TreeEntryInput[]; base_tree?: string }
    const { directory } = repository
    if (base !== undefined && (await objectType(directory, base)) === undefined) throw notFound()
    if (tree.some(({ path }) => path.startsWith(workflows))) requireWorkflowPermission(call)
    const changes: TreeChange[] = []
    for (const { path, mode, sha, content } of tree) {
      const blob = content === undefined ? (sha ?? null) : await writeBlob(directory, content)
      if (sha && mode !== '160000' && (await objectType(directory, sha)) !== 'blob') {
        throw unprocessable(`tree.sha ${sha} is not a valid blob`)
      }
      changes.push({ path, mode, sha: blob })
    }
    const sha = await writeTree(directory, base, changes).catch((error: unknown) => {
      if (error instanceof GitError) throw unprocessable('tree.path contains a malformed path component')
      throw error
    })
    return { status: 201, body: await treeResponse(call, sha, false) }
  }),

  'git/get-tree': defineRepositoryOperation('contents:read', async (call) => {
    const { repository, params, query } = call
    const sha = await refSha(repository.directory, `${params.tree_sha}^{tree}`)
    if (!sha) throw notFound()
    return { status: 200, body: await treeResponse(call, sha, query.recursive !== undefined) }
  }),

  'git/create-commit': defineRepositoryOperation('contents:write', async ({ state, repository, caller, body }) => {
    const {
      message,
      tree,
      parents = [],
      author,
      committer,
    } = body as {
      message: string
      tree: string
      parents?: string[]
      author?: PersonInput
      committer?: PersonInput
    }
    const { directory } = repository
    if ((await objectType(directory, tree)) !== 'tree') throw unprocessable('Tree SHA does not exist')
    for (const parent of parents) {
      if ((await objectType(directory, parent)) !== 'commit')
        throw unprocessable('Parent SHA does not exist or is not a commit object')
    }
    const actor = actorOf(caller)
    const self: PersonInput = { name: actor.login, email: emailOf(actor) }
    const isSigned = actor.type === 'Bot' && !author && !committer
    const signature = isSigned ? newSignature() : null
    const sha = await writeCommit(directory, {
      tree,
      parents,
      message,
      author: toPerson(author ?? self),
      committer: isSigned
        ? toPerson({ name: 'GitHub', email: 'noreply@github.com' })
        : toPerson(committer ?? author ?? self),
      signature,
    })
    if (signature) repository.signed.set(sha, { signature, at: new Date() })
    const commit = await readCommit(directory, sha)
    if (!commit) throw new Error(`The commit ${sha} was written but cannot be read.`)
    return { status: 201, body: gitCommitResponse(state, repository, commit) }
  }),

  'git/get-commit': defineRepositoryOperation('contents:read', async ({ state, repository, params }) => {
    const commit = await readCommit(repository.directory, params.commit_sha ?? '')
    if (!commit) throw notFound()
    return { status: 200, body: gitCommitResponse(state, repository, commit) }
  }),

  'git/get-ref': defineRepositoryOperation('contents:read', async ({ state, repository, params }) => {
    const ref = `refs/${params.ref}`
    const sha = await refSha(repository.directory, ref)
    if (!sha) throw notFound()
    const type = await objectType(repository.directory, sha)
    return { status: 200, body: refResponse(state, repository, ref, sha, type) }
  }),

  'git/create-ref': defineRepositoryOperation('contents:write', async (call) => {
    const { repository, caller, body, state } = call
    const { ref, sha } = body as { ref: string; sha: string }
    const { directory } = repository
    if (!/^refs\/(heads|tags)\/./.test(ref) || !(await isValidRefName(directory, ref))) {
      throw unprocessable(`${ref} is not a valid ref name.`)
    }
    if ((await objectType(directory, sha)) !== 'commit') throw unprocessable('Object does not exist')
    if (await findNewWorkflow(directory, sha)) requireWorkflowPermission(call)
    if (!(await updateRef(directory, ref, sha, undefined))) throw unprocessable('Reference already exists')
    await processBranchChanges(call, repository, actorOf(caller))
    return { status: 201, body: refResponse(state, repository, ref, sha) }
  }),

  'git/update-ref': defineRepositoryOperation('contents:write', async (call) => {
    const { repository, caller, body, state, params } = call
    const { sha, force = false } = body as { sha: string; force?: boolean }
    const { directory } = repository
    const ref = `refs/${params.ref}`
    const old = await refSha(directory, ref)
    if (!old) throw unprocessable('Reference does not exist')
    if ((await objectType(directory, sha)) !== 'commit') throw unprocessable('Object does not exist')
    if (!force && !(await isAncestor(directory, old, sha))) throw unprocessable('Update is not a fast forward')
    if (await findNewWorkflow(directory, sha)) requireWorkflowPermission(call)
    if (!(await updateRef(directory, ref, sha, old))) throw unprocessable('Update is not a fast forward')
    await processBranchChanges(call, repository, actorOf(caller))
    return { status: 200, body: refResponse(state, repository, ref, sha) }
  }),

  'git/delete-ref': defineRepositoryOperation('contents:write', async (call) => {
    const { repository, caller, params } = call
    const ref = `refs/${params.ref}`
    const old = await refSha(repository.directory, ref)
    if (!old || !(await deleteRef(repository.directory, ref, old))) throw unprocessable('Reference does not exist')
    await processBranchChanges(call, repository, actorOf(caller))
    return { status: 204 }
  }),
}

async function treeResponse({ state, repository }: RepositoryCall, sha: string, recursive: boolean) {
  const url = repositoryApiUrl(state, repository)
  const entries = await readTree(repository.directory, sha, recursive)
  return {
    sha,
    url: `${url}/git/trees/${sha}`,
    tree: entries.map((entry) => ({
      path: entry.path,
      mode: entry.mode,
      type: entry.type,
      sha: entry.sha,
      ...(entry.sizeBytes !== undefined && { size: entry.sizeBytes }),
      url: `${url}/git/${entry.type}s/${entry.sha}`,
    })),
    truncated: false,
  }
}
