import { deepEqual, equal, match } from 'node:assert/strict'
import {
  catchCodeHostError,
  craftChildCommit,
  createLossyEgress,
  type HostBehavior,
  pollUntil,
  pushPullRequestBranch,
} from './behavior.ts'

export const pullRequestBehaviors: readonly HostBehavior[] = [
  {
    name: 'a pull request is opened once, and found when repeated',
    async run({ repository }) {
      const { host } = repository
      const spec = await pushPullRequestBranch(repository, 'colophon/once')
      const { pullRequest, skipped } = await host.ensurePullRequest(spec)
      deepEqual(skipped, { labels: [], reviewers: [] })
      deepEqual(
        [pullRequest.state, pullRequest.title, pullRequest.body, pullRequest.headCommit],
        ['open', spec.title, spec.body, await host.branchHead(spec.branch)],
      )
      match(pullRequest.url, new RegExp(`/${repository.name}/pulls?/${pullRequest.number}$`))
      const again = await host.ensurePullRequest({ ...spec, title: 'Another title' })
      deepEqual([again.pullRequest.number, again.pullRequest.title], [pullRequest.number, spec.title])
      equal((await host.findPullRequest(pullRequest.number))?.title, spec.title)
      equal((await repository.listPullRequests(spec.branch)).length, 1)
    },
  },
  {
    name: 'a missing pull request is undefined',
    async run({ repository: { host } }) {
      equal(await host.findPullRequest(99_999), undefined)
    },
  },
  {
    name: 'a pull request whose response was lost is found',
    async run({ repository }) {
      const spec = await pushPullRequestBranch(repository, 'pr-lost')
      const egress = createLossyEgress(
        repository.egress,
        ({ method, url }) => method === 'POST' && url.endsWith('/pulls'),
      )
      const { pullRequest } = await repository.hostWithChanges({}, egress).ensurePullRequest(spec)
      const again = await repository.host.ensurePullRequest(spec)
      equal(again.pullRequest.number, pullRequest.number)
      equal((await repository.listPullRequests(spec.branch)).length, 1)
    },
  },
  {
    name: 'two calls at the same time result in one open pull request',
    async run({ repository }) {
      const spec = await pushPullRequestBranch(repository, 'pr-together')
      const both = await Promise.all([1, 2].map(() => repository.host.ensurePullRequest(spec)))
      const { pullRequest } = await repository.host.ensurePullRequest(spec)
      equal(pullRequest.state, 'open')
      const states = await Promise.all(
        (await repository.listPullRequests(spec.branch)).map(({ number }) => repository.host.findPullRequest(number)),
      )
      equal(states.filter((found) => found?.state === 'open').length, 1)
      equal(both.length, 2)
    },
  },
  {
    name: 'a merged pull request is returned as it is',
    async run({ createRepository }) {
      const repository = await createRepository()
      const spec = await pushPullRequestBranch(repository, 'pr-merged')
      const { number } = (await repository.host.ensurePullRequest(spec)).pullRequest
      await repository.merge(number)
      equal((await repository.host.findPullRequest(number))?.state, 'merged')
      const again = await repository.host.ensurePullRequest(spec)
      deepEqual([again.pullRequest.number, again.pullRequest.state], [number, 'merged'])
    },
  },
  {
    name: 'a closed pull request is returned as it is, and is open after it was reopened',
    async run({ repository }) {
      const spec = await pushPullRequestBranch(repository, 'pr-closed')
      const { number } = (await repository.host.ensurePullRequest(spec)).pullRequest
      await repository.close(number)
      const again = await repository.host.ensurePullRequest(spec)
      deepEqual([again.pullRequest.number, again.pullRequest.state], [number, 'closed'])
      await repository.reopen(number)
      equal((await repository.host.findPullRequest(number))?.state, 'open')
    },
  },
  {
    name: 'a draft is created as a draft',
    async run({ repository }) {
      await repository.host.ensurePullRequest(await pushPullRequestBranch(repository, 'pr-draft', { draft: true }))
      deepEqual(
        (await repository.listPullRequests('pr-draft')).map(({ isDraft }) => isDraft),
        [true],
      )
    },
  },
  {
    name: 'existing labels are set, others are skipped and not created',
    async run({ repository }) {
      const label = await repository.existingLabel()
      const spec = await pushPullRequestBranch(repository, 'pr-labels', { labels: [label, 'none'] })
      const { skipped } = await repository.host.ensurePullRequest(spec)
      deepEqual(skipped.labels, ['none'])
      deepEqual((await repository.listPullRequests('pr-labels'))[0]?.labels, [label])
      deepEqual(await repository.labels(), [label])
    },
  },
  {
    name: 'a reviewer and a label are set once',
    async run({ repository }) {
      const reviewer = await repository.invite('write')
      const label = await repository.existingLabel()
      const spec = await pushPullRequestBranch(repository, 'pr-reviewer', {
        reviewers: [reviewer.name],
        labels: [label],
      })
      for (const _ of [1, 2]) {
        const { skipped } = await repository.host.ensurePullRequest(spec)
        deepEqual(skipped, { labels: [], reviewers: [] })
      }
      const [found] = await repository.listPullRequests('pr-reviewer')
      deepEqual([found?.reviewers, found?.labels], [[reviewer.name], [label]])
    },
  },
  {
    name: 'a reviewer who does not exist or has no access to the repository is skipped',
    async run({ repository }) {
      const stranger = await repository.invite('none')
      for (const name of ['unknown-user', stranger.name]) {
        const spec = await pushPullRequestBranch(repository, `pr-reviewer-${name}`, { reviewers: [name] })
        const { pullRequest, skipped } = await repository.host.ensurePullRequest(spec)
        deepEqual([pullRequest.state, skipped.reviewers], ['open', [name]])
      }
    },
  },
  {
    name: 'a missing base branch fails permanently',
    async run({ repository }) {
      const spec = await pushPullRequestBranch(repository, 'pr-no-base', { baseBranch: 'none' })
      equal((await catchCodeHostError(repository.host.ensurePullRequest(spec))).failure.kind, 'final')
    },
  },
  {
    name: 'a user without access cannot open a pull request, permanently',
    async run({ repository }) {
      const stranger = await repository.invite('none')
      const spec = await pushPullRequestBranch(repository, 'pr-by-stranger')
      const failing = repository.hostWithToken(stranger.token).ensurePullRequest(spec)
      equal((await catchCodeHostError(failing)).failure.kind, 'final')
    },
  },
  {
    name: 'texts that people have not edited are updated, once',
    async run({ repository: { host }, repository }) {
      const first = { title: 'One', body: 'First.\n\nMore.' }
      const second = { title: 'Two', body: 'Second.' }
      const created = await host.ensurePullRequest(await pushPullRequestBranch(repository, 'pr-rewrite', first))
      for (const _ of [1, 2]) {
        const { title, body } = await host.updatePullRequestText(created.pullRequest.number, {
          previous: first,
          updated: second,
        })
        deepEqual({ title, body }, second)
      }
    },
  },
  {
    name: 'a title that people edited is kept',
    async run({ repository: { host }, repository }) {
      const first = { title: 'One', body: 'First.' }
      const created = await host.ensurePullRequest(await pushPullRequestBranch(repository, 'pr-theirs', first))
      await repository.retitle(created.pullRequest.number, 'A better title')
      const second = { title: 'Two', body: 'Second.' }
      const { title, body } = await host.updatePullRequestText(created.pullRequest.number, {
        previous: first,
        updated: second,
      })
      deepEqual({ title, body }, { title: 'A better title', body: 'Second.' })
    },
  },
  {
    name: 'no conflicts are reported once the host has checked',
    async run({ repository }) {
      const { number } = (await repository.host.ensurePullRequest(await pushPullRequestBranch(repository, 'pr-fits')))
        .pullRequest
      await pollUntil(
        async () => (await repository.host.findPullRequest(number))?.hasConflicts === false,
        'the host has checked for conflicts',
      )
    },
  },
  {
    name: 'conflicts with the base branch are reported',
    async run({ createRepository }) {
      const repository = await createRepository()
      const index = 'docs/index.md'
      const spec = await pushPullRequestBranch(repository, 'pr-conflict')
      await repository.pushAsPerson(craftChildCommit(repository.base, { [index]: 'Ours.\n' }), 'pr-conflict')
      const { number } = (await repository.host.ensurePullRequest(spec)).pullRequest
      await repository.pushAsPerson(craftChildCommit(repository.base, { [index]: 'Theirs.\n' }), 'main')
      await pollUntil(
        async () => (await repository.host.findPullRequest(number))?.hasConflicts === true,
        'the conflict is reported',
      )
    },
  },
  {
    name: 'later pushes to the branch appear in the pull request',
    async run({ repository }) {
      const spec = await pushPullRequestBranch(repository, 'pr-later')
      const { number } = (await repository.host.ensurePullRequest(spec)).pullRequest
      const later = craftChildCommit(repository.base, { 'docs/later.md': 'later' })
      await repository.pushAsPerson(later, spec.branch)
      const isThere = async () => (await repository.host.findPullRequest(number))?.headCommit === later.id
      await pollUntil(isThere, 'the commit is on the pull request')
    },
  },
]
