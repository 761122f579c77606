import { deepEqual, equal, match } from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createEgress } from '../../../platform/egress/egress.ts'
import type { CodeHost } from '../../code-host.ts'
import type { HostBehavior } from './behavior.ts'

async function testResult(host: CodeHost, baseBranch = 'main') {
  const test = await host.testConnection(baseBranch)
  if (test.ok) return { code: 'ok', message: '' }
  return test
}

export const connectionBehaviors: readonly HostBehavior[] = [
  {
    name: 'a successful connection test returns the base commit and the default branch',
    async run({ repository }) {
      const test = await repository.host.testConnection('main')
      deepEqual(test, { ok: true, baseCommit: repository.base.id, defaultBranch: 'main', canManageWebhooks: true })
    },
  },
  {
    name: 'a token of a user with write access is sufficient, but cannot manage webhooks',
    async run({ repository }) {
      const { token } = await repository.invite('write')
      const test = await repository.hostWithToken(token).testConnection('main')
      deepEqual(test, { ok: true, baseCommit: repository.base.id, defaultBranch: 'main', canManageWebhooks: false })
    },
  },
  {
    name: 'an unknown token is reported',
    async run({ repository }) {
      equal((await testResult(repository.hostWithToken('f'.repeat(40)))).code, 'token_rejected')
    },
  },
  {
    name: 'a missing repository is reported',
    async run({ repository }) {
      equal((await testResult(repository.hostWithChanges({ name: 'none' }))).code, 'repository_not_found')
    },
  },
  {
    name: 'a repository that the token cannot access is reported as missing',
    async run({ repository }) {
      const { token } = await repository.invite('none')
      equal((await testResult(repository.hostWithToken(token))).code, 'repository_not_found')
    },
  },
  {
    name: 'a missing base branch is reported with the name of the default branch',
    async run({ repository }) {
      const { code, message } = await testResult(repository.host, 'none')
      equal(code, 'base_branch_not_found')
      match(message, /\bmain\b/)
    },
  },
  {
    name: 'a token of a user with read access only is reported',
    async run({ repository }) {
      const { token } = await repository.invite('read')
      equal((await testResult(repository.hostWithToken(token))).code, 'token_cannot_push')
    },
  },
  {
    name: 'an archived repository is reported',
    async run({ createRepository }) {
      const repository = await createRepository()
      await repository.archive()
      equal((await testResult(repository.host)).code, 'repository_archived')
      deepEqual((await repository.host.readRepositoryState()).kind, 'archived')
    },
  },
  {
    name: 'an address that the operator does not allow is reported',
    async run({ repository }) {
      equal((await testResult(repository.hostWithChanges({}, createEgress({})))).code, 'address_not_allowed')
    },
  },
  {
    name: 'an unreachable host is reported',
    async run({ repository }) {
      const egress = createEgress({ allowedHosts: ['127.0.0.1:1'] })
      equal(
        (await testResult(repository.hostWithChanges({ baseUrl: 'http://127.0.0.1:1' }, egress))).code,
        'unreachable',
      )
    },
  },
  {
    name: 'another server at the URL is reported',
    async run({ repository }) {
      const server = createServer((_, response) => response.end('<html>hello</html>')).listen(0, '127.0.0.1')
      await new Promise((resolve) => server.once('listening', resolve))
      try {
        const address = `127.0.0.1:${(server.address() as AddressInfo).port}`
        const egress = createEgress({ allowedHosts: [address] })
        const host = repository.hostWithChanges({ baseUrl: `http://${address}`, name: 'any' }, egress)
        equal((await testResult(host)).code, 'unrecognized_host')
      } finally {
        server.close()
      }
    },
  },
  {
    name: 'a folder is inspected: whether it exists, and its number of pages',
    async run({ repository: { host, base } }) {
      deepEqual(await host.inspectFolder(base.id, 'docs'), { exists: true, pages: 2 })
      deepEqual(await host.inspectFolder(base.id, ''), { exists: true, pages: 3 })
      deepEqual(await host.inspectFolder(base.id, 'handbook'), { exists: false, pages: 0 })
    },
  },
  {
    name: 'the state of a repository contains owner and name',
    async run({ repository: { host, owner, name } }) {
      const state = await host.readRepositoryState()
      equal(state.kind, 'usable')
      if (state.kind === 'usable') deepEqual([state.owner, state.name], [owner, name])
    },
  },
  {
    name: 'a renamed repository keeps its id and is used under its new name',
    async run({ createRepository }) {
      const repository = await createRepository()
      const before = await repository.host.readRepositoryState()
      const name = `${repository.name}-renamed`
      await repository.rename(name)
      const host = repository.hostWithChanges({})
      const after = await host.readRepositoryState()
      deepEqual(after, { ...before, name })
      equal(await host.branchHead('main'), repository.base.id)
      match((await host.gitRemote()).url, new RegExp(`/${name}\\.git$`))
      equal((await testResult(host)).code, 'ok')
    },
  },
  {
    name: 'a deleted repository is not found',
    async run({ createRepository }) {
      const repository = await createRepository()
      await repository.delete()
      deepEqual(await repository.hostWithChanges({}).readRepositoryState(), { kind: 'not_found' })
    },
  },
  {
    name: 'a revoked token has no access',
    async run({ repository }) {
      deepEqual(await repository.hostWithToken('f'.repeat(40)).readRepositoryState(), { kind: 'access_revoked' })
    },
  },
]
