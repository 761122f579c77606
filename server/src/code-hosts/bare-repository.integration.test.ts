import { randomBytes } from 'node:crypto'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished, vi } from 'vitest'
import type { Egress } from '../platform/egress/egress.ts'
import { EgressError } from '../platform/egress/egress-error.ts'
import { BareRepository } from './bare-repository.ts'
import {
  bundleOfChange,
  bundleOfCommit,
  type CraftedCommit,
  type CraftedFiles,
  craftCommit,
} from './testing/craft-commit.ts'
import { bundleOf, packEntry, packOf, packOfEntries } from './testing/craft-objects.ts'
import { createGiteaRepository, type GiteaRepository } from './testing/gitea-repository.ts'
import { baseFiles } from './testing/host-repository.ts'

const policy = { docsFolder: 'docs', alsoAllowed: [] }
const details = {
  message: 'Say more\n\nColophon-Job: job_1\n',
  identity: { name: 'Colophon', email: 'colophon@example.com' },
  date: new Date('2026-01-02T03:04:05Z'),
}

let gitea: GiteaRepository
beforeAll(async () => {
  gitea = await createGiteaRepository(inject('services').gitea)
})
afterAll(() => gitea.remove())

const open = async (egress: Egress = gitea.egress) =>
  BareRepository.open({ remote: await gitea.host.gitRemote(), egress, signal: AbortSignal.timeout(60_000) })

type Attempt = { bundle: Uint8Array; base?: string; from?: string; recorded?: string; egress?: Egress }

/** As an activity does it. */
async function publish(branch: string, { bundle, base = gitea.base.id, from = 'main', recorded, egress }: Attempt) {
  await using repository = await open(egress)
  const acceptance = await repository.accept({ bundle, base, branch: from, policy })
  if (acceptance.kind !== 'accepted') return acceptance
  const placement = await repository.place(acceptance.result, branch, details, recorded)
  if (placement.kind !== 'ready') return placement
  return { kind: await placement.commit.push(branch), commit: placement.commit.id }
}

async function place(branch: string, bundle: Uint8Array, recorded?: string) {
  await using repository = await open()
  const acceptance = await repository.accept({ bundle, base: gitea.base.id, branch: 'main', policy })
  if (acceptance.kind !== 'accepted') throw new Error(JSON.stringify(acceptance))
  return await repository.place(acceptance.result, branch, details, recorded)
}

const commitOn = (parent: CraftedCommit, change: CraftedFiles) =>
  craftCommit({ ...parent.files, ...change }, [parent.id])

const index = 'docs/index.md'
const one = '# Welcome\n\nOne.\n'
const two = '\nTwo.\n'
const three = '\nThree.\n'

