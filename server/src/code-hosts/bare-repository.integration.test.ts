import { randomBytes } from 'node:crypto'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished, vi } from 'vitest'
import { docsFolderRules } from '../content-gate/testing/change-rules.ts'
import type { Egress } from '../platform/egress/egress.ts'
import { EgressError } from '../platform/egress/egress-error.ts'
import { BareRepository } from './bare-repository.ts'
import {
  type CraftedCommit,
  type CraftedFiles,
  craftCommit,
  createChangeBundle,
  createCommitBundle,
} from './testing/craft-commit.ts'
import { craftPackEntry, createBundle, createPack, createPackFromEntries } from './testing/craft-objects.ts'
import { createGiteaTestRepository, type GiteaTestRepository } from './testing/gitea-test-repository.ts'
import { baseFiles } from './testing/host-test-repository.ts'

const rules = docsFolderRules('docs')
const details = {
  message: 'Say more\n\nColophon-Job: job_1\n',
  identity: { name: 'Colophon', email: 'colophon@example.com' },
  date: new Date('2026-01-02T03:04:05Z'),
}

let gitea: GiteaTestRepository
beforeAll(async () => {
  gitea = await createGiteaTestRepository(inject('services').gitea)
})
afterAll(() => gitea.remove())

const open = async (egress: Egress = gitea.egress) =>
  BareRepository.open({ remote: await gitea.host.gitRemote(), egress, signal: AbortSignal.timeout(60_000) })

type Attempt = { bundle: Uint8Array; base?: string; from?: string; recorded?: string; egress?: Egress }

/** Publishes like the activity. */
async function publish(branch: string, { bundle, base = gitea.base.id, from = 'main', recorded, egress }: Attempt) {
  await using repository = await open(egress)
  const acceptance = await repository.accept({ bundle, base, branch: from, rules })
  if (acceptance.kind !== 'accepted') return acceptance
  const placement = await repository.prepareCommit(acceptance.result, branch, details, recorded)
  if (placement.kind !== 'ready') return placement
  return { kind: await placement.commit.push(branch), commit: placement.commit.id }
}

async function place(branch: string, bundle: Uint8Array, recorded?: string) {
  await using repository = await open()
  const acceptance = await repository.accept({ bundle, base: gitea.base.id, branch: 'main', rules })
  if (acceptance.kind !== 'accepted') throw new Error(JSON.stringify(acceptance))
  return await repository.prepareCommit(acceptance.result, branch, details, recorded)
}

const commitOn = (parent: CraftedCommit, change: CraftedFiles) =>
  craftCommit({ ...parent.files, ...change }, [parent.id])

const index = 'docs/index.md'
const firstPart = '# Welcome\n\nOne.\n'
const secondPart = '\nTwo.\n'
const thirdPart = '\nThree.\n'

