import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { BareRepository } from './bare-repository.ts'
import { createGiteaTestRepository, type GiteaTestRepository } from './testing/gitea-test-repository.ts'
import { attackedFiles } from './testing/hostile-result.ts'
import { hostileResults } from './testing/hostile-results.ts'

let gitea: GiteaTestRepository
beforeAll(async () => {
  gitea = await createGiteaTestRepository(inject('services').gitea, attackedFiles)
})
afterAll(() => gitea.remove())

async function accept(bundle: Uint8Array) {
  const signal = AbortSignal.timeout(60_000)
  await using repository = await BareRepository.open({
    remote: await gitea.host.gitRemote(),
    egress: gitea.egress,
    signal,
  })
  const policy = { docsFolder: 'docs' }
  return await repository.accept({ bundle, base: gitea.base.id, branch: 'main', policy })
}

describe('a hostile result', () => {
  it.each(hostileResults.map((result) => [result.name, result] as const))(
    'is refused, and its harmless counterpart is accepted: %s',
    async (_, { code, hostile, harmless }) => {
      const acceptance = await accept(hostile(gitea.base))
      expect(acceptance.kind).toBe('refused')
      const codes = acceptance.kind === 'refused' ? acceptance.refusals.map((refusal) => refusal.code) : []
      expect([...new Set(codes)]).toEqual([code])
      await expect(accept(harmless(gitea.base))).resolves.toMatchObject({ kind: 'accepted' })
    },
  )
})
