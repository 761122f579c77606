import { type ConfiguredCeilings, effectiveLimits } from '../../models/budget.ts'
import type { BudgetNoticeStore } from '../../models/budget-notice-store.ts'
import type { BudgetStore } from '../../models/budget-store.ts'
import type { SpendStore } from '../../models/spend-store.ts'
import { createResponse } from '../../platform/http/route.ts'
import { defineRoute, type Route } from '../route.ts'
import { ProjectParams } from '../schemas.ts'
import { InstanceSpendSchema, ProjectSpendSchema, readSpend, SpendQuery } from './spend.ts'

export interface SpendRouteDeps {
  spend: SpendStore
  budgets: BudgetStore
  budgetNotices: BudgetNoticeStore
  /** The operator's settings. */
  ceilings: ConfiguredCeilings
}

export const spendRoutes = (deps: SpendRouteDeps): Route[] => [
  defineRoute({
    method: 'GET',
    url: '/v2/projects/:projectId/spend',
    access: 'project:read',
    name: 'getProjectSpend',
    tag: 'Projects',
    summary: "Get a project's spend",
    description: 'Returns what the model calls of a project used in a month, by day and model, with a forecast.',
    schemas: { params: ProjectParams, query: SpendQuery, responses: { 200: ProjectSpendSchema } },
    async handle({ projectId, query: { month } }) {
      const [{ own }, ceilings] = await Promise.all([
        deps.budgets.read(projectId),
        deps.budgets.readCeilings(deps.ceilings),
      ])
      const { projects: _, ...spend } = await readSpend(deps, projectId, month, effectiveLimits(own, ceilings.project))
      return createResponse(200, spend)
    },
  }),
  defineRoute({
    method: 'GET',
    url: '/v2/spend',
    access: 'operator',
    name: 'getInstanceSpend',
    tag: 'Service',
    summary: "Get the instance's spend",
    description:
      'Returns what the model calls of all projects used in a month, by project, day and model, with a forecast.',
    schemas: { query: SpendQuery, responses: { 200: InstanceSpendSchema } },
    async handle({ query: { month } }) {
      const { instance } = await deps.budgets.readCeilings(deps.ceilings)
      return createResponse(200, await readSpend(deps, 'instance', month, instance))
    },
  }),
]