describe('publishing', () => {
  it('creates one commit on the base, and nothing when repeated', async () => {
    const bundle = createChangeBundle(gitea.base, {
      [index]: '# Welcome\n',
      'docs/new.md': 'New.\n',
      'docs/image.png': undefined,
    })
    const first = await publish('plain', { bundle })
    expect(first).toEqual({ kind: 'pushed', commit: expect.any(String) })
    const head = await gitea.host.branchHead('plain')
    expect(first).toMatchObject({ commit: head })
    expect(await publish('plain', { bundle })).toEqual({ kind: 'published', head, ownCommit: head })

    const { 'docs/image.png': _, ...others } = baseFiles
    expect(await gitea.readFiles('plain')).toEqual({ ...others, [index]: '# Welcome\n', 'docs/new.md': 'New.\n' })
    expect(await gitea.readLog('plain')).toEqual([head, gitea.base.id])
    await expect(gitea.callAsAdmin('GET', `/git/commits/${head}`)).resolves.toMatchObject({
      commit: {
        message: details.message,
        author: { ...details.identity, date: '2026-01-02T03:04:05Z' },
        committer: { ...details.identity, date: '2026-01-02T03:04:05Z' },
      },
    })
  })

  it('creates the same commit on another machine, whatever the commits of the runner are', async () => {
    const files = { ...gitea.base.files, 'docs/new.md': 'New.\n' }
    const inOneCommit = craftCommit(files, [gitea.base.id])
    const middle = commitOn(gitea.base, { 'docs/draft.md': 'x' })
    const last = craftCommit(files, [middle.id])
    const inTwoCommits = { ...last, objects: new Map([...middle.objects, ...last.objects]) }
    const commits = []
    for (const result of [inOneCommit, inTwoCommits]) {
      await using repository = await open()
      const bundle = createCommitBundle(gitea.base, result)
      const acceptance = await repository.accept({ bundle, base: gitea.base.id, branch: 'main', rules })
      if (acceptance.kind !== 'accepted') throw new Error(JSON.stringify(acceptance))
      const placement = await repository.prepareCommit(acceptance.result, 'same', details, undefined)
      commits.push(placement.kind === 'ready' && placement.commit.id)
    }
    expect(commits[0]).toEqual(expect.any(String))
    expect(commits[1]).toEqual(commits[0])
  })

  it('accepts a bundle that git created, and pushes several megabytes', async () => {
    const image = randomBytes(5_000_000).toString('latin1')
    const files = { [index]: `${baseFiles[index]}Four.\n`, 'docs/new/image.webp': image }
    const bundle = await gitea.createBundleWithGit('main', files)
    expect(await publish('by-git', { bundle })).toMatchObject({ kind: 'pushed' })
    expect((await gitea.readFiles('by-git'))[index]).toBe(files[index])
  })

  it('accepts a thin pack with deltas against blobs that were not fetched', async () => {
    const result = craftCommit({ ...gitea.base.files, 'docs/guide/start.md': '# Start\nMore.\n' }, [gitea.base.id])
    const before = [...gitea.base.objects.values()].find(({ contents }) => contents.toString() === '# Start\n')
    const added = [...result.objects.values()].filter(({ id }) => !gitea.base.objects.has(id))
    const withoutBlobs = added.filter(({ type }) => type !== 'blob')
    const insert = Buffer.from('More.\n')
    const delta = Buffer.concat([Buffer.from([8, 14, 0x90, 8, insert.length]), insert])
    const thin = craftPackEntry(7, delta, { base: before?.id ?? '' })
    const pack = createPackFromEntries([createPack(withoutBlobs).subarray(12, -20), thin], withoutBlobs.length + 1)
    const bundle = createBundle({ bases: [gitea.base.id], refs: { HEAD: result.id }, pack })
    expect(await publish('thin', { bundle })).toMatchObject({ kind: 'pushed' })
    expect(await gitea.readFiles('thin')).toMatchObject({ 'docs/guide/start.md': '# Start\nMore.\n' })
  })

  it('accepts moved and copied files, whose blobs are not in the bundle', async () => {
    const { [index]: page, 'README.md': readme } = baseFiles
    const bundle = createChangeBundle(gitea.base, {
      [index]: undefined,
      'docs/moved.md': page as string,
      'docs/readme.md': readme as string,
    })
    expect(await publish('moved', { bundle })).toMatchObject({ kind: 'pushed' })
  })

  it('reports no changes for an unchanged tree', async () => {
    const bundle = createCommitBundle(gitea.base, { ...craftCommit(gitea.base.files, [gitea.base.id]) })
    expect(await publish('unchanged', { bundle })).toEqual({ kind: 'no_changes' })
    await expect(gitea.host.branchHead('unchanged')).resolves.toBeUndefined()
  })

  it('reports a base that no longer exists', async () => {
    const unknownBase = commitOn(gitea.base, { 'docs/lost.md': 'x' })
    const bundle = createCommitBundle(unknownBase, commitOn(unknownBase, { 'docs/new.md': 'y' }))
    expect(await publish('gone', { bundle, base: unknownBase.id })).toEqual({ kind: 'base_gone' })
  })

  it('accepts an older commit of the branch as base, but no commit of another branch', async () => {
    const earlier = commitOn(gitea.base, { 'docs/earlier.md': 'x' })
    let head = earlier
    for (let count = 0; count < 60; count++) {
      const next = commitOn(head, { 'docs/count.md': `${count}` })
      head = { ...next, objects: new Map([...head.objects, ...next.objects]) }
    }
    await gitea.pushAsPerson(head, 'moves-on')
    const bundle = createCommitBundle(earlier, commitOn(earlier, { 'docs/new.md': 'y' }))
    const attempt = { bundle, base: earlier.id }
    expect(await publish('from-main', attempt)).toEqual({ kind: 'base_gone' })
    expect(await publish('from-nowhere', { ...attempt, from: 'nowhere' })).toEqual({ kind: 'base_gone' })
    expect(await publish('from-branch', { ...attempt, from: 'moves-on' })).toMatchObject({ kind: 'pushed' })
    expect(await gitea.host.branchHead('from-main')).toBeUndefined()
  })

  it('returns the diff', async () => {
    await using repository = await open()
    const bundle = createChangeBundle(gitea.base, { [index]: firstPart + secondPart + thirdPart.replace('Three', '3') })
    const acceptance = await repository.accept({ bundle, base: gitea.base.id, branch: 'main', rules })
    if (acceptance.kind !== 'accepted') throw new Error(JSON.stringify(acceptance))
    expect(acceptance.result.changes).toMatchObject([{ path: index, mode: '100644' }])
    const { patch, isComplete } = await repository.diff(acceptance.result)
    expect(isComplete).toBe(true)
    expect(patch).toContain(`--- a/${index}\n+++ b/${index}\n`)
    expect(patch).toContain('\n-Three.\n+3.\n')
  })

  it('leaves no files behind', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'colophon-test-'))
    onTestFinished(() => rm(directory, { recursive: true }))
    vi.stubEnv('TMPDIR', directory)
    onTestFinished(() => void vi.unstubAllEnvs())
    await publish('tidy', { bundle: createChangeBundle(gitea.base, { 'docs/new.md': 'x' }) })
    await publish('tidy', { bundle: Buffer.from('refused') })
    expect(await readdir(directory)).toEqual([])
  })
})

