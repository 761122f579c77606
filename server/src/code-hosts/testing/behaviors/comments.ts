import { deepEqual, equal, match, ok } from 'node:assert/strict'
import type { HostTestRepository } from '../host-test-repository.ts'
import { type HostBehavior, pushPullRequestBranch } from './behavior.ts'

const longAgo = new Date('2020-01-01T00:00:00Z')

async function openPullRequest(repository: HostTestRepository, branch: string): Promise<number> {
  return (await repository.host.ensurePullRequest(await pushPullRequestBranch(repository, branch))).pullRequest.number
}

export const commentBehaviors: readonly HostBehavior[] = [
  {
    name: 'comments are read oldest first with their authors, and only those of the pull request',
    async run({ repository }) {
      const number = await openPullRequest(repository, 'talk')
      const person = await repository.invite('write')
      const other = await openPullRequest(repository, 'talk-elsewhere')
      const first = await repository.comment(number, person, 'One **bold** word.\n\n@colophon again')
      const second = await repository.comment(number, person, 'Two.')
      await repository.comment(other, person, 'Elsewhere.')
      const found = await repository.host.listComments(number, longAgo)
      deepEqual(
        found.map(({ id, author, text }) => [id, author, text]),
        [
          [first, person.name, 'One **bold** word.\n\n@colophon again'],
          [second, person.name, 'Two.'],
        ],
      )
      for (const { url, createdAt } of found) {
        match(url, /^https?:\/\//)
        ok(Math.abs(createdAt.getTime() - Date.now()) < 60_000)
      }
    },
  },
  {
    name: 'only comments since the given time are read',
    async run({ repository }) {
      const number = await openPullRequest(repository, 'talk-since')
      await repository.comment(number, await repository.invite('write'), 'Now.')
      const inAnHour = new Date(Date.now() + 3_600_000)
      deepEqual(await repository.host.listComments(number, inAnHour), [])
    },
  },
  {
    name: 'a comment is acknowledged with one reaction, however often it is repeated',
    async run({ repository }) {
      const number = await openPullRequest(repository, 'talk-read')
      const id = await repository.comment(number, await repository.invite('write'), '@colophon again')
      await repository.host.acknowledgeComment(id)
      await repository.host.acknowledgeComment(id)
      deepEqual(await repository.reactionsTo(id), ['eyes'])
    },
  },
  {
    name: 'acknowledging a deleted comment does not fail',
    async run({ repository }) {
      await repository.host.acknowledgeComment(999_999_999)
    },
  },
  {
    name: 'bots are distinguished from people',
    unsupported: { gitea: 'Gitea does not distinguish them.' },
    async run({ repository }) {
      const number = await openPullRequest(repository, 'talk-bot')
      await repository.comment(number, await repository.inviteBot(), '@colophon again')
      await repository.comment(number, await repository.invite('write'), '@colophon again')
      const found = await repository.host.listComments(number, longAgo)
      deepEqual(
        found.map(({ isBot }) => isBot),
        [true, false],
      )
    },
  },
  {
    name: 'write access of users is reported',
    async run({ repository }) {
      const { host } = repository
      equal(await host.hasWriteAccess(repository.owner), true)
      equal(await host.hasWriteAccess((await repository.invite('admin')).name), true)
      equal(await host.hasWriteAccess((await repository.invite('write')).name), true)
      equal(await host.hasWriteAccess((await repository.invite('read')).name), false)
      equal(await host.hasWriteAccess((await repository.invite('none')).name), false)
      equal(await host.hasWriteAccess('unknown-user'), false)
    },
  },
]
