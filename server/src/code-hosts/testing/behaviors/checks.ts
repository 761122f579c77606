import { deepEqual, doesNotMatch, equal, match, ok } from 'node:assert/strict'
import { craftChildCommit, type HostBehavior } from './behavior.ts'

export const checkBehaviors: readonly HostBehavior[] = [
  {
    name: 'a commit without checks has none',
    async run({ repository }) {
      const commit = craftChildCommit(repository.base, { 'docs/unchecked.md': 'x' })
      await repository.pushAsPerson(commit, 'unchecked')
      deepEqual(await repository.host.readChecks(commit.id), { checks: [], previewUrl: null })
    },
  },
  {
    name: 'checks are read with status, URL and summary',
    async run({ repository }) {
      const commit = craftChildCommit(repository.base, { 'docs/checked.md': 'x' })
      await repository.pushAsPerson(commit, 'checked')
      const url = 'https://ci.example/1'
      await repository.setStatus(commit.id, { name: 'lint', state: 'success', url, summary: 'No problems' })
      await repository.setStatus(commit.id, { name: 'links', state: 'failure', summary: '3 broken links' })
      await repository.setStatus(commit.id, { name: 'build', state: 'pending' })
      const found = await repository.host.readChecks(commit.id)
      deepEqual(
        found.checks
          .map(({ name, status, url: checkUrl, summary }) => [name, status, checkUrl, summary])
          .sort(([a], [b]) => String(a).localeCompare(String(b))),
        [
          ['build', 'pending', null, null],
          ['links', 'failed', null, '3 broken links'],
          ['lint', 'passed', url, 'No problems'],
        ],
      )
      equal(found.previewUrl, null)
    },
  },
  {
    name: 'the latest status of a check counts',
    async run({ repository }) {
      const commit = craftChildCommit(repository.base, { 'docs/again.md': 'x' })
      await repository.pushAsPerson(commit, 'checked-again')
      for (const state of ['pending', 'failure', 'success'] as const) {
        await repository.setStatus(commit.id, { name: 'lint', state })
      }
      const found = await repository.host.readChecks(commit.id)
      deepEqual(
        found.checks.map(({ name, status }) => [name, status]),
        [['lint', 'passed']],
      )
    },
  },
  {
    name: 'a preview URL is read from a check named "preview" once the check has passed',
    async run({ repository }) {
      const commit = craftChildCommit(repository.base, { 'docs/preview.md': 'x' })
      await repository.pushAsPerson(commit, 'previewed')
      const url = 'https://preview-12.example/'
      await repository.setStatus(commit.id, { name: 'deploy/docs-preview', state: 'pending', url })
      equal((await repository.host.readChecks(commit.id)).previewUrl, null)
      await repository.setStatus(commit.id, { name: 'deploy/docs-preview', state: 'success', url })
      equal((await repository.host.readChecks(commit.id)).previewUrl, url)
    },
  },
  {
    name: 'a preview URL is read from a deployment',
    unsupported: { gitea: 'Gitea has no deployments.' },
    async run({ repository }) {
      const commit = craftChildCommit(repository.base, { 'docs/deployed.md': 'x' })
      await repository.pushAsPerson(commit, 'deployed')
      await repository.setDeployment(commit.id, 'https://preview-13.example/')
      equal((await repository.host.readChecks(commit.id)).previewUrl, 'https://preview-13.example/')
    },
  },
  {
    name: 'a commit status has no log',
    async run({ repository }) {
      const commit = craftChildCommit(repository.base, { 'docs/logless.md': 'x' })
      await repository.pushAsPerson(commit, 'logless')
      await repository.setStatus(commit.id, { name: 'lint', state: 'failure', summary: 'No.' })
      const [check] = (await repository.host.readChecks(commit.id)).checks
      ok(check)
      equal(await repository.host.readCheckLog(check), null)
    },
  },
  {
    name: 'the end of the log of a failed run is read, without control characters and tokens',
    unsupported: {
      gitea: 'Gitea does not say which Actions job a status belongs to.',
      github_by_token: 'GitHub has no permission for check runs that a personal token could have.',
    },
    async run({ repository }) {
      const commit = craftChildCommit(repository.base, { 'docs/logged.md': 'x' })
      await repository.pushAsPerson(commit, 'logged')
      const token = `ghp_${'a1B2'.repeat(9)}`
      const log = `${'early line\n'.repeat(6_000)}\u001b[31mbroken link\u001b[0m: /nowhere ${token}\u0007\n`
      const run = { name: 'links', summary: 'A link is broken', annotation: 'Nothing is there', log }
      await repository.setFailedRun(commit.id, run)
      const [check] = (await repository.host.readChecks(commit.id)).checks
      deepEqual([check?.name, check?.status, check?.summary], ['links', 'failed', 'A link is broken'])
      ok(check)
      const text = (await repository.host.readCheckLog(check)) ?? ''
      match(text, /A link is broken[\s\S]*docs\/index\.md:3: failure: Nothing is there[\s\S]*broken link: \/nowhere/)
      ok(text.length <= 20_000)
      doesNotMatch(text, new RegExp(`${token}|\\p{Cc}(?<![\\n\\t])`, 'u'))
    },
  },
]
