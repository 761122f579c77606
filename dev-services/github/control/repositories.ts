import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { accountResponse } from '../answers/account.ts'
import { emailOf } from '../answers/commit.ts'
import { repositoryPage } from '../answers/repository.ts'
import { tellRepositories } from '../apps.ts'
import { noticeChanges } from '../branch-changes.ts'
import type { World } from '../events.ts'
import {
  git,
  gitBytes,
  initBare,
  refSha,
  type TreeChange,
  updateRef,
  writeBlob,
  writeCommit,
  writeTree,
} from '../git.ts'
import type { MadeRepository, RepositoryControl } from '../github-control.ts'
import { type Account, fullName, nameKey, type Repository, type State } from '../state.ts'
import { accountNamed, personFor, repositoryNamed } from './lookups.ts'

const madeRepository = (state: State, repository: Repository): MadeRepository => ({
  id: repository.id,
  owner: repository.owner.login,
  name: repository.name,
  fullName: fullName(repository),
  defaultBranch: repository.defaultBranch,
  head: repository.branches.get(repository.defaultBranch) ?? '',
  cloneUrl: `${repositoryPage(state, repository)}.git`,
})

async function commitTo(
  world: World,
  repository: Repository,
  branch: string,
  files: Record<string, string | null>,
  message: string,
  by: Account,
): Promise<string> {
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
  if (!(await updateRef(directory, ref, sha, old))) throw new Error(`${branch} moved meanwhile.`)
  await noticeChanges(world, repository, by)
  return sha
}

function move(state: State, repository: Repository, change: { owner: Account } | { name: string }): void {
  const before = nameKey(repository.owner.login, repository.name)
  Object.assign(repository, change)
  const now = nameKey(repository.owner.login, repository.name)
  state.formerNames.delete(now)
  if (before !== now) state.formerNames.set(before, repository.id)
}

export function repositoryControl(world: World): RepositoryControl {
  const { state } = world
  return {
    async makeRepository(owner, name, { files, isPrivate = true, defaultBranch = 'main', labels = [] } = {}) {
      const account = accountNamed(state, owner)
      if (state.repositoryNamed(owner, name)) throw new Error(`There is a repository ${owner}/${name} already.`)
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
      const first = files ?? { 'README.md': `# ${name}\n` }
      await commitTo(world, repository, defaultBranch, first, 'Initial commit', personFor(state, repository.owner))
      return madeRepository(state, repository)
    },

    async repository(name) {
      return madeRepository(state, repositoryNamed(state, name))
    },

    async setVisibility(name, isPrivate) {
      repositoryNamed(state, name).isPrivate = isPrivate
    },

    async addCollaborator(name, login, role) {
      repositoryNamed(state, name).collaborators.set(accountNamed(state, login).login.toLowerCase(), role)
    },

    async removeCollaborator(name, login) {
      repositoryNamed(state, name).collaborators.delete(login.toLowerCase())
    },

    async pushFile(name, branch, path, contents, login) {
      const repository = repositoryNamed(state, name)
      return commitTo(
        world,
        repository,
        branch,
        { [path]: contents ?? null },
        `Change ${path}`,
        personFor(state, repository.owner, login),
      )
    },

    async forcePush(name, branch, sha) {
      const repository = repositoryNamed(state, name)
      await git(repository.directory, ['update-ref', `refs/heads/${branch}`, sha])
      await noticeChanges(world, repository, personFor(state, repository.owner))
    },

    async deleteBranch(name, branch) {
      const repository = repositoryNamed(state, name)
      await git(repository.directory, ['update-ref', '-d', `refs/heads/${branch}`])
      await noticeChanges(world, repository, personFor(state, repository.owner))
    },

    async branches(name) {
      return Object.fromEntries(repositoryNamed(state, name).branches)
    },

    async file(name, ref, path) {
      const contents = await gitBytes(repositoryNamed(state, name).directory, [
        'cat-file',
        'blob',
        `${ref}:${path}`,
      ]).catch(() => null)
      return contents?.toString() ?? null
    },

    async rename(name, newName) {
      const repository = repositoryNamed(state, name)
      const from = repository.name
      move(state, repository, { name: newName })
      world.events.ofRepository(repository, 'repository', personFor(state, repository.owner), {
        action: 'renamed',
        changes: { repository: { name: { from } } },
      })
      return madeRepository(state, repository)
    },

    async transfer(name, owner) {
      const repository = repositoryNamed(state, name)
      const from = repository.owner
      const by = personFor(state, repository.owner)
      const left = state.installationsOf(repository)
      move(state, repository, { owner: accountNamed(state, owner) })
      for (const installation of left) {
        installation.repositories?.delete(repository.id)
        tellRepositories(world, installation, { removed: [repository] }, by)
      }
      const kind = from.type === 'Organization' ? 'organization' : 'user'
      world.events.ofRepository(repository, 'repository', by, {
        action: 'transferred',
        changes: { owner: { from: { [kind]: accountResponse(state, from) } } },
      })
      return madeRepository(state, repository)
    },

    async archive(name, isArchived = true) {
      const repository = repositoryNamed(state, name)
      repository.isArchived = isArchived
      const action = isArchived ? 'archived' : 'unarchived'
      world.events.ofRepository(repository, 'repository', personFor(state, repository.owner), { action })
    },

    async deleteRepository(name) {
      const repository = repositoryNamed(state, name)
      world.events.ofRepository(repository, 'repository', personFor(state, repository.owner), { action: 'deleted' })
      state.repositories.delete(repository.id)
      await rm(repository.directory, { recursive: true, force: true })
    },
  }
}