describe('a branch that people pushed to', () => {
  it('gets our change on top of theirs, exactly once', async () => {
    const theirs = commitOn(gitea.base, { [index]: firstPart.replace('One', '1') + secondPart + thirdPart })
    await gitea.pushAsPerson(theirs, 'both')
    const bundle = createChangeBundle(gitea.base, {
      [index]: firstPart + secondPart + thirdPart.replace('Three', '3'),
      'docs/new.md': 'x',
    })
    const first = await publish('both', { bundle })
    expect(first).toMatchObject({ kind: 'pushed' })
    const head = await gitea.host.branchHead('both')
    expect(await gitea.readLog('both')).toEqual([head, theirs.id, gitea.base.id])
    expect(await gitea.readFiles('both')).toMatchObject({
      [index]: firstPart.replace('One', '1') + secondPart + thirdPart.replace('Three', '3'),
      'docs/new.md': 'x',
    })
    expect(await publish('both', { bundle })).toEqual({ kind: 'published', head, ownCommit: undefined })
  })

  it('keeps their change in a conflict', async () => {
    await gitea.pushAsPerson(commitOn(gitea.base, { [index]: 'Theirs.\n' }), 'conflict')
    const bundle = createChangeBundle(gitea.base, { [index]: 'Ours.\n' })
    expect(await publish('conflict', { bundle })).toEqual({ kind: 'branch_moved' })
    expect(await gitea.readFiles('conflict')).toMatchObject({ [index]: 'Theirs.\n' })
  })

  it('is left alone if it was recreated', async () => {
    await gitea.pushAsPerson(craftCommit({ 'docs/other.md': 'x' }, []), 'rebased')
    const bundle = createChangeBundle(gitea.base, { 'docs/new.md': 'x' })
    expect(await publish('rebased', { bundle })).toEqual({ kind: 'branch_moved' })
  })

  it('gets no change outside the docs folder, even if people moved the page there', async () => {
    const { [index]: page, ...others } = baseFiles
    await gitea.pushAsPerson(craftCommit({ ...others, 'src/index.md': page as string }, [gitea.base.id]), 'moved-out')
    const bundle = createChangeBundle(gitea.base, { [index]: firstPart + secondPart + thirdPart.replace('Three', '3') })
    expect(await publish('moved-out', { bundle })).toEqual({ kind: 'branch_moved' })
  })

  it('is recognized as containing our commit below later commits', async () => {
    const bundle = createChangeBundle(gitea.base, { [index]: 'Ours.\n' })
    const theirs = commitOn(gitea.base, { 'docs/theirs.md': 'x' })
    await gitea.pushAsPerson(theirs, 'after')
    const first = await publish('after', { bundle })
    if (first.kind !== 'pushed' || !('commit' in first)) throw new Error(JSON.stringify(first))
    expect(await gitea.readLog('after')).toEqual([first.commit, theirs.id, gitea.base.id])
    const later = craftCommit({ ...theirs.files, [index]: 'Rewritten by people.\n' }, [first.commit])
    await gitea.pushAsPerson(later, 'after')
    expect(await publish('after', { bundle, recorded: first.commit })).toEqual({
      kind: 'published',
      head: later.id,
      ownCommit: first.commit,
    })
  })

  it('is recognized as containing our commit when the host created it with another id', async () => {
    const bundle = createChangeBundle(gitea.base, { [index]: 'Ours.\n' })
    const theirs = commitOn(gitea.base, { 'docs/theirs.md': 'x' })
    for (const [branch, parent] of [
      ['created-by-host', gitea.base],
      ['created-by-host-on-theirs', theirs],
    ] as const) {
      await gitea.pushAsPerson(parent, branch)
      const placement = await place(branch, bundle)
      if (placement.kind !== 'ready') throw new Error(JSON.stringify(placement))
      const hostCommit = commitOn(parent, { [index]: 'Ours.\n' })
      expect([placement.commit.tree, ...placement.commit.parents]).toEqual([hostCommit.tree, parent.id])
      const later = craftCommit({ ...hostCommit.files, [index]: 'Rewritten by people.\n' }, [hostCommit.id])
      await gitea.pushAsPerson({ ...later, objects: new Map([...hostCommit.objects, ...later.objects]) }, branch)
      const published = { kind: 'published', head: later.id, ownCommit: hostCommit.id }
      expect(await place(branch, bundle, placement.commit.id)).toEqual(published)
    }
  })

  it('may move between preparing and pushing', async () => {
    await using repository = await open()
    const bundle = createChangeBundle(gitea.base, { [index]: 'Ours.\n' })
    const acceptance = await repository.accept({ bundle, base: gitea.base.id, branch: 'main', rules })
    if (acceptance.kind !== 'accepted') throw new Error(JSON.stringify(acceptance))
    const placement = await repository.prepareCommit(acceptance.result, 'race', details, undefined)
    if (placement.kind !== 'ready') throw new Error(JSON.stringify(placement))
    const theirs = commitOn(gitea.base, { 'docs/theirs.md': 'x' })
    await gitea.pushAsPerson(theirs, 'race')
    await expect(placement.commit.push('race')).resolves.toBe('branch_moved')
    const again = await repository.prepareCommit(acceptance.result, 'race', details, placement.commit.id)
    if (again.kind !== 'ready') throw new Error(JSON.stringify(again))
    await expect(again.commit.push('race')).resolves.toBe('pushed')
    expect(await gitea.readFiles('race')).toMatchObject({ [index]: 'Ours.\n', 'docs/theirs.md': 'x' })
  })
})

