import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { BareRepository } from './bare-repository.ts'
import { bundleOfChange } from './testing/craft-commit.ts'
import { baseFiles, createGiteaRepository, type GiteaRepository } from './testing/gitea-repository.ts'

const policy = { docsFolder: 'docs', alsoAllowed: [] }
const details = {
  message: 'Say more\n',
  identity: { name: 'Colophon', email: 'colophon@example.com' },
  date: new Date('2026-01-02T03:04:05Z'),
}
const wide = 'docs/index.md'

let gitea: GiteaRepository
beforeAll(async () => {
  gitea = await createGiteaRepository(inject('engines').gitea)
})
afterAll(() => gitea.remove())

const open = () =>
  BareRepository.open({ remote: gitea.host.gitRemote, egress: gitea.egress, signal: AbortSignal.timeout(60_000) })

async function publish(branch: string, bundle: Buffer, base = gitea.base.id, recorded?: string) {
  await using repository = await open()
  const acceptance = await repository.accept({ bundle, base, policy })
  if (acceptance.kind !== 'accepted') return acceptance
  const placement = await repository.place(acceptance.result, branch, details, recorded)
  if (placement.kind !== 'ready') return placement
  return { kind: await repository.push(placement.commit, branch), commit: placement.commit }
}

describe('publishing', () => {
  it('makes one commit of ours on the base, and nothing the second time', async () => {
    const bundle = bundleOfChange(gitea.base, { [wide]: '# Welcome\n\nMore.\n', 'docs/new.md': 'New.\n' })
    const first = await publish('plain', bundle)
    expect(first).toMatchObject({ kind: 'pushed' })
    expect(await publish('plain', bundle)).toEqual({ kind: 'published', head: (first as { commit: string }).commit })
    expect(await gitea.filesOf('plain')).toEqual({
      ...baseFiles,
      [wide]: '# Welcome\n\nMore.\n',
      'docs/new.md': 'New.\n',
    })
    expect(await gitea.logOf('plain')).toEqual([(first as { commit: string }).commit, gitea.base.id])
  })
})
