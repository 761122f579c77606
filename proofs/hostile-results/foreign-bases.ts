/** Results whose base commit is not on the project's branch: its changes would end up in the pull request. */

import {
  type CraftedCommit,
  craftCommit,
  createChangeBundle,
} from '../../server/src/code-hosts/testing/craft-commit.ts'
import { harmlessChange } from '../../server/src/code-hosts/testing/hostile-result.ts'
import { startTestRunner } from '../../testing/harness/test-runner.ts'
import { waitForJob } from '../../testing/harness/wait-for-job.ts'
import type { ProofRun } from '../proof.ts'
import type { AttackedProject } from './attacked-project.ts'
import { openGitRepositoryReader } from './git-repository-reader.ts'
import { buildHostileReport } from './send-results.ts'

export async function sendForeignBases(
  run: ProofRun,
  { projectId, client, repository, createRunner }: AttackedProject,
  gatewayUrl: string,
): Promise<void> {
  const { base } = repository
  const host = await openGitRepositoryReader(run, repository)
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
  const prompts = Object.keys(bases) as (keyof typeof bases)[]
  const runners = prompts.map(() =>
    startTestRunner(gatewayUrl, token, async ({ prompt }) => {
      const baseCommit = bases[prompt as keyof typeof bases]
      return buildHostileReport(baseCommit.id, createChangeBundle(baseCommit, harmlessChange))
    }),
  )
  const expected = new Map([
    ['HEAD', newHead.id],
    ['refs/heads/main', newHead.id],
    ['refs/heads/others', bases['on an unrelated branch'].id],
  ])
  const sendResult = async (prompt: keyof typeof bases) => {
    const { id } = await client.jobs.create(projectId, { prompt })
    const job = await waitForJob({ client, projectId }, id, { withinSeconds: 300 })
    if (bases[prompt] !== base) {
      const isRefused = job.status === 'failed' && job.error?.code === 'branch_moved' && job.pullRequest === null
      run.check(
        isRefused,
        `base commit ${prompt}: fails with branch_moved, got ${job.status}, ${job.error?.code}, ${job.prLink}`,
      )
      return
    }
    const branch = `refs/heads/colophon/${id}`
    const commit = (await host.commits()).get((await host.refs()).get(branch) ?? '')
    run.check(
      job.status === 'completed' && job.prLink !== null && commit?.parents === base.id,
      `base commit ${prompt}: accepted, got ${job.status}, ${job.error?.code}`,
    )
    expected.set(branch, commit?.id ?? '').set(`refs/pull/${job.pullRequest?.number}/head`, commit?.id ?? '')
  }
  try {
    await Promise.all(prompts.map(sendResult))
  } finally {
    await Promise.all(runners.map((runner) => runner.stop()))
  }
  const refs = await host.refs()
  for (const [ref, commit] of refs)
    run.check(expected.get(ref) === commit, `${ref} is at ${expected.get(ref)}, got ${commit}`)
  run.figure('results with a foreign base commit, refused', Object.keys(bases).length - 1)
}
