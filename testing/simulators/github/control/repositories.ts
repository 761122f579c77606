import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { emitInstallationRepositories } from '../apps.ts'
import { processBranchChanges } from '../branch-changes.ts'
import {
  git,
  initBare,
  refSha,
  runGitForBytes,
  type TreeChange,
  updateRef,
  writeBlob,
  writeCommit,
  writeTree,
} from '../git.ts'
import type { CreatedRepository, RepositoryControl } from '../github-control.ts'
import { accountResponse } from '../responses/account.ts'
import { emailOf } from '../responses/commit.ts'
import { repositoryPageUrl } from '../responses/repository.ts'
import { type Account, fullName, nameKey, type Repository, type State } from '../state.ts'
import type { SimulatorContext } from '../webhook-event-emitter.ts'
import { actingPerson, requireAccount, requireRepository } from './lookups.ts'

const toCreatedRepository = (state: State, repository: Repository): CreatedRepository => ({
  id: repository.id,
  owner: repository.owner.login,
  name: repository.name,
  fullName: fullName(repository),
  defaultBranch: repository.defaultBranch,
  head: repository.branches.get(repository.defaultBranch) ?? '',
  cloneUrl: `${repositoryPageUrl(state, repository)}.git`,
})

async function commitTo(
  simulator: SimulatorContext,
  repository: Repository,
  branch: string,
  files: Record<string, string | null>,
  message: string,
): Promise<string> {
  const by = actingPerson(simulator.state, repository)
  const { directory } = repository
  const ref = `refs/heads/${branch}`
  const old = await refSha(directory, ref)
  const start = old ?? repository.branches.get(repository.defaultBranch)
  const changes: TreeChange[] = []
  for (const [path, contents] of Object.entries(files)) {
    changes.push({ path, mode: '100644', sha: contents === null ? null : await writeBlob(directory, contents) })
  }
  const person = { name: by.login, email: emailOf(by), date: new Date() }
  const sha = await writeCommit(directory, {
    tree: await writeTree(directory, start, changes),
    parents: start ? [start] : [],
    message,
    author: person,
    committer: person,
    signature: null,
  })
  if (!(await updateRef(directory, ref, sha, old))) throw new Error(`${branch} was changed in the meantime.`)
  await processBranchChanges(simulator, repository, by)
  return sha
}

function move(state: State, repository: Repository, change: { owner: Account } | { name: string }): void {
  const before = nameKey(repository.owner.login, repository.name)
  Object.assign(repository, change)
  const now = nameKey(repository.owner.login, repository.name)
  state.formerNames.delete(now)
  if (before !== now) state.formerNames.set(before, repository.id)
}

export function createRepositoryControl(simulator: SimulatorContext): RepositoryControl {
  const { state } = simulator
  return {
    async createRepository(owner, name, { files, isPrivate = true, defaultBranch = 'main', labels = [] } = {}) {
      const account = requireAccount(state, owner)
      if (state.repositoryNamed(owner, name)) throw new Error(`The repository ${owner}/${name} already exists.`)
      const id = state.nextId()
      const repository: Repository = {
        id,
        owner: account,
        name,
        isPrivate,
        isArchived: false,
        defaultBranch,
        directory: join(state.directory, `${id}.git`),
        createdAt: new Date(),
        pushedAt: new Date(),
        collaborators: new Map(),
        labels: labels.map((label) => ({ id: state.nextId(), name: label })),
        pullRequests: [],
        comments: [],
        checkRuns: [],
        statuses: [],
        deployments: [],
        hooks: [],
        branches: new Map(),
        signed: new Map(),
      }
      await initBare(repository.directory, defaultBranch)
      state.repositories.set(id, repository)
      state.formerNames.delete(nameKey(owner, name))
      const initialFiles = files ?? { 'README.md': `# ${name}\n` }
      await commitTo(simulator, repository, defaultBranch, initialFiles, 'Initial commit')
      return toCreatedRepository(state, repository)
    },

    async repository(name) {
      return toCreatedRepository(state, requireRepository(state, name))
    },

    async setVisibility(name, isPrivate) {
      requireRepository(state, name).isPrivate = isPrivate
    },

    async addCollaborator(name, login, role) {
      requireRepository(state, name).collaborators.set(requireAccount(state, login).login.toLowerCase(), role)
    },

    async pushFile(name, branch, path, contents) {
      const repository = requireRepository(state, name)
      return commitTo(simulator, repository, branch, { [path]: contents ?? null }, `Change ${path}`)
    },

    async forcePush(name, branch, sha) {
      const repository = requireRepository(state, name)
      await git(repository.directory, ['update-ref', `refs/heads/${branch}`, sha])
      await processBranchChanges(simulator, repository, actingPerson(state, repository))
    },

    async deleteBranch(name, branch) {
      const repository = requireRepository(state, name)
      await git(repository.directory, ['update-ref', '-d', `refs/heads/${branch}`])
      await processBranchChanges(simulator, repository, actingPerson(state, repository))
    },

    async branches(name) {
      return Object.fromEntries(requireRepository(state, name).branches)
    },

    async readFile(name, ref, path) {
      const contents = await runGitForBytes(requireRepository(state, name).directory, [
        'cat-file',
        'blob',
        `${ref}:${path}`,
      ]).catch(() => null)
      return contents?.toString() ?? null
    },

    async rename(name, newName) {
      const repository = requireRepository(state, name)
      const from = repository.name
      move(state, repository, { name: newName })
      simulator.events.emitRepositoryEvent(repository, 'repository', actingPerson(state, repository), {
        action: 'renamed',
        changes: { repository: { name: { from } } },
      })
      return toCreatedRepository(state, repository)
    },

    async transfer(name, owner) {
      const repository = requireRepository(state, name)
      const from = repository.owner
      const by = actingPerson(state, repository)
      const formerInstallations = state.installationsOf(repository)
      move(state, repository, { owner: requireAccount(state, owner) })
      for (const installation of formerInstallations) {
        installation.repositories?.delete(repository.id)
        emitInstallationRepositories(simulator, installation, { removed: [repository] }, by)
      }
      const kind = from.type === 'Organization' ? 'organization' : 'user'
      simulator.events.emitRepositoryEvent(repository, 'repository', by, {
        action: 'transferred',
        changes: { owner: { from: { [kind]: accountResponse(state, from) } } },
      })
      return toCreatedRepository(state, repository)
    },

    async archive(name, isArchived = true) {
      const repository = requireRepository(state, name)
      repository.isArchived = isArchived
      const action = isArchived ? 'archived' : 'unarchived'
      simulator.events.emitRepositoryEvent(repository, 'repository', actingPerson(state, repository), { action })
    },

    async deleteRepository(name) {
      const repository = requireRepository(state, name)
      simulator.events.emitRepositoryEvent(repository, 'repository', actingPerson(state, repository), {
        action: 'deleted',
      })
      state.repositories.delete(repository.id)
      await rm(repository.directory, { recursive: true, force: true })
    },
  }
}
