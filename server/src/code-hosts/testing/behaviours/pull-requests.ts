import { deepEqual, equal, match } from 'node:assert/strict'
import { commitOn, failureOf, type HostBehaviour, losing, until, wantedFrom } from './behaviour.ts'

export const pullRequests: readonly HostBehaviour[] = [
  {
    name: 'a pull request is opened once, and found the next time',
    async play({ repository }) {
      const { host } = repository
      const wanted = await wantedFrom(repository, 'colophon/once')
      const { pullRequest, skipped } = await host.ensurePullRequest(wanted)
      deepEqual(skipped, { labels: [], reviewers: [] })
      deepEqual(
        [pullRequest.state, pullRequest.title, pullRequest.body, pullRequest.headCommit],
        ['open', wanted.title, wanted.body, await host.branchHead(wanted.branch)],
      )
      match(pullRequest.url, new RegExp(`/${repository.name}/pulls?/${pullRequest.number}$`))
      const again = await host.ensurePullRequest({ ...wanted, title: 'Another title' })
      deepEqual([again.pullRequest.number, again.pullRequest.title], [pullRequest.number, wanted.title])
      equal((await host.findPullRequest(pullRequest.number))?.title, wanted.title)
      equal((await repository.pullRequestsOf(wanted.branch)).length, 1)
    },
  },
  {
    name: 'a pull request that is not there is none',
    async play({ repository: { host } }) {
      equal(await host.findPullRequest(99_999), undefined)
    },
  },
  {
    name: 'a pull request that was opened although the answer was lost is found',
    async play({ repository }) {
      const wanted = await wantedFrom(repository, 'pr-lost')
      const egress = losing(repository.egress, ({ method, url }) => method === 'POST' && url.endsWith('/pulls'))
      const { pullRequest } = await repository.hostAt({}, egress).ensurePullRequest(wanted)
      const again = await repository.host.ensurePullRequest(wanted)
      equal(again.pullRequest.number, pullRequest.number)
      equal((await repository.pullRequestsOf(wanted.branch)).length, 1)
    },
  },
  {
    name: 'of two calls at once comes one open pull request',
    async play({ repository }) {
      const wanted = await wantedFrom(repository, 'pr-together')
      const both = await Promise.all([1, 2].map(() => repository.host.ensurePullRequest(wanted)))
      const { pullRequest } = await repository.host.ensurePullRequest(wanted)
      equal(pullRequest.state, 'open')
      const states = await Promise.all(
        (await repository.pullRequestsOf(wanted.branch)).map(({ number }) => repository.host.findPullRequest(number)),
      )
      equal(states.filter((found) => found?.state === 'open').length, 1)
      equal(both.length, 2)
    },
  },
  {
    name: 'a merged pull request is returned as it is',
    async play({ another }) {
      const repository = await another()
      const wanted = await wantedFrom(repository, 'pr-merged')
      const { number } = (await repository.host.ensurePullRequest(wanted)).pullRequest
      await repository.merge(number)
      equal((await repository.host.findPullRequest(number))?.state, 'merged')
      const again = await repository.host.ensurePullRequest(wanted)
      deepEqual([again.pullRequest.number, again.pullRequest.state], [number, 'merged'])
    },
  },
  {
    name: 'a closed pull request is returned as it is, and open once it is opened again',
    async play({ repository }) {
      const wanted = await wantedFrom(repository, 'pr-closed')
      const { number } = (await repository.host.ensurePullRequest(wanted)).pullRequest
      await repository.close(number)
      const again = await repository.host.ensurePullRequest(wanted)
      deepEqual([again.pullRequest.number, again.pullRequest.state], [number, 'closed'])
      await repository.reopen(number)
      equal((await repository.host.findPullRequest(number))?.state, 'open')
    },
  },
  {
    name: 'a draft is one',
    async play({ repository }) {
      await repository.host.ensurePullRequest(await wantedFrom(repository, 'pr-draft', { draft: true }))
      deepEqual(
        (await repository.pullRequestsOf('pr-draft')).map(({ isDraft }) => isDraft),
        [true],
      )
    },
  },
  {
    name: 'labels that exist are set, others are left out and not made',
    async play({ repository }) {
      const label = await repository.knownLabel()
      const wanted = await wantedFrom(repository, 'pr-labels', { labels: [label, 'none'] })
      const { skipped } = await repository.host.ensurePullRequest(wanted)
      deepEqual(skipped.labels, ['none'])
      deepEqual((await repository.pullRequestsOf('pr-labels'))[0]?.labels, [label])
      deepEqual(await repository.labels(), [label])
    },
  },
  {
    name: 'a reviewer is asked, beside a label, and neither a second time',
    async play({ repository }) {
      const reviewer = await repository.invite('write')
      const label = await repository.knownLabel()
      const wanted = await wantedFrom(repository, 'pr-reviewer', { reviewers: [reviewer.name], labels: [label] })
      for (const _ of [1, 2]) {
        const { skipped } = await repository.host.ensurePullRequest(wanted)
        deepEqual(skipped, { labels: [], reviewers: [] })
      }
      const [seen] = await repository.pullRequestsOf('pr-reviewer')
      deepEqual([seen?.reviewers, seen?.labels], [[reviewer.name], [label]])
    },
  },
  {
    name: 'a reviewer whom nobody knows, or who sees nothing of the repository, is left out',
    async play({ repository }) {
      const stranger = await repository.invite('none')
      for (const name of ['nobody-of-this-name', stranger.name]) {
        const wanted = await wantedFrom(repository, `pr-reviewer-${name}`, { reviewers: [name] })
        const { pullRequest, skipped } = await repository.host.ensurePullRequest(wanted)
        deepEqual([pullRequest.state, skipped.reviewers], ['open', [name]])
      }
    },
  },
  {
    name: 'a base branch that is not there fails for good',
    async play({ repository }) {
      const wanted = await wantedFrom(repository, 'pr-no-base', { baseBranch: 'none' })
      equal((await failureOf(repository.host.ensurePullRequest(wanted))).failure.kind, 'final')
    },
  },
  {
    name: 'somebody who may only read opens nothing, for good',
    async play({ repository }) {
      const reader = await repository.invite('none')
      const wanted = await wantedFrom(repository, 'pr-by-reader')
      const failing = repository.hostWith(reader.token).ensurePullRequest(wanted)
      equal((await failureOf(failing)).failure.kind, 'final')
    },
  },
  {
    name: 'texts are rewritten while they are ours, and once',
    async play({ repository: { host }, repository }) {
      const written = { title: 'One', body: 'First.\n\nMore.' }
      const wanted = { title: 'Two', body: 'Second.' }
      const made = await host.ensurePullRequest(await wantedFrom(repository, 'pr-rewrite', written))
      for (const _ of [1, 2]) {
        const { title, body } = await host.rewritePullRequest(made.pullRequest.number, { written, wanted })
        deepEqual({ title, body }, wanted)
      }
    },
  },
  {
    name: 'a title that people wrote is theirs',
    async play({ repository: { host }, repository }) {
      const written = { title: 'One', body: 'First.' }
      const made = await host.ensurePullRequest(await wantedFrom(repository, 'pr-theirs', written))
      await repository.retitle(made.pullRequest.number, 'A better title')
      const wanted = { title: 'Two', body: 'Second.' }
      const { title, body } = await host.rewritePullRequest(made.pullRequest.number, { written, wanted })
      deepEqual({ title, body }, { title: 'A better title', body: 'Second.' })
    },
  },
  {
    name: 'no conflicts are said, once the host has looked',
    async play({ repository }) {
      const { number } = (await repository.host.ensurePullRequest(await wantedFrom(repository, 'pr-fits'))).pullRequest
      await until(async () => (await repository.host.findPullRequest(number))?.hasConflicts === false, 'it had looked')
    },
  },
  {
    name: 'conflicts with the base are said',
    async play({ another }) {
      const repository = await another()
      const index = 'docs/index.md'
      const wanted = await wantedFrom(repository, 'pr-conflict')
      await repository.pushAsPerson(commitOn(repository.base, { [index]: 'Ours.\n' }), 'pr-conflict')
      const { number } = (await repository.host.ensurePullRequest(wanted)).pullRequest
      await repository.pushAsPerson(commitOn(repository.base, { [index]: 'Theirs.\n' }), 'main')
      await until(async () => (await repository.host.findPullRequest(number))?.hasConflicts === true, 'it said so')
    },
  },
  {
    name: 'what is pushed to the branch later is on the pull request',
    async play({ repository }) {
      const wanted = await wantedFrom(repository, 'pr-later')
      const { number } = (await repository.host.ensurePullRequest(wanted)).pullRequest
      const later = commitOn(repository.base, { 'docs/later.md': 'later' })
      await repository.pushAsPerson(later, wanted.branch)
      const isThere = async () => (await repository.host.findPullRequest(number))?.headCommit === later.id
      await until(isThere, 'the commit was on the pull request')
    },
  },
]
