import Type, { type Static } from 'typebox'
import { type ConfiguredCeilings, effectiveLimits } from '../../models/budget.ts'
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

const hourlyLimits = {
  maxTokensPerHour: tokens('Maximum tokens that all jobs may use in a clock hour. Null if there is no limit.'),
  maxUsdPerHour: usd('Maximum cost of all jobs in a clock hour, in US dollars. Null if there is no limit.'),
}

const projectBudget = budget('only the limit of the instance applies')
const limits = { ...budget('there is no limit'), ...hourlyLimits }

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
    budget: Type.Object(projectBudget, {
      description: 'Limits that the project sets for itself. Of these and those of the instance, the lower ones apply.',
    }),
    instanceBudget: Type.Object(limits, {
      description:
        'Limits that the operator sets for each project. A project can set lower limits, but no higher ones.',
    }),
    effectiveBudget: Type.Object(limits, {
      description: 'Limits that apply to the project: the lower ones of its own and those of the instance.',
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
        budget: { maxTokensPerJob: null, maxTokensPerMonth: 50_000_000, maxUsdPerMonth: 40 },
        instanceBudget: {
          maxTokensPerJob: 5_000_000,
          maxTokensPerMonth: 100_000_000,
          maxUsdPerMonth: 100,
          maxTokensPerHour: 20_000_000,
          maxUsdPerHour: 20,
        },
        effectiveBudget: {
          maxTokensPerJob: 5_000_000,
          maxTokensPerMonth: 50_000_000,
          maxUsdPerMonth: 40,
          maxTokensPerHour: 20_000_000,
          maxUsdPerHour: 20,
        },
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
      description:
        'Limits that the project sets for itself. A limit above that of the instance (`instanceBudget`) is rejected.',
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
  /** The operator's settings. */
  ceilings: ConfiguredCeilings
}

export async function readSettings(
  { projects, models, budgets, ceilings }: SettingsDeps,
  projectId: Id<'prj'>,
): Promise<Static<typeof ProjectSettingsSchema>> {
  const [{ pausedAt }, settings, instanceDefaultModel, { own, used }, { project: instanceBudget }] = await Promise.all([
    projects.get(projectId),
    projects.readSettings(projectId),
    models.instanceDefault(projectId),
    budgets.read(projectId),
    budgets.readCeilings(ceilings),
  ])
  return {
    ...settings,
    instanceDefaultModel,
    budget: own,
    instanceBudget,
    effectiveBudget: effectiveLimits(own, instanceBudget),
    usageThisMonth: used,
    pausedAt: pausedAt?.toISOString() ?? null,
  }
}
