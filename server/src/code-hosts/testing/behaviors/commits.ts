import { deepEqual, equal, match, notEqual } from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { craftCommit } from '../craft-commit.ts'
import { baseFiles } from '../host-test-repository.ts'
import {
  catchCodeHostError,
  craftChildCommit,
  createLossyEgress,
  type HostBehavior,
  publishWithoutRetries,
  sampleCommitDetails,
  withPreparedCommit,
} from './behavior.ts'

const index = 'docs/index.md'
const firstPart = '# Welcome\n\nOne.\n'
const secondPart = '\nTwo.\n'
const thirdPart = '\nThree.\n'

export const commitBehaviors: readonly HostBehavior[] = [
  {
    name: 'the head of a branch is found, also with slashes in the name, and a missing branch has none',
    async run({ repository }) {
      const commit = craftChildCommit(repository.base, { 'docs/a.md': 'a' })
      await repository.pushAsPerson(commit, 'some/folder/branch')
      equal(await repository.host.branchHead('some/folder/branch'), commit.id)
      equal(await repository.host.branchHead('some/folder'), undefined)
    },
  },
  {
    name: 'a branch is deleted only while it points to our commit',
    async run({ repository }) {
      const commit = craftChildCommit(repository.base, { 'docs/b.md': 'b' })
      await repository.pushAsPerson(commit, 'folder/to-delete')
      equal(await repository.host.deleteBranch('folder/to-delete', repository.base.id), 'moved')
      equal(await repository.host.deleteBranch('folder/to-delete', commit.id), 'deleted')
      equal(await repository.host.deleteBranch('folder/to-delete', commit.id), 'absent')
    },
  },
  {
    name: 'a change becomes one commit on the base, with only our message',
    async run({ repository }) {
      const change = { [index]: '# Welcome\n', 'docs/new.md': 'New.\n', 'docs/image.png': undefined }
      const { ownCommit } = await publishWithoutRetries(repository, { branch: 'plain', change })
      deepEqual(await repository.readLog('plain'), [ownCommit, repository.base.id])
      const { 'docs/image.png': _, ...others } = baseFiles
      deepEqual(await repository.readFiles('plain'), { ...others, [index]: '# Welcome\n', 'docs/new.md': 'New.\n' })
      match(await repository.readCommit(ownCommit ?? ''), /\n\nSay more\n\nColophon-Job: job_1\n?$/)
    },
  },
  {
    name: 'publishing twice changes nothing, and finds our commit whatever id the host assigned',
    async run({ repository }) {
      const attempt = { branch: 'twice', change: { 'docs/new.md': 'New.\n' } }
      const first = await publishWithoutRetries(repository, attempt)
      equal(first.put?.kind, 'put')
      const second = await publishWithoutRetries(repository, { ...attempt, recorded: first.recorded })
      deepEqual(second, { placement: 'published', ownCommit: first.ownCommit })
      equal((await repository.readLog('twice')).length, 2)
    },
  },
  {
    name: 'a moved page is published as a move',
    async run({ repository }) {
      const change = { [index]: undefined, 'docs/moved.md': baseFiles[index] as string }
      await publishWithoutRetries(repository, { branch: 'moved', change })
      const { [index]: page, ...others } = baseFiles
      deepEqual(await repository.readFiles('moved'), { ...others, 'docs/moved.md': page })
    },
  },
  {
    name: 'file contents arrive unchanged: images, line endings, byte order marks',
    async run({ repository }) {
      const image = randomBytes(3_000)
      const change = {
        'docs/new.webp': { mode: '100644', contents: image },
        'docs/windows.md': '\ufeff# Lines\r\n\r\nend\r\n',
        'docs/zero.ico': 'a\0b\n',
        'docs/no-end.md': 'no line end',
        'docs/empty.md': '',
        'docs/ünï.md': '# Ünï 😀\n',
      }
      // The names of crafted files have one character per byte.
      const { 'docs/ünï.md': page, ...plain } = change
      const named = Buffer.from('docs/ünï.md').toString('latin1')
      const result = await publishWithoutRetries(repository, { branch: 'bytes', change: { ...plain, [named]: page } })
      equal(result.put?.kind, 'put')
      const files = await repository.readFiles('bytes')
      equal(files['docs/windows.md'], change['docs/windows.md'])
      equal(files['docs/zero.ico'], change['docs/zero.ico'])
      equal(files['docs/ünï.md'], page)
      equal(files['docs/empty.md'], '')
    },
  },
  {
    name: 'a page of half a megabyte and twenty small ones become one commit',
    async run({ repository }) {
      const small = Array.from({ length: 20 }, (_, number) => [`docs/many/page-${number}.md`, `# Page ${number}\n`])
      const large = `# Large\n\n${'A line that is repeated.\n'.repeat(22_000)}`
      const change = { ...Object.fromEntries(small), 'docs/large.md': large }
      const { ownCommit } = await publishWithoutRetries(repository, { branch: 'large', change })
      deepEqual(await repository.readLog('large'), [ownCommit, repository.base.id])
      equal((await repository.readFiles('large'))['docs/large.md'], large)
    },
  },
  {
    name: 'a commit whose response was lost is found by the next attempt',
    async run({ repository }) {
      const isLast = ({ method, url }: { method: string; url: string }) =>
        method === 'POST' && /\/git-receive-pack$|\/git\/refs$/.test(url)
      const host = repository.hostWithChanges({}, createLossyEgress(repository.egress, isLast))
      const attempt = { branch: 'lost', change: { 'docs/new.md': 'x' } }
      // A push uses the egress of the bare repository, API calls that of the host.
      const lost = { ...repository, egress: createLossyEgress(repository.egress, isLast) }
      equal((await catchCodeHostError(publishWithoutRetries(lost, { ...attempt, host }))).failure.kind, 'retry')
      const again = await publishWithoutRetries(repository, attempt)
      equal(again.placement, 'published')
      deepEqual(await repository.readLog('lost'), [again.ownCommit, repository.base.id])
    },
  },
  {
    name: 'an attempt that stopped before the branch was updated leaves nothing visible, and can be repeated',
    unsupported: { gitea: 'A push is atomic: there is no state in between.' },
    async run({ repository }) {
      const isCommit = ({ method, url }: { method: string; url: string }) =>
        method === 'POST' && url.endsWith('/git/commits')
      const host = repository.hostWithChanges({}, createLossyEgress(repository.egress, isCommit))
      const attempt = { branch: 'half', change: { 'docs/new.md': 'x' } }
      equal((await catchCodeHostError(publishWithoutRetries(repository, { ...attempt, host }))).failure.kind, 'retry')
      equal(await repository.host.branchHead('half'), undefined)
      equal((await publishWithoutRetries(repository, attempt)).put?.kind, 'put')
      equal((await repository.readLog('half')).length, 2)
    },
  },
  {
    name: 'our change goes on top of what people pushed in the meantime, exactly once',
    async run({ repository }) {
      const theirs = craftChildCommit(repository.base, {
        [index]: firstPart.replace('One', '1') + secondPart + thirdPart,
      })
      await repository.pushAsPerson(theirs, 'both')
      const change = { [index]: firstPart + secondPart + thirdPart.replace('Three', '3'), 'docs/new.md': 'x' }
      const first = await publishWithoutRetries(repository, { branch: 'both', change })
      deepEqual(await repository.readLog('both'), [first.ownCommit, theirs.id, repository.base.id])
      const files = await repository.readFiles('both')
      equal(files[index], firstPart.replace('One', '1') + secondPart + thirdPart.replace('Three', '3'))
      const second = await publishWithoutRetries(repository, { branch: 'both', change, recorded: first.recorded })
      deepEqual(second, { placement: 'published', ownCommit: first.ownCommit })
    },
  },
  {
    name: 'our commit is recognized below later commits of people',
    async run({ repository }) {
      const attempt = { branch: 'after', change: { [index]: 'Ours.\n' } }
      const first = await publishWithoutRetries(repository, attempt)
      await repository.readLog('after') // people fetch it before they push on top of it
      const later = craftCommit({ ...repository.base.files, [index]: 'Rewritten.\n' }, [first.ownCommit ?? ''])
      await repository.pushAsPerson(later, 'after')
      const second = await publishWithoutRetries(repository, { ...attempt, recorded: first.recorded })
      deepEqual(second, { placement: 'published', ownCommit: first.ownCommit })
      notEqual(await repository.host.branchHead('after'), first.ownCommit)
    },
  },
  {
    name: 'in a conflict, the change of people is kept',
    async run({ repository }) {
      await repository.pushAsPerson(craftChildCommit(repository.base, { [index]: 'Theirs.\n' }), 'conflict')
      const result = await publishWithoutRetries(repository, { branch: 'conflict', change: { [index]: 'Ours.\n' } })
      equal(result.placement, 'branch_moved')
      equal((await repository.readFiles('conflict'))[index], 'Theirs.\n')
    },
  },
  {
    name: 'a branch that was recreated is left alone',
    async run({ repository }) {
      await repository.pushAsPerson(craftCommit({ 'docs/other.md': 'x' }, []), 'rebased')
      const result = await publishWithoutRetries(repository, { branch: 'rebased', change: { 'docs/new.md': 'x' } })
      equal(result.placement, 'branch_moved')
    },
  },
  {
    name: 'a branch that moves before our commit is put on it is never overwritten',
    async run({ repository }) {
      const theirs = craftChildCommit(repository.base, { 'docs/theirs.md': 'x' })
      const attempt = { branch: 'race', change: { [index]: 'Ours.\n' } }
      await withPreparedCommit(repository, attempt, async (placement, placeAgain) => {
        if (placement.kind !== 'ready') throw new Error(placement.kind)
        await repository.pushAsPerson(theirs, 'race')
        deepEqual(await repository.host.putCommit(placement.commit, 'race'), { kind: 'branch_moved' })
        equal(await repository.host.branchHead('race'), theirs.id)
        const again = await placeAgain(placement.commit.id)
        if (again.kind !== 'ready') throw new Error(again.kind)
        equal((await repository.host.putCommit(again.commit, 'race')).kind, 'put')
      })
      const files = await repository.readFiles('race')
      deepEqual([files[index], files['docs/theirs.md']], ['Ours.\n', 'x'])
    },
  },
  {
    name: 'two attempts that put the same commit at the same time result in one commit',
    async run({ repository }) {
      const attempt = { branch: 'together', change: { 'docs/new.md': 'x' } }
      await Promise.allSettled([publishWithoutRetries(repository, attempt), publishWithoutRetries(repository, attempt)])
      equal((await publishWithoutRetries(repository, attempt)).placement, 'published')
      equal((await repository.readLog('together')).length, 2)
    },
  },
  {
    name: 'a branch that people deleted in the meantime is created again',
    async run({ repository }) {
      const attempt = { branch: 'deleted', change: { 'docs/new.md': 'x' } }
      await publishWithoutRetries(repository, attempt)
      await repository.deleteBranch('deleted')
      equal((await publishWithoutRetries(repository, attempt)).put?.kind, 'put')
    },
  },
  {
    name: 'changes that other commits have already made are not published again',
    async run({ repository }) {
      await repository.pushAsPerson(craftChildCommit(repository.base, { 'docs/a.md': 'a', 'docs/b.md': 'b' }), 'there')
      const result = await publishWithoutRetries(repository, { branch: 'there', change: { 'docs/a.md': 'a' } })
      deepEqual(result, { placement: 'published', ownCommit: undefined })
    },
  },
  {
    name: 'our commits are signed by the host',
    unsupported: {
      gitea: 'Gitea signs commits that are created on its website, not those that are pushed.',
      github_by_token: 'GitHub signs commits of Apps only; people sign their own.',
    },
    async run({ repository }) {
      const { ownCommit } = await publishWithoutRetries(repository, {
        branch: 'signed',
        change: { 'docs/new.md': 'x' },
      })
      await repository.readLog('signed')
      match(await repository.readCommit(ownCommit ?? ''), /\ngpgsig /)
    },
  },
  {
    name: 'our commits have the author that we set',
    unsupported: {
      github: 'GitHub signs only commits whose author it sets itself.',
      github_by_token: 'As with an App, commits are created through the API.',
    },
    async run({ repository }) {
      const { ownCommit } = await publishWithoutRetries(repository, { branch: 'named', change: { 'docs/new.md': 'x' } })
      await repository.readLog('named')
      const { name, email } = sampleCommitDetails.identity
      match(await repository.readCommit(ownCommit ?? ''), new RegExp(`\nauthor ${name} <${email}> 1767323045 `))
    },
  },
  {
    name: 'putting a commit on a repository that was archived in the meantime fails permanently',
    async run({ createRepository }) {
      const repository = await createRepository()
      await withPreparedCommit(repository, { branch: 'late', change: { 'docs/new.md': 'x' } }, async (placement) => {
        if (placement.kind !== 'ready') throw new Error(placement.kind)
        await repository.archive()
        const { failure } = await catchCodeHostError(repository.host.putCommit(placement.commit, 'late'))
        equal(failure.kind, 'final')
      })
    },
  },
]
