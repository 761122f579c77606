import { deepEqual, equal, match, notEqual } from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { craftCommit } from '../craft-commit.ts'
import { baseFiles } from '../host-repository.ts'
import { commitOn, details, failureOf, type HostBehaviour, losing, publish, withPlacement } from './behaviour.ts'

const index = 'docs/index.md'
const one = '# Welcome\n\nOne.\n'
const two = '\nTwo.\n'
const three = '\nThree.\n'

export const commits: readonly HostBehaviour[] = [
  {
    name: "a branch's head is found, also below a folder, and a missing branch is none",
    async play({ repository }) {
      const commit = commitOn(repository.base, { 'docs/a.md': 'a' })
      await repository.pushAsPerson(commit, 'some/folder/branch')
      equal(await repository.host.branchHead('some/folder/branch'), commit.id)
      equal(await repository.host.branchHead('some/folder'), undefined)
    },
  },
  {
    name: 'a branch is deleted only while it is what we put there',
    async play({ repository }) {
      const commit = commitOn(repository.base, { 'docs/b.md': 'b' })
      await repository.pushAsPerson(commit, 'folder/to-delete')
      equal(await repository.host.deleteBranch('folder/to-delete', repository.base.id), 'moved')
      equal(await repository.host.deleteBranch('folder/to-delete', commit.id), 'deleted')
      equal(await repository.host.deleteBranch('folder/to-delete', commit.id), 'absent')
    },
  },
  {
    name: 'a change becomes one commit on the base, with our message and nothing else',
    async play({ repository }) {
      const change = { [index]: '# Welcome\n', 'docs/new.md': 'New.\n', 'docs/image.png': undefined }
      const { ours } = await publish(repository, { branch: 'plain', change })
      deepEqual(await repository.logOf('plain'), [ours, repository.base.id])
      const { 'docs/image.png': _, ...others } = baseFiles
      deepEqual(await repository.filesOf('plain'), { ...others, [index]: '# Welcome\n', 'docs/new.md': 'New.\n' })
      match(await repository.readCommit(ours ?? ''), /\n\nSay more\n\nColophon-Job: job_1\n?$/)
    },
  },
  {
    name: 'the same done twice changes nothing, and finds our commit under whatever name the host gave it',
    async play({ repository }) {
      const attempt = { branch: 'twice', change: { 'docs/new.md': 'New.\n' } }
      const first = await publish(repository, attempt)
      equal(first.put?.kind, 'put')
      const second = await publish(repository, { ...attempt, recorded: first.recorded })
      deepEqual(second, { placement: 'published', ours: first.ours })
      equal((await repository.logOf('twice')).length, 2)
    },
  },
  {
    name: 'a page that is only moved is moved',
    async play({ repository }) {
      const change = { [index]: undefined, 'docs/moved.md': baseFiles[index] as string }
      await publish(repository, { branch: 'moved', change })
      const { [index]: page, ...others } = baseFiles
      deepEqual(await repository.filesOf('moved'), { ...others, 'docs/moved.md': page })
    },
  },
  {
    name: 'what is in files arrives byte by byte: images, line ends, marks, zeroes',
    async play({ repository }) {
      const image = randomBytes(3_000)
      const change = {
        'docs/new.webp': { mode: '100644', contents: image },
        'docs/windows.md': '\ufeff# Lines\r\n\r\nend\r\n',
        'docs/zero.md': 'a\0b\n',
        'docs/no-end.md': 'no line end',
        'docs/empty.md': '',
        'docs/ünï.md': '# Ünï 😀\n',
      }
      // The names of test files are bytes, one to a character.
      const { 'docs/ünï.md': page, ...plain } = change
      const named = Buffer.from('docs/ünï.md').toString('latin1')
      const result = await publish(repository, { branch: 'bytes', change: { ...plain, [named]: page } })
      equal(result.put?.kind, 'put')
      const files = await repository.filesOf('bytes')
      equal(files['docs/windows.md'], change['docs/windows.md'])
      equal(files['docs/zero.md'], change['docs/zero.md'])
      equal(files['docs/ünï.md'], page)
      equal(files['docs/empty.md'], '')
    },
  },
  {
    name: 'a page of half a megabyte and twenty small ones are one commit',
    async play({ repository }) {
      const small = Array.from({ length: 20 }, (_, number) => [`docs/many/page-${number}.md`, `# Page ${number}\n`])
      const large = `# Large\n\n${'A line that is repeated.\n'.repeat(22_000)}`
      const change = { ...Object.fromEntries(small), 'docs/large.md': large }
      const { ours } = await publish(repository, { branch: 'large', change })
      deepEqual(await repository.logOf('large'), [ours, repository.base.id])
      equal((await repository.filesOf('large'))['docs/large.md'], large)
    },
  },
  {
    name: 'a commit that was put although the answer was lost is found the next time',
    async play({ repository }) {
      const isLast = ({ method, url }: { method: string; url: string }) =>
        method === 'POST' && /\/git-receive-pack$|\/git\/refs$/.test(url)
      const host = repository.hostAt({}, losing(repository.egress, isLast))
      const attempt = { branch: 'lost', change: { 'docs/new.md': 'x' } }
      // A push goes through the bare repository's own way out, the API's calls through the host's.
      const lost = { ...repository, egress: losing(repository.egress, isLast) }
      equal((await failureOf(publish(lost, { ...attempt, host }))).failure.kind, 'retry')
      const again = await publish(repository, attempt)
      equal(again.placement, 'published')
      deepEqual(await repository.logOf('lost'), [again.ours, repository.base.id])
    },
  },
  {
    name: 'an attempt that ended before the branch was set leaves nothing that is seen, and is done again',
    cannot: { gitea: 'A push is one step: there is nothing in between.' },
    async play({ repository }) {
      const isCommit = ({ method, url }: { method: string; url: string }) =>
        method === 'POST' && url.endsWith('/git/commits')
      const host = repository.hostAt({}, losing(repository.egress, isCommit))
      const attempt = { branch: 'half', change: { 'docs/new.md': 'x' } }
      equal((await failureOf(publish(repository, { ...attempt, host }))).failure.kind, 'retry')
      equal(await repository.host.branchHead('half'), undefined)
      equal((await publish(repository, attempt)).put?.kind, 'put')
      equal((await repository.logOf('half')).length, 2)
    },
  },
  {
    name: 'our change goes on top of what people pushed meanwhile, once',
    async play({ repository }) {
      const theirs = commitOn(repository.base, { [index]: one.replace('One', '1') + two + three })
      await repository.pushAsPerson(theirs, 'both')
      const change = { [index]: one + two + three.replace('Three', '3'), 'docs/new.md': 'x' }
      const first = await publish(repository, { branch: 'both', change })
      deepEqual(await repository.logOf('both'), [first.ours, theirs.id, repository.base.id])
      const files = await repository.filesOf('both')
      equal(files[index], one.replace('One', '1') + two + three.replace('Three', '3'))
      const second = await publish(repository, { branch: 'both', change, recorded: first.recorded })
      deepEqual(second, { placement: 'published', ours: first.ours })
    },
  },
  {
    name: 'our commit is known, however much people pushed after it',
    async play({ repository }) {
      const attempt = { branch: 'after', change: { [index]: 'Ours.\n' } }
      const first = await publish(repository, attempt)
      await repository.logOf('after') // people have it before they push on top of it
      const later = craftCommit({ ...repository.base.files, [index]: 'Rewritten.\n' }, [first.ours ?? ''])
      await repository.pushAsPerson(later, 'after')
      const second = await publish(repository, { ...attempt, recorded: first.recorded })
      deepEqual(second, { placement: 'published', ours: first.ours })
      notEqual(await repository.host.branchHead('after'), first.ours)
    },
  },
  {
    name: 'where the two contradict each other, theirs stays',
    async play({ repository }) {
      await repository.pushAsPerson(commitOn(repository.base, { [index]: 'Theirs.\n' }), 'conflict')
      const result = await publish(repository, { branch: 'conflict', change: { [index]: 'Ours.\n' } })
      equal(result.placement, 'branch_moved')
      equal((await repository.filesOf('conflict'))[index], 'Theirs.\n')
    },
  },
  {
    name: 'a branch that was started over is left alone',
    async play({ repository }) {
      await repository.pushAsPerson(craftCommit({ 'docs/other.md': 'x' }, []), 'rebased')
      const result = await publish(repository, { branch: 'rebased', change: { 'docs/new.md': 'x' } })
      equal(result.placement, 'branch_moved')
    },
  },
  {
    name: 'a branch that moves between the look and the commit is never forced',
    async play({ repository }) {
      const theirs = commitOn(repository.base, { 'docs/theirs.md': 'x' })
      const attempt = { branch: 'race', change: { [index]: 'Ours.\n' } }
      await withPlacement(repository, attempt, async (placement, placeAgain) => {
        if (placement.kind !== 'ready') throw new Error(placement.kind)
        await repository.pushAsPerson(theirs, 'race')
        deepEqual(await repository.host.putCommit(placement.commit, 'race'), { kind: 'branch_moved' })
        equal(await repository.host.branchHead('race'), theirs.id)
        const again = await placeAgain(placement.commit.id)
        if (again.kind !== 'ready') throw new Error(again.kind)
        equal((await repository.host.putCommit(again.commit, 'race')).kind, 'put')
      })
      const files = await repository.filesOf('race')
      deepEqual([files[index], files['docs/theirs.md']], ['Ours.\n', 'x'])
    },
  },
  {
    name: 'of two attempts that put the same commit at once, one is on the branch',
    async play({ repository }) {
      const attempt = { branch: 'together', change: { 'docs/new.md': 'x' } }
      await Promise.allSettled([publish(repository, attempt), publish(repository, attempt)])
      equal((await publish(repository, attempt)).placement, 'published')
      equal((await repository.logOf('together')).length, 2)
    },
  },
  {
    name: 'a branch that people deleted meanwhile is made again',
    async play({ repository }) {
      const attempt = { branch: 'deleted', change: { 'docs/new.md': 'x' } }
      await publish(repository, attempt)
      await repository.deleteBranch('deleted')
      equal((await publish(repository, attempt)).put?.kind, 'put')
    },
  },
  {
    name: 'what is on the branch already by other commits is not put there again',
    async play({ repository }) {
      await repository.pushAsPerson(commitOn(repository.base, { 'docs/a.md': 'a', 'docs/b.md': 'b' }), 'there')
      const result = await publish(repository, { branch: 'there', change: { 'docs/a.md': 'a' } })
      deepEqual(result, { placement: 'published', ours: undefined })
    },
  },
  {
    name: 'our commits are signed by the host',
    cannot: {
      gitea: 'Gitea signs what is made on its pages, not what is pushed.',
      github_by_token: 'GitHub signs what its Apps make; people sign for themselves.',
    },
    async play({ repository }) {
      const { ours } = await publish(repository, { branch: 'signed', change: { 'docs/new.md': 'x' } })
      await repository.logOf('signed')
      match(await repository.readCommit(ours ?? ''), /\ngpgsig /)
    },
  },
  {
    name: 'our commits are by the name that we give them',
    cannot: {
      github: 'GitHub signs only commits of which it says itself who they are by.',
      github_by_token: 'As by an App, commits are made through the API.',
    },
    async play({ repository }) {
      const { ours } = await publish(repository, { branch: 'named', change: { 'docs/new.md': 'x' } })
      await repository.logOf('named')
      const { name, email } = details.identity
      match(await repository.readCommit(ours ?? ''), new RegExp(`\nauthor ${name} <${email}> 1767323045 `))
    },
  },
  {
    name: 'nothing is put on a repository that was archived meanwhile, for good',
    async play({ another }) {
      const repository = await another()
      await withPlacement(repository, { branch: 'late', change: { 'docs/new.md': 'x' } }, async (placement) => {
        if (placement.kind !== 'ready') throw new Error(placement.kind)
        await repository.archive()
        const { failure } = await failureOf(repository.host.putCommit(placement.commit, 'late'))
        equal(failure.kind, 'final')
      })
    },
  },
]
