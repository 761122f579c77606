import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { docsFolderRules } from '../content-gate/testing/change-rules.ts'
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
  const signal = AbortSignal.timeout(300_000)
  await using repository = await BareRepository.open({
    remote: await gitea.host.gitRemote(),
    egress: gitea.egress,
    signal,
  })
  return await repository.accept({ bundle, base: gitea.base.id, branch: 'main', rules: docsFolderRules('docs') })
}

// Every night, the proof `hostile-results` sends all of them, which takes five minutes of CPU time here.
const resultsPerCode = 2
const results = [...Map.groupBy(hostileResults, ({ code }) => code).values()].flatMap((ofCode) =>
  ofCode.slice(0, resultsPerCode),
)

// These tests mostly wait for git, so they run concurrently, and each takes longer than on its own.
describe.concurrent('a hostile result', { timeout: 600_000 }, () => {
  it.each(results.map((result) => [result.name, result] as const))(
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
