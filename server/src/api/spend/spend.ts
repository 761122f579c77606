import Type, { type Static } from 'typebox'
import { noticePercents, type PeriodLimits, type SpendScope } from '../../models/budget.ts'
import { type BudgetNoticeStore, findCurrentNotice } from '../../models/budget-notice-store.ts'
import type { Spend, SpendStore } from '../../models/spend-store.ts'
import { DateTime, nullable } from '../schemas.ts'

export const SpendQuery = Type.Object({
  month: Type.Optional(
    Type.String({
      pattern: '^20[0-9]{2}-(0[1-9]|1[0-2])$',
      description: 'The calendar month (UTC), as `YYYY-MM`. Defaults to the current month.',
      examples: ['2026-11'],
    }),
  ),
})

const amounts = {
  calls: Type.Integer({ description: 'Number of model calls that the provider did not reject.' }),
  tokens: Type.Integer({ description: 'Tokens that they used, input and output together.' }),
  costUsd: Type.Number({ description: 'Their cost in US dollars, as far as prices are known.' }),
  unpricedTokens: Type.Integer({
    description: 'Tokens of calls whose price is unknown. They are not included in the cost.',
  }),
}

const Percent = Type.Enum([...noticePercents], { description: 'Share of the budget of the month, in percent.' })

const spend = {
  month: Type.String({ description: 'The calendar month (UTC), as `YYYY-MM`.' }),
  total: Type.Object(amounts, {
    description: 'All model calls of the month. Calls in progress count with the maximum that they can use.',
  }),
  forecast: nullable(
    Type.Object({
      tokens: Type.Integer({ description: 'Tokens of the whole month.' }),
      costUsd: Type.Number({ description: 'Cost of the whole month, in US dollars.' }),
    }),
    {
      description:
        'What the whole month will cost if its remaining days cost as much as the last seven days on average. Null for months ' +
        'other than the current one.',
    },
  ),
  limits: Type.Object(
    {
      maxTokensPerMonth: nullable(Type.Integer(), {
        description: 'Maximum tokens in a month. Null if there is no limit.',
      }),
      maxUsdPerMonth: nullable(Type.Number(), {
        description: 'Maximum cost in a month, in US dollars. Null if there is no limit.',
      }),
    },
    { description: 'The budget of the month that applies now.' },
  ),
  alert: nullable(Percent, {
    description:
      'The highest share of the budget that was reached, unless the budget was raised since. Null if less than half is used, and ' +
      'for months other than the current one.',
  }),
  notices: Type.Array(
    Type.Object({
      percent: Percent,
      reachedAt: DateTime('Time at which it was noticed that this share is used.'),
    }),
    { description: 'The shares of the budget that were reached in the month.' },
  ),
  days: Type.Array(Type.Object({ day: Type.String({ format: 'date', description: 'The day (UTC).' }), ...amounts }), {
    description: 'By day, in ascending order. Days without calls are omitted.',
  }),
  models: Type.Array(Type.Object({ model: Type.String({ description: 'Name of the model.' }), ...amounts }), {
    description: 'By model, the most expensive one first.',
  }),
}

const exampleAmounts = { calls: 310, tokens: 18_200_000, costUsd: 21.4, unpricedTokens: 0 }
const example = {
  month: '2026-11',
  total: exampleAmounts,
  forecast: { tokens: 33_000_000, costUsd: 39.1 },
  limits: { maxTokensPerMonth: 100_000_000, maxUsdPerMonth: 40 },
  alert: 50 as const,
  notices: [{ percent: 50 as const, reachedAt: '2026-11-14T09:30:00.000Z' }],
  days: [{ day: '2026-11-03', ...exampleAmounts }],
  models: [{ model: 'sonnet', ...exampleAmounts }],
}

export const ProjectSpendSchema = Type.Object(spend, {
  $id: 'ProjectSpend',
  description: 'What the model calls of a project used in a month.',
  examples: [example],
})

export const InstanceSpendSchema = Type.Object(
  {
    ...spend,
    projects: Type.Array(
      Type.Object({
        projectId: Type.String({ description: 'ID of the project.' }),
        name: Type.String({ description: 'Name of the project.' }),
        ...amounts,
      }),
      { description: 'By project, the most expensive one first, at most 500.' },
    ),
  },
  {
    $id: 'InstanceSpend',
    description: 'What the model calls of all projects used in a month.',
    examples: [
      { ...example, projects: [{ projectId: 'prj_01m7ehrhx0fk5b0axvny9mpndf', name: 'Handbook', ...exampleAmounts }] },
    ],
  },
)

export async function readSpend(
  { spend, budgetNotices }: { spend: SpendStore; budgetNotices: BudgetNoticeStore },
  scope: SpendScope,
  month: string | undefined,
  { maxTokensPerMonth, maxUsdPerMonth }: PeriodLimits,
): Promise<Static<typeof ProjectSpendSchema> & Pick<Spend, 'projects'>> {
  const read = await spend.read(scope, month)
  const notices = await budgetNotices.list(scope, read.month)
  const limits = { maxTokensPerMonth, maxUsdPerMonth }
  const isCurrentMonth = read.forecast !== null
  const current = isCurrentMonth ? findCurrentNotice(notices, read.total, limits) : undefined
  return {
    ...read,
    limits,
    alert: current?.percent ?? null,
    notices: notices.map(({ percent, reachedAt }) => ({ percent, reachedAt: reachedAt.toISOString() })),
  }
}
