import Type, { type Static } from 'typebox'
import type { BudgetDefaults } from '../../models/budget.ts'
import type { BudgetStore } from '../../models/budget-store.ts'
import type { ModelStore } from '../../models/model-store.ts'
import type { Id } from '../../platform/ids.ts'
import { maxInstructionCharacters, type ProjectStore } from '../../projects/project-store.ts'
import { DateTime, nullable } from '../schemas.ts'

const tokens = (description: string) => nullable(Type.Integer({ minimum: 0, maximum: 1e12 }), { description })
const usd = (description: string) => nullable(Type.Number({ minimum: 0, maximum: 1e9 }), { description })

const budget = {
  maxTokensPerJob: tokens('What the calls of one job may use.'),
  maxTokensPerMonth: tokens('What the calls of a calendar month (UTC) may use.'),
  maxUsdPerMonth: usd('What the calls of a calendar month (UTC) may cost.'),
}

const changeable = {
  instructions: nullable(Type.String({ minLength: 1, maxLength: maxInstructionCharacters, pattern: '^[^\\u0000]*$' }), {
    description: 'What the agent is told in every job. Null: nothing.',
  }),
  defaultModel: nullable(Type.String({ minLength: 1, maxLength: 100 }), {
    description: "Of jobs that name no model. Null: the installation's default.",
  }),
  jobRetentionDays: nullable(Type.Integer({ minimum: 1, maximum: 36_500 }), {
    description: 'Jobs that ended so many days ago are deleted for good. Null: they are kept for ever.',
  }),
}

export const ProjectSettings = Type.Object(
  {
    ...changeable,
    instanceDefaultModel: nullable(Type.String()),
    budget: Type.Object(budget, { description: "The project's own. Null: as the installation has it." }),
    instanceBudget: Type.Object(budget, {
      description: 'For projects that have none of their own. Null: no limit.',
    }),
    usageThisMonth: Type.Object(
      { tokens: Type.Integer(), costUsd: Type.Number() },
      { description: 'Calendar month, UTC.' },
    ),
    pausedAt: nullable(DateTime('Since when jobs wait.')),
  },
  { $id: 'ProjectSettings' },
)

export const ProjectSettingsChanges = Type.Partial(
  Type.Object({ ...changeable, budget: Type.Object(budget, { additionalProperties: false }) }),
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
): Promise<Static<typeof ProjectSettings>> {
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
