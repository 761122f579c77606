import Type, { type Static } from 'typebox'
import type { BudgetDefaults } from '../../models/budget.ts'
import type { BudgetStore } from '../../models/budget-store.ts'
import type { ModelStore } from '../../models/model-store.ts'
import type { Id } from '../../platform/ids.ts'
import { maxInstructionCharacters, type ProjectStore } from '../../projects/project-store.ts'
import { DateTime, nullable } from '../schemas.ts'

const tokens = (description: string) => nullable(Type.Integer({ minimum: 0, maximum: 1e12 }), { description })
const usd = (description: string) => nullable(Type.Number({ minimum: 0, maximum: 1e9 }), { description })

const budget = (nullMeaning: string) => ({
  maxTokensPerJob: tokens(`Maximum tokens that the model calls of one job may use. Null if ${nullMeaning}.`),
  maxTokensPerMonth: tokens(`Maximum tokens that all jobs may use in a calendar month (UTC). Null if ${nullMeaning}.`),
  maxUsdPerMonth: usd(`Maximum cost of all jobs in a calendar month (UTC), in US dollars. Null if ${nullMeaning}.`),
})

const projectBudget = budget('the limit of the instance applies')
const instanceBudget = budget('there is no limit')

const changeable = {
  instructions: nullable(Type.String({ minLength: 1, maxLength: maxInstructionCharacters, pattern: '^[^\\u0000]*$' }), {
    description: 'Instructions for the agent in every job of the project. Null if there are none.',
  }),
  defaultModel: nullable(Type.String({ minLength: 1, maxLength: 100 }), {
    description: 'Name of the model for jobs that do not name one. Null to use the default model of the instance.',
  }),
  jobRetentionDays: nullable(Type.Integer({ minimum: 1, maximum: 36_500 }), {
    description: 'Number of days after which jobs that have ended are permanently deleted. Null to keep them forever.',
  }),
}

export const ProjectSettingsSchema = Type.Object(
  {
    ...changeable,
    instanceDefaultModel: nullable(Type.String(), {
      description: 'Name of the default model of the instance for this project. Null if there is none.',
    }),
    budget: Type.Object(projectBudget, { description: 'Budget of the project. It overrides that of the instance.' }),
    instanceBudget: Type.Object(instanceBudget, {
      description: 'Budget of the instance. It applies wherever the project does not set a limit of its own.',
    }),
    usageThisMonth: Type.Object(
      {
        tokens: Type.Integer({ description: 'Tokens that the jobs of the project have used this month.' }),
        costUsd: Type.Number({
          description: 'Cost of the jobs of the project this month, in US dollars, as far as prices are known.',
        }),
      },
      { description: 'What the jobs of the project have used in the current calendar month (UTC).' },
    ),
    pausedAt: nullable(DateTime('Time at which the project was paused. Null if it is not paused.')),
  },
  {
    $id: 'ProjectSettings',
    description: 'Settings of the jobs of a project, with the defaults of the instance.',
    examples: [
      {
        instructions: 'Write in British English.',
        defaultModel: null,
        jobRetentionDays: 365,
        instanceDefaultModel: 'sonnet',
        budget: { maxTokensPerJob: null, maxTokensPerMonth: 50_000_000, maxUsdPerMonth: 200 },
        instanceBudget: { maxTokensPerJob: 5_000_000, maxTokensPerMonth: null, maxUsdPerMonth: null },
        usageThisMonth: { tokens: 1_234_567, costUsd: 4.18 },
        pausedAt: null,
      },
    ],
  },
)

export const ProjectSettingsChanges = Type.Partial(
  Type.Object({
    ...changeable,
    budget: Type.Object(projectBudget, {
      additionalProperties: false,
      description: 'Budget of the project. It overrides that of the instance.',
    }),
  }),
  {
    additionalProperties: false,
    minProperties: 1,
    examples: [{ instructions: 'Write in British English.', jobRetentionDays: 365 }],
  },
)

export interface SettingsDeps {
  projects: ProjectStore
  models: ModelStore
  budgets: BudgetStore
  instanceBudget: BudgetDefaults
}

export async function readSettings(
  { projects, models, budgets, instanceBudget }: SettingsDeps,
  projectId: Id<'prj'>,
): Promise<Static<typeof ProjectSettingsSchema>> {
  const [{ pausedAt }, settings, instanceDefaultModel, { own, used }] = await Promise.all([
    projects.get(projectId),
    projects.readSettings(projectId),
    models.instanceDefault(projectId),
    budgets.read(projectId),
  ])
  return {
    ...settings,
    instanceDefaultModel,
    budget: own,
    instanceBudget,
    usageThisMonth: used,
    pausedAt: pausedAt?.toISOString() ?? null,
  }
}