describe('publishing', () => {
  it('makes one commit of ours on the base, and nothing the second time', async () => {
    const bundle = bundleOfChange(gitea.base, {
      [index]: '# Welcome\n',
      'docs/new.md': 'New.\n',
      'docs/image.png': undefined,
    })
    const first = await publish('plain', { bundle })
    expect(first).toEqual({ kind: 'pushed', commit: expect.any(String) })
    const head = await gitea.host.branchHead('plain')
    expect(first).toMatchObject({ commit: head })
    expect(await publish('plain', { bundle })).toEqual({ kind: 'published', head, ours: head })

    const { 'docs/image.png': _, ...others } = baseFiles
    expect(await gitea.filesOf('plain')).toEqual({ ...others, [index]: '# Welcome\n', 'docs/new.md': 'New.\n' })
    expect(await gitea.logOf('plain')).toEqual([head, gitea.base.id])
    await expect(gitea.asPerson('GET', `/git/commits/${head}`)).resolves.toMatchObject({
      commit: {
        message: details.message,
        author: { ...details.identity, date: '2026-01-02T03:04:05Z' },
        committer: { ...details.identity, date: '2026-01-02T03:04:05Z' },
      },
    })
  })

  it('makes the same commit on another machine, whatever the runner called its own', async () => {
    const files = { ...gitea.base.files, 'docs/new.md': 'New.\n' }
    const atOnce = craftCommit(files, [gitea.base.id])
    const middle = commitOn(gitea.base, { 'docs/draft.md': 'x' })
    const last = craftCommit(files, [middle.id])
    const inTwoSteps = { ...last, objects: new Map([...middle.objects, ...last.objects]) }
    const commits = []
    for (const result of [atOnce, inTwoSteps]) {
      await using repository = await open()
      const bundle = bundleOfCommit(gitea.base, result)
      const acceptance = await repository.accept({ bundle, base: gitea.base.id, branch: 'main', policy })
      if (acceptance.kind !== 'accepted') throw new Error(JSON.stringify(acceptance))
      const placement = await repository.place(acceptance.result, 'same', details, undefined)
      commits.push(placement.kind === 'ready' && placement.commit.id)
    }
    expect(commits[0]).toEqual(expect.any(String))
    expect(commits[1]).toEqual(commits[0])
  })

  it('takes what git itself makes, and sends megabytes on', async () => {
    const image = randomBytes(5_000_000).toString('latin1')
    const files = { [index]: `${baseFiles[index]}Four.\n`, 'docs/new/image.webp': image }
    const bundle = await gitea.bundleByGit('main', files)
    expect(await publish('by-git', { bundle })).toMatchObject({ kind: 'pushed' })
    expect((await gitea.filesOf('by-git'))[index]).toBe(files[index])
  })

  it('takes a pack that holds only differences to files which were not fetched', async () => {
    const result = craftCommit({ ...gitea.base.files, 'docs/guide/start.md': '# Start\nMore.\n' }, [gitea.base.id])
    const before = [...gitea.base.objects.values()].find(({ contents }) => contents.toString() === '# Start\n')
    const added = [...result.objects.values()].filter(({ id }) => !gitea.base.objects.has(id))
    const known = added.filter(({ type }) => type !== 'blob')
    const insert = Buffer.from('More.\n')
    const delta = Buffer.concat([Buffer.from([8, 14, 0x90, 8, insert.length]), insert])
    const thin = packEntry(7, delta, { base: before?.id ?? '' })
    const pack = packOfEntries([packOf(known).subarray(12, -20), thin], known.length + 1)
    const bundle = bundleOf({ bases: [gitea.base.id], refs: { HEAD: result.id }, pack })
    expect(await publish('thin', { bundle })).toMatchObject({ kind: 'pushed' })
    expect(await gitea.filesOf('thin')).toMatchObject({ 'docs/guide/start.md': '# Start\nMore.\n' })
  })

  it('takes moved and copied files, which a bundle does not hold', async () => {
    const { [index]: page, 'README.md': readme } = baseFiles
    const bundle = bundleOfChange(gitea.base, {
      [index]: undefined,
      'docs/moved.md': page as string,
      'docs/readme.md': readme as string,
    })
    expect(await publish('moved', { bundle })).toMatchObject({ kind: 'pushed' })
  })

  it('has nothing to do where nothing was changed', async () => {
    const bundle = bundleOfCommit(gitea.base, { ...craftCommit(gitea.base.files, [gitea.base.id]) })
    expect(await publish('unchanged', { bundle })).toEqual({ kind: 'no_changes' })
    await expect(gitea.host.branchHead('unchanged')).resolves.toBeUndefined()
  })

  it('says when the base is gone', async () => {
    const lost = commitOn(gitea.base, { 'docs/lost.md': 'x' })
    const bundle = bundleOfCommit(lost, commitOn(lost, { 'docs/new.md': 'y' }))
    expect(await publish('gone', { bundle, base: lost.id })).toEqual({ kind: 'base_gone' })
  })

  it('takes an older commit of the branch for a base, and none of another branch', async () => {
    const earlier = commitOn(gitea.base, { 'docs/earlier.md': 'x' })
    let head = earlier
    for (let count = 0; count < 60; count++) {
      const next = commitOn(head, { 'docs/count.md': `${count}` })
      head = { ...next, objects: new Map([...head.objects, ...next.objects]) }
    }
    await gitea.pushAsPerson(head, 'moves-on')
    const bundle = bundleOfCommit(earlier, commitOn(earlier, { 'docs/new.md': 'y' }))
    const attempt = { bundle, base: earlier.id }
    expect(await publish('from-main', attempt)).toEqual({ kind: 'base_gone' })
    expect(await publish('from-nowhere', { ...attempt, from: 'nowhere' })).toEqual({ kind: 'base_gone' })
    expect(await publish('from-branch', { ...attempt, from: 'moves-on' })).toMatchObject({ kind: 'pushed' })
    expect(await gitea.host.branchHead('from-main')).toBeUndefined()
  })

  it('shows the difference', async () => {
    await using repository = await open()
    const bundle = bundleOfChange(gitea.base, { [index]: one + two + three.replace('Three', '3') })
    const acceptance = await repository.accept({ bundle, base: gitea.base.id, branch: 'main', policy })
    if (acceptance.kind !== 'accepted') throw new Error(JSON.stringify(acceptance))
    expect(acceptance.result.changes).toMatchObject([{ path: index, mode: '100644' }])
    const { patch, isWhole } = await repository.diff(acceptance.result)
    expect(isWhole).toBe(true)
    expect(patch).toContain(`--- a/${index}\n+++ b/${index}\n`)
    expect(patch).toContain('\n-Three.\n+3.\n')
  })

  it('leaves nothing on the disk', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'colophon-test-'))
    onTestFinished(() => rm(directory, { recursive: true }))
    vi.stubEnv('TMPDIR', directory)
    onTestFinished(() => void vi.unstubAllEnvs())
    await publish('tidy', { bundle: bundleOfChange(gitea.base, { 'docs/new.md': 'x' }) })
    await publish('tidy', { bundle: Buffer.from('refused') })
    expect(await readdir(directory)).toEqual([])
  })
})

