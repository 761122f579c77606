import type { Transaction } from 'kysely'
import { DatabaseError } from 'pg'
import type { BudgetTables } from '../../models/budget-store.ts'
import { Problem } from '../../platform/http/problem.ts'
import type { ProjectTables } from '../../projects/tables.ts'
import { type Route, respond, route } from '../route.ts'
import { ProjectParams } from '../schemas.ts'
import { ProjectSettings, ProjectSettingsChanges, readSettings, type SettingsDeps } from './project-settings.ts'

export function changeSettingsRoute(deps: SettingsDeps): Route {
  return route({
    method: 'PATCH',
    url: '/v2/projects/:projectId/settings',
    access: 'project:write',
    name: 'changeProjectSettings',
    tag: 'Projects',
    summary: 'Change how jobs of a project are worked on',
    description: 'What is left out stays. Holds from the next turn on, a budget from the next call of a model on.',
    schemas: { params: ProjectParams, body: ProjectSettingsChanges, responses: { 200: ProjectSettings } },
    async handle({ projectId, body: { budget, ...changes }, actor }) {
      const { defaultModel } = changes
      const isUnknown =
        defaultModel && (defaultModel === 'default' || !(await deps.models.find(projectId, defaultModel)))
      if (isUnknown) throw unknownModel()
      const setBudget =
        budget &&
        ((tx: Transaction<ProjectTables>) =>
          deps.budgets.setIn(tx.withTables<BudgetTables>(), projectId, budget, actor))
      try {
        await deps.projects.changeSettings(projectId, changes, actor, setBudget)
      } catch (error) {
        throw isModelGone(error) ? unknownModel() : error
      }
      return respond(200, await readSettings(deps, projectId))
    },
  })
}

/** It was there a moment ago. */
const isModelGone = (error: unknown) =>
  error instanceof DatabaseError && error.constraint === 'project_default_model_fkey'

function unknownModel(): Problem {
  const mistake = { path: 'body/defaultModel', message: 'is not a model that the project may use' }
  return new Problem('invalid_request', `${mistake.path} ${mistake.message}.`, { errors: [mistake] })
}
