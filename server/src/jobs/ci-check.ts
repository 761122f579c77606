/** CI checks that the code host reports for the head commit of a job's pull request. */
export const ciCheckStatuses = ['pending', 'passed', 'failed'] as const

export interface CiCheck {
  /** Assigned by the code host. */
  id: string
  name: string
  status: (typeof ciCheckStatuses)[number]
  url: string | null
  summary: string | null
}

/** The checks as of the last poll. */
export interface ObservedChecks {
  commit: string
  /** When the commit appeared, or the last webhook arrived. New checks are expected for some time afterwards. */
  watchedSince: string
  checks: readonly CiCheck[]
}

/** Log by check id. Null: the code host has no log for it. */
export type CheckLogs = Readonly<Record<string, string | null>>

/** A failed check as the agent gets it. */
export interface FailedCheck {
  name: string
  summary: string | null
  log: string | null
}