describe('a host that fails', () => {
  const intercept = (matches: (url: string) => boolean, respond: () => Promise<Response>): Egress => ({
    ...gitea.egress,
    fetch: (url, request) => (matches(String(url)) ? respond() : gitea.egress.fetch(url, request)),
  })
  const bundle = () => createChangeBundle(gitea.base, { 'docs/new.md': 'x' })

  it('has accepted the push although its response is lost', async () => {
    const egress: Egress = {
      ...gitea.egress,
      async fetch(url, request) {
        const response = await gitea.egress.fetch(url, request)
        if (!String(url).endsWith('/git-receive-pack')) return response
        await response.arrayBuffer()
        throw new EgressError('connection_lost', 'The connection broke before the response was complete.')
      },
    }
    await expect(publish('lost', { bundle: bundle(), egress })).rejects.toMatchObject({
      failure: { kind: 'retry', code: 'unreachable' },
    })
    await expect(publish('lost', { bundle: bundle() })).resolves.toMatchObject({ kind: 'published' })
    expect(await gitea.readLog('lost')).toHaveLength(2)
  })

  it.each([
    [503, { kind: 'retry', code: 'server_error' }],
    [429, { kind: 'retry', code: 'rate_limited', retryAfterSeconds: 7 }],
    [401, { kind: 'final', code: 'token_rejected' }],
    [403, { kind: 'final', code: 'forbidden' }],
    [404, { kind: 'final', code: 'not_found' }],
    [301, { kind: 'final', code: 'moved' }],
  ])('responds with status %i', async (status, failure) => {
    const headers = { ...(status === 429 && { 'retry-after': '7' }), location: 'http://127.0.0.1:1/' }
    const egress = intercept(
      (url) => url.includes('/info/refs'),
      async () => new Response(null, { status, headers }),
    )
    await expect(publish('status', { bundle: bundle(), egress })).rejects.toMatchObject({ failure })
  })

  it('rejects a push with a read-only token', async () => {
    const reader = await gitea.addPerson('read', ['write:repository'])
    const remote = await gitea.hostWithToken(reader.token).gitRemote()
    await using repository = await BareRepository.open({
      remote,
      egress: gitea.egress,
      signal: AbortSignal.timeout(60_000),
    })
    const acceptance = await repository.accept({ bundle: bundle(), base: gitea.base.id, branch: 'main', rules })
    if (acceptance.kind !== 'accepted') throw new Error(JSON.stringify(acceptance))
    const placement = await repository.prepareCommit(acceptance.result, 'reader', details, undefined)
    if (placement.kind !== 'ready') throw new Error(JSON.stringify(placement))
    const push = placement.commit.push('reader')
    await expect(push).rejects.toMatchObject({ failure: { kind: 'final' } })
    await expect(push).rejects.not.toThrow(reader.token)
  })

  it('rejects a push to a protected branch, with a reason', async () => {
    await gitea.callAsAdmin('POST', '/branch_protections', { rule_name: 'protected/*', enable_push: false })
    await expect(publish('protected/page', { bundle: bundle() })).rejects.toMatchObject({
      failure: { kind: 'final', code: 'push_rejected' },
      message: expect.stringContaining('protected branch'),
    })
  })

  it('is abandoned when the signal aborts', async () => {
    const controller = new AbortController()
    const egress = intercept(
      (url) => url.includes('/info/refs'),
      () => new Promise(() => {}),
    )
    await using repository = await BareRepository.open({
      remote: await gitea.host.gitRemote(),
      egress,
      signal: controller.signal,
    })
    const accepting = repository.accept({ bundle: bundle(), base: gitea.base.id, branch: 'main', rules })
    setTimeout(() => controller.abort(new Error('enough')), 200)
    await expect(accepting).rejects.toThrow('enough')
  })
})