describe('a branch that people pushed to', () => {
  it('gets our change on top of theirs, once', async () => {
    const theirs = commitOn(gitea.base, { [index]: one.replace('One', '1') + two + three })
    await gitea.pushAsPerson(theirs, 'both')
    const bundle = bundleOfChange(gitea.base, { [index]: one + two + three.replace('Three', '3'), 'docs/new.md': 'x' })
    const first = await publish('both', { bundle })
    expect(first).toMatchObject({ kind: 'pushed' })
    const head = await gitea.host.branchHead('both')
    expect(await gitea.logOf('both')).toEqual([head, theirs.id, gitea.base.id])
    expect(await gitea.filesOf('both')).toMatchObject({
      [index]: one.replace('One', '1') + two + three.replace('Three', '3'),
      'docs/new.md': 'x',
    })
    expect(await publish('both', { bundle })).toEqual({ kind: 'published', head, ours: undefined })
  })

  it('keeps theirs where the two contradict each other', async () => {
    await gitea.pushAsPerson(commitOn(gitea.base, { [index]: 'Theirs.\n' }), 'conflict')
    const bundle = bundleOfChange(gitea.base, { [index]: 'Ours.\n' })
    expect(await publish('conflict', { bundle })).toEqual({ kind: 'branch_moved' })
    expect(await gitea.filesOf('conflict')).toMatchObject({ [index]: 'Theirs.\n' })
  })

  it('is left alone when it was started over', async () => {
    await gitea.pushAsPerson(craftCommit({ 'docs/other.md': 'x' }, []), 'rebased')
    const bundle = bundleOfChange(gitea.base, { 'docs/new.md': 'x' })
    expect(await publish('rebased', { bundle })).toEqual({ kind: 'branch_moved' })
  })

  it('is not given a change outside the docs folder, though they moved the page there', async () => {
    const { [index]: page, ...others } = baseFiles
    await gitea.pushAsPerson(craftCommit({ ...others, 'src/index.md': page as string }, [gitea.base.id]), 'moved-out')
    const bundle = bundleOfChange(gitea.base, { [index]: one + two + three.replace('Three', '3') })
    expect(await publish('moved-out', { bundle })).toEqual({ kind: 'branch_moved' })
  })

  it('is known to have our commit, however much came after it', async () => {
    const bundle = bundleOfChange(gitea.base, { [index]: 'Ours.\n' })
    const theirs = commitOn(gitea.base, { 'docs/theirs.md': 'x' })
    await gitea.pushAsPerson(theirs, 'after')
    const first = await publish('after', { bundle })
    if (first.kind !== 'pushed' || !('commit' in first)) throw new Error(JSON.stringify(first))
    expect(await gitea.logOf('after')).toEqual([first.commit, theirs.id, gitea.base.id])
    const later = craftCommit({ ...theirs.files, [index]: 'Rewritten by people.\n' }, [first.commit])
    await gitea.pushAsPerson(later, 'after')
    expect(await publish('after', { bundle, recorded: first.commit })).toEqual({
      kind: 'published',
      head: later.id,
      ours: first.commit,
    })
  })

  it('is known to have our commit, though the host made it and gave it another name', async () => {
    const bundle = bundleOfChange(gitea.base, { [index]: 'Ours.\n' })
    const theirs = commitOn(gitea.base, { 'docs/theirs.md': 'x' })
    for (const [branch, parent] of [
      ['made-by-host', gitea.base],
      ['made-by-host-on-theirs', theirs],
    ] as const) {
      await gitea.pushAsPerson(parent, branch)
      const placement = await place(branch, bundle)
      if (placement.kind !== 'ready') throw new Error(JSON.stringify(placement))
      const made = commitOn(parent, { [index]: 'Ours.\n' })
      expect([placement.commit.tree, placement.commit.parent]).toEqual([made.tree, parent.id])
      const later = craftCommit({ ...made.files, [index]: 'Rewritten by people.\n' }, [made.id])
      await gitea.pushAsPerson({ ...later, objects: new Map([...made.objects, ...later.objects]) }, branch)
      const published = { kind: 'published', head: later.id, ours: made.id }
      expect(await place(branch, bundle, placement.commit.id)).toEqual(published)
    }
  })

  it('moves between the look and the push', async () => {
    await using repository = await open()
    const bundle = bundleOfChange(gitea.base, { [index]: 'Ours.\n' })
    const acceptance = await repository.accept({ bundle, base: gitea.base.id, branch: 'main', policy })
    if (acceptance.kind !== 'accepted') throw new Error(JSON.stringify(acceptance))
    const placement = await repository.place(acceptance.result, 'race', details, undefined)
    if (placement.kind !== 'ready') throw new Error(JSON.stringify(placement))
    const theirs = commitOn(gitea.base, { 'docs/theirs.md': 'x' })
    await gitea.pushAsPerson(theirs, 'race')
    await expect(placement.commit.push('race')).resolves.toBe('branch_moved')
    const again = await repository.place(acceptance.result, 'race', details, placement.commit.id)
    if (again.kind !== 'ready') throw new Error(JSON.stringify(again))
    await expect(again.commit.push('race')).resolves.toBe('pushed')
    expect(await gitea.filesOf('race')).toMatchObject({ [index]: 'Ours.\n', 'docs/theirs.md': 'x' })
  })
})

