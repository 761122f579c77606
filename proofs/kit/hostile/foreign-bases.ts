/** Results that are built on what is not the project's branch: it would come along into the pull request. */
import { setTimeout as sleep } from 'node:timers/promises'
import { bundleOfChange, type CraftedCommit, craftCommit } from '../../../server/src/code-hosts/testing/craft-commit.ts'
import { plain } from '../../../server/src/code-hosts/testing/hostile-result.ts'
import type { ProofRun } from '../../proof.ts'
import type { RunningService } from '../running-service.ts'
import { startTestRunner } from '../test-runner.ts'
import type { AttackedProject } from './attacked-project.ts'
import { openHost } from './host-contents.ts'
import { reportOf } from './sent-results.ts'

export async function foreignBases(
  run: ProofRun,
  service: RunningService,
  { projectId, client, repository, makeRunner }: AttackedProject,
  gatewayUrl: string,
): Promise<void> {
  const { base } = repository
  const host = await openHost(run, service, repository)
  const onTopOf = (commit: CraftedCommit, path: string) =>
    craftCommit({ ...commit.files, [path]: 'on: push\n' }, [commit.id])
  const bases = {
    'of a branch of others': onTopOf(base, '.gitea/workflows/others.yaml'),
    'of a branch that was deleted': onTopOf(base, '.gitea/workflows/deleted.yaml'),
    'that the host never had': onTopOf(base, '.gitea/workflows/never.yaml'),
    'of the branch, from before it moved on': base,
  }
  await repository.pushAsPerson(bases['of a branch of others'], 'others')
  await repository.pushAsPerson(bases['of a branch that was deleted'], 'deleted')
  await repository.asPerson('DELETE', '/branches/deleted')
  const movedOn = onTopOf(base, 'README.md')
  await repository.pushAsPerson(movedOn, 'main')

  const token = await makeRunner('on foreign ground')
  const runner = startTestRunner(gatewayUrl, token, async ({ prompt }) => {
    const from = bases[prompt as keyof typeof bases]
    return reportOf(from.id, bundleOfChange(from, plain))
  })
  const expected = new Map([
    ['HEAD', movedOn.id],
    ['refs/heads/main', movedOn.id],
    ['refs/heads/others', bases['of a branch of others'].id],
  ])
  try {
    for (const prompt of Object.keys(bases)) {
      const { id } = await client.jobs.create(projectId, { prompt })
      let job = await client.jobs.get(projectId, id)
      for (const until = Date.now() + 300_000; job.status === 'active' && Date.now() < until; await sleep(500)) {
        job = await client.jobs.get(projectId, id)
      }
      if (bases[prompt as keyof typeof bases] !== base) {
        const isRefused = job.status === 'failed' && job.error?.code === 'branch_moved' && job.pullRequest === null
        run.check(isRefused, `a base ${prompt}: refused, not ${job.status}, ${job.error?.code}, ${job.prLink}`)
        continue
      }
      const branch = `refs/heads/colophon/${id}`
      const commit = (await host.commits()).get((await host.refs()).get(branch) ?? '')
      run.check(
        job.status === 'completed' && job.prLink !== null && commit?.parents === base.id,
        `a base ${prompt}: accepted, not ${job.status}, ${job.error?.code}`,
      )
      expected.set(branch, commit?.id ?? '').set(`refs/pull/${job.pullRequest?.number}/head`, commit?.id ?? '')
    }
  } finally {
    await runner.stop()
  }
  const refs = await host.refs()
  for (const [ref, commit] of refs) run.check(expected.get(ref) === commit, `${ref} is to be on the host, at ${commit}`)
  run.figure('results on a foreign base, refused', Object.keys(bases).length - 1)
}
