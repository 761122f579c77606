import { readCommit } from '../git.ts'
import type { CheckControl } from '../github-control.ts'
import {
  checkRunEventPayload,
  deploymentResponse,
  deploymentStatusResponse,
  statusResponse,
} from '../responses/check.ts'
import { commitResponse } from '../responses/commit.ts'
import { repositoryApiUrl } from '../responses/repository.ts'
import { type CheckRun, type CommitStatus, newSecret } from '../state.ts'
import type { SimulatorContext } from '../webhook-event-emitter.ts'
import { actingPerson, requireRepository } from './lookups.ts'

export function createCheckControl({ state, events }: SimulatorContext): CheckControl {
  return {
    async setCheckRun(name, sha, input) {
      const repository = requireRepository(state, name)
      const existing = repository.checkRuns.find((run) => run.sha === sha && run.name === input.name)
      const isCompleted = input.status === 'completed'
      const id = existing?.id ?? state.nextId()
      const run: CheckRun = {
        id,
        sha,
        name: input.name,
        status: input.status,
        conclusion: isCompleted ? (input.conclusion ?? 'success') : null,
        output: { title: null, summary: null, text: null, ...input.output },
        annotations: input.annotations ?? [],
        startedAt: existing?.startedAt ?? new Date(),
        completedAt: isCompleted ? new Date() : null,
        log: input.log ?? null,
        logSecret: newSecret(''),
      }
      repository.checkRuns = [...repository.checkRuns.filter((checkRun) => checkRun !== existing), run]
      if (isCompleted || !existing) {
        events.emitRepositoryEvent(repository, 'check_run', actingPerson(state, repository), {
          action: isCompleted ? 'completed' : 'created',
          check_run: checkRunEventPayload(state, repository, run),
        })
      }
      return run.id
    },

    async setStatus(name, sha, input) {
      const repository = requireRepository(state, name)
      const commit = await readCommit(repository.directory, sha)
      if (!commit) throw new Error(`There is no commit ${sha}.`)
      const status: CommitStatus = {
        id: state.nextId(),
        sha,
        context: input.context,
        state: input.state,
        description: input.description ?? null,
        targetUrl: input.targetUrl ?? null,
        createdAt: new Date(),
      }
      repository.statuses.push(status)
      const { url: _, node_id: __, ...eventFields } = statusResponse(state, repository, status)
      events.emitRepositoryEvent(repository, 'status', actingPerson(state, repository), {
        ...eventFields,
        sha,
        name: `${repository.owner.login}/${repository.name}`,
        commit: commitResponse(state, repository, commit),
        branches: [...repository.branches]
          .filter(([, head]) => head === sha)
          .map(([branch]) => ({
            name: branch,
            commit: { sha, url: `${repositoryApiUrl(state, repository)}/commits/${sha}` },
            protected: false,
          })),
      })
    },

    async setDeployment(name, sha, input) {
      const repository = requireRepository(state, name)
      const [branch] = [...repository.branches].filter(([, head]) => head === sha).map(([branchName]) => branchName)
      let deployment = repository.deployments.find((candidate) => candidate.sha === sha)
      if (!deployment) {
        deployment = { id: state.nextId(), sha, ref: branch ?? sha, createdAt: new Date(), statuses: [] }
        repository.deployments.push(deployment)
      }
      const status = {
        id: state.nextId(),
        environmentUrl: input.environmentUrl,
        createdAt: new Date(),
      }
      deployment.statuses.push(status)
      events.emitRepositoryEvent(repository, 'deployment_status', actingPerson(state, repository), {
        action: 'created',
        deployment: deploymentResponse(state, repository, deployment),
        deployment_status: deploymentStatusResponse(state, repository, deployment, status),
      })
    },
  }
}
