/** Results whose base commit is not on the project's branch: its changes would end up in the pull request. */
import { setTimeout as sleep } from 'node:timers/promises'
import {
  type CraftedCommit,
  craftCommit,
  createChangeBundle,
} from '../../../server/src/code-hosts/testing/craft-commit.ts'
import { harmlessChange } from '../../../server/src/code-hosts/testing/hostile-result.ts'
import type { ProofRun } from '../../proof.ts'
import { startTestRunner } from '../test-runner.ts'
import type { TestService } from '../test-service.ts'
import type { AttackedProject } from './attacked-project.ts'
import { openGitRepositoryReader } from './git-repository-reader.ts'
import { buildHostileReport } from './send-results.ts'

export async function sendForeignBases(
  run: ProofRun,
  service: TestService,
  { projectId, client, repository, createRunner }: AttackedProject,
  gatewayUrl: string,
): Promise<void> {
  const { base } = repository
  const host = await openGitRepositoryReader(run, service, repository)
  const commitOn = (commit: CraftedCommit, path: string) =>
    craftCommit({ ...commit.files, [path]: 'on: push\n' }, [commit.id])
  const bases = {
    'on an unrelated branch': commitOn(base, '.gitea/workflows/others.yaml'),
    'on a deleted branch': commitOn(base, '.gitea/workflows/deleted.yaml'),
    'unknown to the host': commitOn(base, '.gitea/workflows/never.yaml'),
    'on the base branch, outdated': base,
  }
  await repository.pushAsPerson(bases['on an unrelated branch'], 'others')
  await repository.pushAsPerson(bases['on a deleted branch'], 'deleted')
  await repository.callAsAdmin('DELETE', '/branches/deleted')
  const newHead = commitOn(base, 'README.md')
  await repository.pushAsPerson(newHead, 'main')

  const token = await createRunner('foreign bases')
  const runner = startTestRunner(gatewayUrl, token, async ({ prompt }) => {
    const baseCommit = bases[prompt as keyof typeof bases]
    return buildHostileReport(baseCommit.id, createChangeBundle(baseCommit, harmlessChange))
  })
  const expected = new Map([
    ['HEAD', newHead.id],
    ['refs/heads/main', newHead.id],
    ['refs/heads/others', bases['on an unrelated branch'].id],
  ])
  try {
    for (const prompt of Object.keys(bases)) {
      const { id } = await client.jobs.create(projectId, { prompt })
      let job = await client.jobs.get(projectId, id)
      for (const deadline = Date.now() + 300_000; job.status === 'active' && Date.now() < deadline; await sleep(500)) {
        job = await client.jobs.get(projectId, id)
      }
      if (bases[prompt as keyof typeof bases] !== base) {
        const isRefused = job.status === 'failed' && job.error?.code === 'branch_moved' && job.pullRequest === null
        run.check(
          isRefused,
          `base commit ${prompt}: fails with branch_moved, got ${job.status}, ${job.error?.code}, ${job.prLink}`,
        )
        continue
      }
      const branch = `refs/heads/colophon/${id}`
      const commit = (await host.commits()).get((await host.refs()).get(branch) ?? '')
      run.check(
        job.status === 'completed' && job.prLink !== null && commit?.parents === base.id,
        `base commit ${prompt}: accepted, got ${job.status}, ${job.error?.code}`,
      )
      expected.set(branch, commit?.id ?? '').set(`refs/pull/${job.pullRequest?.number}/head`, commit?.id ?? '')
    }
  } finally {
    await runner.stop()
  }
  const refs = await host.refs()
  for (const [ref, commit] of refs)
    run.check(expected.get(ref) === commit, `${ref} is at ${expected.get(ref)}, got ${commit}`)
  run.figure('results with a foreign base commit, refused', Object.keys(bases).length - 1)
}
