import { deepEqual, doesNotMatch, equal, match, ok } from 'node:assert/strict'
import { commitOn, type HostBehaviour } from './behaviour.ts'

export const checks: readonly HostBehaviour[] = [
  {
    name: 'a commit that nobody checked has no checks',
    async play({ repository }) {
      const commit = commitOn(repository.base, { 'docs/unchecked.md': 'x' })
      await repository.pushAsPerson(commit, 'unchecked')
      deepEqual(await repository.host.readChecks(commit.id), { checks: [], previewUrl: null })
    },
  },
  {
    name: 'checks are read with their state, page and line',
    async play({ repository }) {
      const commit = commitOn(repository.base, { 'docs/checked.md': 'x' })
      await repository.pushAsPerson(commit, 'checked')
      const url = 'https://ci.example/1'
      await repository.setStatus(commit.id, { name: 'lint', state: 'success', url, summary: 'All is well' })
      await repository.setStatus(commit.id, { name: 'links', state: 'failure', summary: '3 broken links' })
      await repository.setStatus(commit.id, { name: 'build', state: 'pending' })
      const found = await repository.host.readChecks(commit.id)
      deepEqual(
        found.checks
          .map(({ name, status: state, url: page, summary }) => [name, state, page, summary])
          .sort(([a], [b]) => String(a).localeCompare(String(b))),
        [
          ['build', 'pending', null, null],
          ['links', 'failed', null, '3 broken links'],
          ['lint', 'passed', url, 'All is well'],
        ],
      )
      equal(found.previewUrl, null)
    },
  },
  {
    name: 'the last word of a check counts',
    async play({ repository }) {
      const commit = commitOn(repository.base, { 'docs/again.md': 'x' })
      await repository.pushAsPerson(commit, 'checked-again')
      for (const state of ['pending', 'failure', 'success'] as const) {
        await repository.setStatus(commit.id, { name: 'lint', state })
      }
      const found = await repository.host.readChecks(commit.id)
      deepEqual(
        found.checks.map(({ name, status: state }) => [name, state]),
        [['lint', 'passed']],
      )
    },
  },
  {
    name: 'a preview is found by the check that is called so, once it is there',
    async play({ repository }) {
      const commit = commitOn(repository.base, { 'docs/preview.md': 'x' })
      await repository.pushAsPerson(commit, 'previewed')
      const url = 'https://preview-12.example/'
      await repository.setStatus(commit.id, { name: 'deploy/docs-preview', state: 'pending', url })
      equal((await repository.host.readChecks(commit.id)).previewUrl, null)
      await repository.setStatus(commit.id, { name: 'deploy/docs-preview', state: 'success', url })
      equal((await repository.host.readChecks(commit.id)).previewUrl, url)
    },
  },
  {
    name: 'a preview is found by its deployment',
    cannot: { gitea: 'Gitea knows no deployments.' },
    async play({ repository }) {
      const commit = commitOn(repository.base, { 'docs/deployed.md': 'x' })
      await repository.pushAsPerson(commit, 'deployed')
      await repository.setDeployment(commit.id, 'https://preview-13.example/')
      equal((await repository.host.readChecks(commit.id)).previewUrl, 'https://preview-13.example/')
    },
  },
  {
    name: 'a status keeps no log',
    async play({ repository }) {
      const commit = commitOn(repository.base, { 'docs/logless.md': 'x' })
      await repository.pushAsPerson(commit, 'logless')
      await repository.setStatus(commit.id, { name: 'lint', state: 'failure', summary: 'No.' })
      const [check] = (await repository.host.readChecks(commit.id)).checks
      ok(check)
      equal(await repository.host.readCheckLog(check), null)
    },
  },
  {
    name: 'of a failed run the end of its log is read, without what steers a terminal and without tokens',
    cannot: {
      gitea: 'Gitea does not say which job of its Actions a status is of.',
      github_by_token: 'GitHub has no permission for check runs to give to such tokens.',
    },
    async play({ repository }) {
      const commit = commitOn(repository.base, { 'docs/logged.md': 'x' })
      await repository.pushAsPerson(commit, 'logged')
      const token = `ghp_${'a1B2'.repeat(9)}`
      const log = `${'early line\n'.repeat(6_000)}\u001b[31mbroken link\u001b[0m: /nowhere ${token}\u0007\n`
      const run = { name: 'links', summary: 'A link is broken', annotation: 'Nothing is there', log }
      await repository.setFailedRun(commit.id, run)
      const [check] = (await repository.host.readChecks(commit.id)).checks
      deepEqual([check?.name, check?.status, check?.summary], ['links', 'failed', 'A link is broken'])
      ok(check)
      const read = (await repository.host.readCheckLog(check)) ?? ''
      match(read, /A link is broken[\s\S]*docs\/index\.md:3: failure: Nothing is there[\s\S]*broken link: \/nowhere/)
      ok(read.length <= 20_000)
      doesNotMatch(read, new RegExp(`${token}|\\p{Cc}(?<![\\n\\t])`, 'u'))
    },
  },
]
