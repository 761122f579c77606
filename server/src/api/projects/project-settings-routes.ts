import { DatabaseError } from 'pg'
import { listAboveCeiling, type ProjectBudget, type ProjectLimits } from '../../models/budget.ts'
import { Problem } from '../../platform/http/problem.ts'
import { createResponse } from '../../platform/http/route.ts'
import { requireRecentSignInOf } from '../authenticate-session.ts'
import { isShorterRetention } from '../retention.ts'
import { defineRoute, type Route } from '../route.ts'
import { ProjectParams } from '../schemas.ts'
import { ProjectSettingsChanges, ProjectSettingsSchema, readSettings, type SettingsDeps } from './project-settings.ts'

export const projectSettingsRoutes = (deps: SettingsDeps): Route[] => [
  defineRoute({
    method: 'GET',
    url: '/v2/projects/:projectId/settings',
    access: 'project:read',
    name: 'getProjectSettings',
    tag: 'Projects',
    summary: 'Get project settings',
    description: 'Returns the settings of the jobs of a project, and how much of its budget is used.',
    schemas: { params: ProjectParams, responses: { 200: ProjectSettingsSchema } },
    handle: async ({ projectId }) => createResponse(200, await readSettings(deps, projectId)),
  }),
  defineRoute({
    method: 'PATCH',
    url: '/v2/projects/:projectId/settings',
    access: 'project:write',
    name: 'changeProjectSettings',
    tag: 'Projects',
    summary: 'Change project settings',
    description:
      'Changes how the jobs of a project run. Omitted fields stay as they are. Changes take effect from the next turn, ' +
      'changes of the budget from the next model call. A budget above the limits of the instance is rejected. A person ' +
      'needs a recent sign-in to change the instructions or to ' +
      'shorten the retention.',
    schemas: { params: ProjectParams, body: ProjectSettingsChanges, responses: { 200: ProjectSettingsSchema } },
    problems: ['reauthentication_required'],
    async handle({ projectId, body: { budget, ...changes }, caller, actor }) {
      const { defaultModel, instructions, jobRetentionDays } = changes
      const current = await deps.projects.readSettings(projectId)
      const changesInstructions = instructions !== undefined && instructions !== current.instructions
      if (changesInstructions || isShorterRetention(jobRetentionDays, current.jobRetentionDays))
        requireRecentSignInOf(caller)
      const isUnknown =
        defaultModel && (defaultModel === 'default' || !(await deps.models.find(projectId, defaultModel)))
      if (isUnknown) throw unknownModel()
      if (budget) rejectAboveCeiling(budget, (await deps.budgets.readCeilings(deps.ceilings)).project)
      try {
        await deps.projects.changeSettings(projectId, changes, actor, async (tx) => {
          if (budget) await deps.budgets.setInTransaction(tx, projectId, budget, actor)
        })
      } catch (error) {
        throw isModelGone(error) ? unknownModel() : error
      }
      return createResponse(200, await readSettings(deps, projectId))
    },
  }),
]

/** The model was removed after it had been found. */
const isModelGone = (error: unknown) =>
  error instanceof DatabaseError && error.constraint === 'project_default_model_fkey'

function unknownModel(): Problem {
  const error = { path: 'body/defaultModel', message: 'is not a model that the project may use' }
  return new Problem('invalid_request', `${error.path} ${error.message}.`, { errors: [error] })
}

function rejectAboveCeiling(budget: ProjectBudget, ceiling: ProjectLimits): void {
  const errors = listAboveCeiling(budget, ceiling).map((name) => ({
    path: `body/budget/${name}`,
    message: `is above the limit of the instance, ${ceiling[name]}: set at most ${ceiling[name]}, or ask an operator to raise the limit`,
  }))
  const [first] = errors
  if (first) throw new Problem('invalid_request', `${first.path} ${first.message}.`, { errors })
}
