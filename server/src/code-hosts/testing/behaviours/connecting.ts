import { deepEqual, equal, match } from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createEgress } from '../../../platform/egress/egress.ts'
import type { CodeHost } from '../../code-host.ts'
import type { HostBehaviour } from './behaviour.ts'

async function problemOf(host: CodeHost, baseBranch = 'main') {
  const test = await host.testConnection(baseBranch)
  if (test.ok) return { code: 'works', message: '' }
  return test
}

export const connecting: readonly HostBehaviour[] = [
  {
    name: 'a connection that works tells the base commit and the default branch',
    async play({ repository }) {
      const test = await repository.host.testConnection('main')
      deepEqual(test, { ok: true, baseCommit: repository.base.id, defaultBranch: 'main', canManageWebhooks: true })
    },
  },
  {
    name: "a writer's token is enough, and cannot manage webhooks",
    async play({ repository }) {
      const { token } = await repository.invite('write')
      const test = await repository.hostWith(token).testConnection('main')
      deepEqual(test, { ok: true, baseCommit: repository.base.id, defaultBranch: 'main', canManageWebhooks: false })
    },
  },
  {
    name: 'a token that the host does not know is told',
    async play({ repository }) {
      equal((await problemOf(repository.hostWith('f'.repeat(40)))).code, 'token_rejected')
    },
  },
  {
    name: 'a repository that is not there is told',
    async play({ repository }) {
      equal((await problemOf(repository.hostAt({ name: 'none' }))).code, 'repository_not_found')
    },
  },
  {
    name: 'a repository that the token does not see is one that is not there',
    async play({ repository }) {
      const { token } = await repository.invite('none')
      equal((await problemOf(repository.hostWith(token))).code, 'repository_not_found')
    },
  },
  {
    name: 'a base branch that is not there is told, with the default one by name',
    async play({ repository }) {
      const { code, message } = await problemOf(repository.host, 'none')
      equal(code, 'base_branch_not_found')
      match(message, /\bmain\b/)
    },
  },
  {
    name: 'a token of somebody who may only read is told',
    async play({ repository }) {
      const { token } = await repository.invite('read')
      equal((await problemOf(repository.hostWith(token))).code, 'token_cannot_push')
    },
  },
  {
    name: 'an archived repository is told',
    async play({ another }) {
      const repository = await another()
      await repository.archive()
      equal((await problemOf(repository.host)).code, 'repository_archived')
      deepEqual((await repository.host.look()).kind, 'archived')
    },
  },
  {
    name: 'an address that the operator does not allow is told',
    async play({ repository }) {
      equal((await problemOf(repository.hostAt({}, createEgress({})))).code, 'address_refused')
    },
  },
  {
    name: 'a host that cannot be reached is told',
    async play({ repository }) {
      const egress = createEgress({ allowedHosts: ['127.0.0.1:1'] })
      equal((await problemOf(repository.hostAt({ baseUrl: 'http://127.0.0.1:1' }, egress))).code, 'unreachable')
    },
  },
  {
    name: 'another program that answers at the address is told',
    async play({ repository }) {
      const server = createServer((_, response) => response.end('<html>hello</html>')).listen(0, '127.0.0.1')
      await new Promise((resolve) => server.once('listening', resolve))
      try {
        const address = `127.0.0.1:${(server.address() as AddressInfo).port}`
        const egress = createEgress({ allowedHosts: [address] })
        const host = repository.hostAt({ baseUrl: `http://${address}`, name: 'any' }, egress)
        equal((await problemOf(host)).code, 'not_this_host')
      } finally {
        server.close()
      }
    },
  },
  {
    name: 'a folder is looked at before it is chosen: there with its pages, or not there',
    async play({ repository: { host, base } }) {
      deepEqual(await host.lookAtFolder(base.id, 'docs'), { exists: true, pages: 2 })
      deepEqual(await host.lookAtFolder(base.id, ''), { exists: true, pages: 3 })
      deepEqual(await host.lookAtFolder(base.id, 'handbook'), { exists: false, pages: 0 })
    },
  },
  {
    name: 'a look tells the number, the names and the default branch',
    async play({ repository: { host, owner, name } }) {
      const look = await host.look()
      equal(look.kind, 'usable')
      if (look.kind === 'usable') deepEqual([look.owner, look.name], [owner, name])
    },
  },
  {
    name: 'a renamed repository keeps its number and is worked with under its new name',
    async play({ another }) {
      const repository = await another()
      const before = await repository.host.look()
      const name = `${repository.name}-renamed`
      await repository.rename(name)
      const host = repository.hostAt({})
      const now = await host.look()
      deepEqual(now, { ...before, name })
      equal(await host.branchHead('main'), repository.base.id)
      match((await host.gitRemote()).url, new RegExp(`/${name}\\.git$`))
      equal((await problemOf(host)).code, 'works')
    },
  },
  {
    name: 'a repository that was deleted is gone',
    async play({ another }) {
      const repository = await another()
      await repository.delete()
      deepEqual(await repository.hostAt({}).look(), { kind: 'not_found' })
    },
  },
  {
    name: 'a token that was taken back is shut out',
    async play({ repository }) {
      deepEqual(await repository.hostWith('f'.repeat(40)).look(), { kind: 'access_revoked' })
    },
  },
]