describe('a host that fails', () => {
  const failing = (when: (url: string) => boolean, how: () => Promise<Response>): Egress => ({
    ...gitea.egress,
    fetch: (url, request) => (when(String(url)) ? how() : gitea.egress.fetch(url, request)),
  })
  const bundle = () => bundleOfChange(gitea.base, { 'docs/new.md': 'x' })

  it('pushed although the answer is lost', async () => {
    const egress: Egress = {
      ...gitea.egress,
      async fetch(url, request) {
        const response = await gitea.egress.fetch(url, request)
        if (!String(url).endsWith('/git-receive-pack')) return response
        await response.arrayBuffer()
        throw new EgressError('connection_lost', 'The connection broke before the answer was complete.')
      },
    }
    await expect(publish('lost', { bundle: bundle(), egress })).rejects.toMatchObject({
      failure: { kind: 'retry', code: 'unreachable' },
    })
    await expect(publish('lost', { bundle: bundle() })).resolves.toMatchObject({ kind: 'published' })
    expect(await gitea.logOf('lost')).toHaveLength(2)
  })

  it.each([
    [503, { kind: 'retry', code: 'server_error' }],
    [429, { kind: 'retry', code: 'rate_limited', retryAfterSeconds: 7 }],
    [401, { kind: 'final', code: 'token_rejected' }],
    [403, { kind: 'final', code: 'forbidden' }],
    [404, { kind: 'final', code: 'not_found' }],
    [301, { kind: 'final', code: 'moved' }],
  ])('is told apart by its status: %i', async (status, failure) => {
    const headers = { ...(status === 429 && { 'retry-after': '7' }), location: 'http://127.0.0.1:1/' }
    const egress = failing(
      (url) => url.includes('/info/refs'),
      async () => new Response(null, { status, headers }),
    )
    await expect(publish('status', { bundle: bundle(), egress })).rejects.toMatchObject({ failure })
  })

  it('may not push with a token that only reads', async () => {
    const reader = await gitea.addPerson('read', ['write:repository'])
    const remote = await gitea.hostWith(reader.token).gitRemote()
    await using repository = await BareRepository.open({
      remote,
      egress: gitea.egress,
      signal: AbortSignal.timeout(60_000),
    })
    const acceptance = await repository.accept({ bundle: bundle(), base: gitea.base.id, branch: 'main', policy })
    if (acceptance.kind !== 'accepted') throw new Error(JSON.stringify(acceptance))
    const placement = await repository.place(acceptance.result, 'reader', details, undefined)
    if (placement.kind !== 'ready') throw new Error(JSON.stringify(placement))
    const refused = placement.commit.push('reader')
    await expect(refused).rejects.toMatchObject({ failure: { kind: 'final' } })
    await expect(refused).rejects.not.toThrow(reader.token)
  })

  it('refuses a push to a protected branch, and says so', async () => {
    await gitea.asPerson('POST', '/branch_protections', { rule_name: 'protected/*', enable_push: false })
    await expect(publish('protected/page', { bundle: bundle() })).rejects.toMatchObject({
      failure: { kind: 'final', code: 'push_refused' },
      message: expect.stringContaining('protected branch'),
    })
  })

  it('is given up when told to', async () => {
    const gone = new AbortController()
    const egress = failing(
      (url) => url.includes('/info/refs'),
      () => new Promise(() => {}),
    )
    await using repository = await BareRepository.open({
      remote: await gitea.host.gitRemote(),
      egress,
      signal: gone.signal,
    })
    const accepting = repository.accept({ bundle: bundle(), base: gitea.base.id, branch: 'main', policy })
    setTimeout(() => gone.abort(new Error('enough')), 200)
    await expect(accepting).rejects.toThrow('enough')
  })
})
