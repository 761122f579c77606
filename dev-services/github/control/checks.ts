import {
  checkRunInEvent,
  deploymentResponse,
  deploymentStatusResponse,
  simpleStatusResponse,
} from '../answers/check.ts'
import { commitResponse } from '../answers/commit.ts'
import { repositoryPage, repositoryUrl } from '../answers/repository.ts'
import type { World } from '../events.ts'
import { readCommit } from '../git.ts'
import type { CheckControl } from '../github-control.ts'
import { type CheckRun, type CommitStatus, type Deployment, newSecret } from '../state.ts'
import { personFor, repositoryNamed } from './lookups.ts'

export function checkControl({ state, events }: World): CheckControl {
  return {
    async setCheckRun(name, sha, given) {
      const repository = repositoryNamed(state, name)
      const existing = repository.checkRuns.find((run) => run.sha === sha && run.name === given.name)
      const isCompleted = given.status === 'completed'
      const id = existing?.id ?? state.nextId()
      const run: CheckRun = {
        id,
        sha,
        name: given.name,
        status: given.status,
        conclusion: isCompleted ? (given.conclusion ?? 'success') : null,
        output: { title: null, summary: null, text: null, ...given.output },
        annotations: given.annotations ?? [],
        detailsUrl: given.detailsUrl ?? `${repositoryPage(state, repository)}/actions/runs/1/job/${id}`,
        startedAt: existing?.startedAt ?? new Date(),
        completedAt: isCompleted ? new Date() : null,
        log: given.log ?? null,
        logSecret: newSecret(''),
      }
      repository.checkRuns = [...repository.checkRuns.filter((one) => one !== existing), run]
      if (isCompleted || !existing) {
        events.ofRepository(repository, 'check_run', personFor(state, repository.owner), {
          action: isCompleted ? 'completed' : 'created',
          check_run: checkRunInEvent(state, repository, run),
        })
      }
      return run.id
    },

    async setStatus(name, sha, given) {
      const repository = repositoryNamed(state, name)
      const commit = await readCommit(repository.directory, sha)
      if (!commit) throw new Error(`${sha} is no commit.`)
      const status: CommitStatus = {
        id: state.nextId(),
        sha,
        context: given.context,
        state: given.state,
        description: given.description ?? null,
        targetUrl: given.targetUrl ?? null,
        createdAt: new Date(),
      }
      repository.statuses.push(status)
      const { url: _, node_id: __, ...told } = simpleStatusResponse(state, repository, status)
      events.ofRepository(repository, 'status', personFor(state, repository.owner), {
        ...told,
        sha,
        name: `${repository.owner.login}/${repository.name}`,
        commit: commitResponse(state, repository, commit),
        branches: [...repository.branches]
          .filter(([, head]) => head === sha)
          .map(([branch]) => ({
            name: branch,
            commit: { sha, url: `${repositoryUrl(state, repository)}/commits/${sha}` },
            protected: false,
          })),
      })
    },

    async setDeployment(name, sha, given) {
      const repository = repositoryNamed(state, name)
      const [branch] = [...repository.branches].filter(([, head]) => head === sha).map(([of]) => of)
      const environment = given.environment ?? 'Preview'
      let deployment = repository.deployments.find((one) => one.sha === sha && one.environment === environment)
      if (!deployment) {
        const made: Deployment = {
          id: state.nextId(),
          sha,
          ref: branch ?? sha,
          environment,
          createdAt: new Date(),
          statuses: [],
        }
        repository.deployments.push(made)
        deployment = made
      }
      const status = {
        id: state.nextId(),
        state: given.state ?? 'success',
        environmentUrl: given.environmentUrl,
        createdAt: new Date(),
      }
      deployment.statuses.push(status)
      events.ofRepository(repository, 'deployment_status', personFor(state, repository.owner), {
        action: 'created',
        deployment: deploymentResponse(state, repository, deployment),
        deployment_status: deploymentStatusResponse(state, repository, deployment, status),
      })
    },
  }
}
