/**
 * Limits for model calls. The operator's limits are ceilings: for each job, for each project and for the whole instance, by
 * calendar month and by clock hour (UTC). A project can set lower limits for itself, never higher ones.
 */

import type { Id } from '../platform/ids.ts'

/** Whose spend it is. */
export type SpendScope = Id<'prj'> | 'instance'

/** The shares of a month's budget of which people are notified. */
export const noticePercents = [50, 80, 100] as const
export type NoticePercent = (typeof noticePercents)[number]

/** Null: no limit. */
export interface PeriodLimits {
  maxTokensPerMonth: number | null
  maxUsdPerMonth: number | null
  maxTokensPerHour: number | null
  maxUsdPerHour: number | null
}

/** The limits of a project: of each of its jobs, and of all of them together. */
export interface ProjectLimits extends PeriodLimits {
  maxTokensPerJob: number
}

export interface Ceilings {
  project: ProjectLimits
  instance: PeriodLimits
}

/** What a project sets for itself. Null: only the ceiling applies. */
export interface ProjectBudget {
  maxTokensPerJob: number | null
  maxTokensPerMonth: number | null
  maxUsdPerMonth: number | null
}

/** `none`: no limit. Undefined: not configured, so the default applies if the instance has default limits. */
type ConfiguredLimit = number | 'none' | undefined
type ConfiguredPeriodLimits = Readonly<Record<keyof PeriodLimits, ConfiguredLimit>>

/** The operator's settings. */
export interface ConfiguredCeilings {
  project: ConfiguredPeriodLimits & { maxTokensPerJob: number }
  instance: ConfiguredPeriodLimits
}

/**
 * Of instances that were created with default limits. The tokens are for models without prices: with a mid-priced model and a
 * warm cache, a million tokens cost about one dollar.
 */
export const defaultLimits = {
  project: { maxTokensPerMonth: 100_000_000, maxUsdPerMonth: 100, maxTokensPerHour: 20_000_000, maxUsdPerHour: 20 },
  instance: { maxTokensPerMonth: 500_000_000, maxUsdPerMonth: 500, maxTokensPerHour: 100_000_000, maxUsdPerHour: 100 },
} as const satisfies { project: PeriodLimits; instance: PeriodLimits }

export function resolveCeilings(
  { project, instance }: ConfiguredCeilings,
  { hasDefaultLimits }: { hasDefaultLimits: boolean },
): Ceilings {
  const resolve = (configured: ConfiguredPeriodLimits, defaults: PeriodLimits): PeriodLimits => {
    const limit = (name: keyof PeriodLimits) =>
      configured[name] === 'none' ? null : (configured[name] ?? (hasDefaultLimits ? defaults[name] : null))
    return {
      maxTokensPerMonth: limit('maxTokensPerMonth'),
      maxUsdPerMonth: limit('maxUsdPerMonth'),
      maxTokensPerHour: limit('maxTokensPerHour'),
      maxUsdPerHour: limit('maxUsdPerHour'),
    }
  }
  return {
    project: { maxTokensPerJob: project.maxTokensPerJob, ...resolve(project, defaultLimits.project) },
    instance: resolve(instance, defaultLimits.instance),
  }
}

/** A stored budget may be higher than the ceiling, which the operator can lower at any time. */
export const effectiveLimits = (own: ProjectBudget, ceiling: ProjectLimits): ProjectLimits => ({
  maxTokensPerJob: lower(own.maxTokensPerJob, ceiling.maxTokensPerJob) ?? ceiling.maxTokensPerJob,
  maxTokensPerMonth: lower(own.maxTokensPerMonth, ceiling.maxTokensPerMonth),
  maxUsdPerMonth: lower(own.maxUsdPerMonth, ceiling.maxUsdPerMonth),
  maxTokensPerHour: ceiling.maxTokensPerHour,
  maxUsdPerHour: ceiling.maxUsdPerHour,
})

/** The fields of a budget that are higher than their ceiling. */
export const listAboveCeiling = (own: ProjectBudget, ceiling: ProjectLimits): (keyof ProjectBudget)[] =>
  (['maxTokensPerJob', 'maxTokensPerMonth', 'maxUsdPerMonth'] as const).filter(
    (name) => lower(own[name], ceiling[name]) !== (own[name] ?? ceiling[name]),
  )

const lower = (own: number | null, ceiling: number | null): number | null =>
  own === null || ceiling === null ? (own ?? ceiling) : Math.min(own, ceiling)

/** Which limit a model call would have exceeded. */
export type BudgetKind = 'job_tokens' | PeriodBudgetKind | `instance_${PeriodBudgetKind}`
type PeriodBudgetKind = 'month_tokens' | 'month_usd' | 'hour_tokens' | 'hour_usd'
