import { deepEqual, equal, match, ok } from 'node:assert/strict'
import type { HostRepository } from '../host-repository.ts'
import { type HostBehaviour, wantedFrom } from './behaviour.ts'

const longAgo = new Date('2020-01-01T00:00:00Z')

async function opened(repository: HostRepository, branch: string): Promise<number> {
  return (await repository.host.ensurePullRequest(await wantedFrom(repository, branch))).pullRequest.number
}

export const comments: readonly HostBehaviour[] = [
  {
    name: 'comments are read oldest first, with who wrote them, and others are not',
    async play({ repository }) {
      const number = await opened(repository, 'talk')
      const person = await repository.invite('write')
      const other = await opened(repository, 'talk-elsewhere')
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
    name: 'of comments only those since then are read',
    async play({ repository }) {
      const number = await opened(repository, 'talk-since')
      await repository.comment(number, await repository.invite('write'), 'Now.')
      const inAnHour = new Date(Date.now() + 3_600_000)
      deepEqual(await repository.host.listComments(number, inAnHour), [])
    },
  },
  {
    name: 'whoever commented sees that it was read, however often it is said',
    async play({ repository }) {
      const number = await opened(repository, 'talk-read')
      const id = await repository.comment(number, await repository.invite('write'), '@colophon again')
      await repository.host.acknowledgeComment(id)
      await repository.host.acknowledgeComment(id)
      deepEqual(await repository.reactionsTo(id), ['eyes'])
    },
  },
  {
    name: 'a comment that is gone meanwhile is no trouble',
    async play({ repository }) {
      await repository.host.acknowledgeComment(999_999_999)
    },
  },
  {
    name: 'bots are told from people',
    cannot: { gitea: 'Gitea does not tell them apart.' },
    async play({ repository }) {
      const number = await opened(repository, 'talk-bot')
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
    name: 'who may write is known, and who may not',
    async play({ repository }) {
      const { host } = repository
      equal(await host.mayWrite(repository.owner), true)
      equal(await host.mayWrite((await repository.invite('admin')).name), true)
      equal(await host.mayWrite((await repository.invite('write')).name), true)
      equal(await host.mayWrite((await repository.invite('read')).name), false)
      equal(await host.mayWrite((await repository.invite('none')).name), false)
      equal(await host.mayWrite('nobody-of-this-name'), false)
    },
  },
]
